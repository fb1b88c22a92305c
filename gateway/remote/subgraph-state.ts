import { Agent, type Dispatcher, request as send } from 'undici';
import type { Log } from '../../kernel/log.js';
import type { SourceStatus } from '../../kernel/operation.js';
import {
  SERVICE_ENTRIES,
  SERVICES,
  type ServiceName,
  type SourceState,
  type UpstreamMode,
} from '../../kernel/services.js';
import {
  type BreakerFigure,
  type DriftPlace,
  NO_FIGURES,
  type ScopeQuota,
  type SourceFigures,
} from '../../kernel/source-figures.js';
import { isRecord, parseShallowJson } from '../../kernel/text.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { speaksHttp, speaksHttps } from '../../runtime/http/tls.js';
import { all, type Check, isNumber, isText, listOf, oneOf } from './checks.js';

/** Connections to subgraphs over HTTP. */
export type Pool = Dispatcher;

type Headers = Dispatcher.ResponseData['headers'];

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** Status and figures of a source, as they were at a time of this process. */
export interface Report {
  readonly status: RemoteStatus;
  readonly figures: SourceFigures;
  readonly atMs: number;
}

/** The state of a source whose subgraph runs in another process. Every response carries it. */
export interface RemoteState {
  /** The last known status; null before the first response. */
  last(): RemoteStatus | null;
  /** Takes the status from the headers of a response. */
  update(headers: Headers): void;
  /** Records that the subgraph could not be reached. */
  markUnreachable(): void;
  /** Records that the subgraph expects another token. */
  markTokenRefused(): void;
  /** Probes the subgraph. Never rejects. */
  probe(): Promise<Report>;
}

/** How to reach a subgraph. */
export interface SubgraphAddress {
  readonly service: ServiceName;
  /** Its GraphQL endpoint. */
  readonly url: string;
  /** Shared with the subgraph; null if none is configured. */
  readonly token: Secret | null;
}

/**
 * How long readiness waits for a subgraph before it counts as unreachable: less than the second that balancers wait for
 * readiness, or one subgraph that hangs would take every gateway out of service.
 */
export const PROBE_MS = 700;

/** A probe that ends this much later than it should tells of a busy gateway, and nothing of the subgraph. */
const BUSY_MS = 100;

/** A subgraph reports some kilobytes about itself. */
const MAX_REPORT_BYTES = 1024 * 1024;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
const RESPONSE_FACTOR = 2;

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
export const CONNECTIONS = 512;

/** The connection pool of all subgraphs. Requests have deadlines; undici's default timeouts only end what hangs. */
export function createPool(maxResponseBytes: number): Pool {
  return new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
}

/** The connections of probes: whatever operations do to theirs, a probe is sent at once. */
export function createProbePool(): Pool {
  return new Agent({ connections: 2, connect: { timeout: PROBE_MS }, maxResponseSize: MAX_REPORT_BYTES });
}

const UNREACHABLE = 'its subgraph cannot be reached';
const ANOTHER = 'is the address of another subgraph';
const REFUSED = 'its subgraph refuses the token of the gateway';

/** What an operator has to do, for the log. */
export function tokenRefused(name: string): string {
  return `the subgraph ${name} refuses this gateway: give both the same SUBGRAPH_TOKEN`;
}

/**
 * Tracks the state of the source behind a subgraph, by its responses and by probes of its `/readyz`, which also show
 * whether it accepts the token and whether it is the right one. What an operator has to mend is logged once.
 */
export function createRemoteState(address: SubgraphAddress, pool: Pool, log: Log): RemoteState {
  const { service } = address;
  const { addressVariable } = SERVICE_ENTRIES[service];
  let known: RemoteStatus | null = null;
  let latest: Report | null = null;
  /** Where the address was seen to lead: to the right endpoint, or to that of another subgraph. */
  let leadsTo: 'it' | 'another' | null = null;

  function markDown(detail: string): void {
    if (detail !== UNREACHABLE && known?.detail !== detail) {
      log.error({ service }, detail === REFUSED ? tokenRefused(service) : detail);
    }
    latest = null;
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail };
  }

  return {
    last: () => known,
    update({ 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream }) {
      if (!isState(state) || !isMode(upstream) || leadsTo === 'another') return;
      // It brings no detail; that of the same state still holds.
      if (known?.state !== state || known.upstream !== upstream) known = { state, upstream };
    },
    // Nobody is reached at a wrong address; that it is wrong says more.
    markUnreachable: () => markDown(known?.detail?.startsWith(addressVariable) ? known.detail : UNREACHABLE),
    markTokenRefused: () => markDown(REFUSED),
    async probe() {
      const found = await inTime((signal) => examine(address, { dispatcher: pool, signal }, leadsTo !== 'it'));
      if (typeof found === 'string') {
        if (found.includes(ANOTHER)) leadsTo = 'another';
        markDown(found);
      } else if (found !== null) {
        leadsTo = 'it';
        known = found.status;
        latest = { ...found, atMs: performance.now() };
      }
      const status = known ?? { state: 'DOWN', upstream: 'unknown', detail: UNREACHABLE };
      return latest ?? { status, figures: NO_FIGURES, atMs: performance.now() };
    },
  };
}

interface Found {
  readonly status: RemoteStatus;
  readonly figures: SourceFigures;
}

/**
 * What is found within the time of a probe, even if its request cannot be aborted; null if this process was too busy to
 * tell, since the response may have been there.
 */
async function inTime<T>(find: (signal: AbortSignal) => Promise<T>): Promise<T | typeof UNREACHABLE | null> {
  const startedAtMs = performance.now();
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof UNREACHABLE | null>((resolve) => {
    timer = setTimeout(() => {
      abort.abort();
      resolve(performance.now() - startedAtMs > PROBE_MS + BUSY_MS ? null : UNREACHABLE);
    }, PROBE_MS);
  });
  const found = await Promise.race([find(abort.signal), over]);
  clearTimeout(timer);
  return found;
}

/** The endpoint refuses it as such, with 400, and executes nothing. */
const NO_OPERATION = '{}';

/**
 * The state of the source according to the subgraph's `/readyz`, or why it is DOWN. An unknown address is also tried:
 * `/readyz` is beside the endpoint, and would be found without it. Never rejects.
 */
async function examine(
  address: SubgraphAddress,
  options: { readonly dispatcher: Pool; readonly signal: AbortSignal },
  isUnknown: boolean,
): Promise<Found | string> {
  const { service, url, token } = address;
  const { addressVariable } = SERVICE_ENTRIES[service];
  try {
    const answered = await send(new URL('readyz', url), { ...options, headers: tokenHeader(token) });
    const text = await answered.body.text();
    if (refusesToken(answered, token)) return REFUSED;
    const report = readReport(text);
    if (report === null) {
      if (answered.statusCode >= 500) return UNREACHABLE;
      return (await wrongScheme(address, null)) ?? `${addressVariable} is not the address of a subgraph`;
    }
    const { source, version } = report;
    const named = SERVICES.find((name) => name === source['name']);
    if (named !== service) return `${addressVariable} ${ANOTHER}: ${named ?? 'an unknown one'}`;
    const status = readStatus(source, version);
    if (status === null) return UNREACHABLE;
    if (isUnknown) {
      const tried = await send(url, {
        ...options,
        method: 'POST',
        headers: { ...tokenHeader(token), 'content-type': 'application/json' },
        body: NO_OPERATION,
      });
      await tried.body.dump();
      if (refusesToken(tried, token)) return REFUSED;
      if (tried.statusCode === 404 || tried.statusCode === 405)
        return `${addressVariable} is not the GraphQL endpoint, which ends with /graphql`;
    }
    return { status, figures: readFigures(source) };
  } catch (error) {
    return (isUnknown ? await wrongScheme(address, error) : null) ?? UNREACHABLE;
  }
}

/** Says of an address that failed that it has http for https, or https for http; null for any other failure. */
async function wrongScheme({ service, url }: SubgraphAddress, error: unknown): Promise<string | null> {
  const { addressVariable } = SERVICE_ENTRIES[service];
  if (speaksHttp(error)) return `${addressVariable} begins with https:, but what answers there speaks http`;
  if (!(await speaksHttps(new URL(url), PROBE_MS))) return null;
  return `${addressVariable} begins with http:, but what answers there speaks https`;
}

/** What a subgraph reports; null if a report is of no subgraph: a gateway reports several sources. */
function readReport(text: string): { source: Readonly<Record<string, unknown>>; version: unknown } | null {
  const report = parseShallowJson(text);
  const { sources, version } = isRecord(report) ? report : ({} as Readonly<Record<string, unknown>>);
  const [source, ...more] = Array.isArray(sources) ? sources : [];
  return isRecord(source) && more.length === 0 ? { source, version } : null;
}

/** Another version, as in the middle of a rollout, is a detail of whatever state the source is in. */
function readStatus(source: Readonly<Record<string, unknown>>, version: unknown): RemoteStatus | null {
  const { state, upstream, detail } = source;
  if (!isState(state) || !isMode(upstream)) return null;
  const details = [
    ...(isText(detail) ? [detail] : []),
    ...(version === VERSION ? [] : [`its subgraph has ${versionOf(version)}, this gateway version ${VERSION}`]),
  ];
  return { state, upstream, ...(details.length > 0 && { detail: details.join('; ') }) };
}

/** The earliest do not say theirs. */
function versionOf(version: unknown): string {
  return isText(version) && /^[\w.+-]{1,40}$/.test(version) ? `version ${version}` : 'another version';
}

const isState = oneOf<SourceState>('UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF');
const isMode = oneOf<UpstreamMode>('real', 'sandbox', 'off');
const isQuota = all<ScopeQuota>({ scope: isText, limit: isNumber, remaining: isNumber, resetSeconds: isNumber });

/** The figures that a report may have, by what they must be. */
const FIGURES: Readonly<Record<string, Check>> = {
  quota: isQuota,
  breaker: oneOf<BreakerFigure>('CLOSED', 'OPEN', 'HALF_OPEN'),
  cacheHitRate: isNumber,
  referenceAgeSeconds: isNumber,
  drift: isNumber,
  exportLoadedAt: (value) => value === null || isText(value),
};

/**
 * The figures that a subgraph in another process reports at `/readyz`. Missing or malformed ones, as from another
 * version of the program, are unknown.
 */
export function readFigures(source: Readonly<Record<string, unknown>>): SourceFigures {
  return {
    ...NO_FIGURES,
    ...Object.fromEntries(
      Object.entries(FIGURES).flatMap(([name, fits]) => (fits(source[name]) ? [[name, source[name]]] : [])),
    ),
    quotas: listOf(source['quotas'], isQuota),
    driftPlaces: listOf(source['driftPlaces'], all<DriftPlace>({ place: isText, count: isNumber })),
  };
}
