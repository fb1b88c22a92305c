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
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { speaksHttp, speaksHttps } from '../../runtime/http/tls.js';

/** Connections to subgraphs over HTTP. */
export type Pool = Dispatcher;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** Status and figures of a source: the same object as long as both stay the same. */
export type Report = RemoteStatus & SourceFigures;

/** A report, and how many milliseconds ago it was true. */
export interface Reported {
  readonly report: Report;
  readonly ageMs: number;
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
  /** Current status and figures. Everybody who asks within a second shares one probe of the subgraph. */
  fetch(): Promise<Reported>;
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

/** How long a probe, and figures, serve all who ask. */
export const SHARED_MS = 1_000;

/** A subgraph reports some kilobytes about itself. */
const MAX_REPORT_BYTES = 1024 * 1024;

/** The connections of probes: whatever operations do to theirs, a probe is sent at once. */
export function createProbePool(): Pool {
  return new Agent({ connections: 2, connect: { timeout: PROBE_MS }, maxResponseSize: MAX_REPORT_BYTES });
}

const UNREACHABLE = 'its subgraph cannot be reached';
const ANOTHER = 'is the address of another subgraph';
const REFUSED = 'its subgraph refuses the token of the gateway';

const STATES: ReadonlySet<unknown> = new Set<SourceState>(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODES: ReadonlySet<unknown> = new Set<UpstreamMode>(['real', 'sandbox', 'off']);

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
  let latest: { readonly found: Found; readonly atMs: number } | null = null;
  let probe = { atMs: Number.NEGATIVE_INFINITY, done: Promise.resolve() };
  const reportOf = createReports();
  /** Where the address was seen to lead: to the right endpoint, or to that of another subgraph. */
  let leadsTo: 'it' | 'another' | null = null;

  function markDown(detail: string): void {
    if (detail !== UNREACHABLE && known?.detail !== detail) {
      log.error({ service }, detail === REFUSED ? tokenRefused(service) : detail);
    }
    latest = null;
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail };
  }

  async function ask(): Promise<void> {
    const found = await inTime((signal) => examine(address, { dispatcher: pool, signal }, leadsTo !== 'it'));
    if (found === null) return;
    if (typeof found === 'string') {
      if (found.includes(ANOTHER)) leadsTo = 'another';
      markDown(found);
      return;
    }
    leadsTo = 'it';
    known = found.status;
    latest = { found, atMs: performance.now() };
  }

  return {
    last: () => known,
    update(headers) {
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = headers;
      if (isState(state) && isMode(upstream) && leadsTo !== 'another') known = { state, upstream };
    },
    // Nobody is reached at a wrong address; that it is wrong says more.
    markUnreachable: () => markDown(known?.detail?.startsWith(addressVariable) ? known.detail : UNREACHABLE),
    markTokenRefused: () => markDown(REFUSED),
    async fetch() {
      const nowMs = performance.now();
      if (nowMs - probe.atMs >= SHARED_MS) probe = { atMs: nowMs, done: ask() };
      await probe.done;
      const status = known ?? { state: 'DOWN', upstream: 'unknown', detail: UNREACHABLE };
      if (latest === null) return { report: reportOf(status, NO_FIGURES), ageMs: 0 };
      const { found, atMs } = latest;
      // A response may have brought another state since; it brings no detail.
      const latestStatus = found.status.state === status.state ? found.status : status;
      return { report: reportOf(latestStatus, found.figures), ageMs: performance.now() - atMs };
    },
  };
}

/** Makes reports of one source: those who write them need to write each once. */
export function createReports(): (status: RemoteStatus, figures: SourceFigures) => Report {
  let last: { readonly report: Report; readonly figures: SourceFigures } | null = null;
  return (status, figures) => {
    const isSame =
      last?.figures === figures &&
      last.report.state === status.state &&
      last.report.detail === status.detail &&
      last.report.upstream === status.upstream;
    if (!isSame || last === null) last = { report: { ...status, ...figures }, figures };
    return last.report;
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
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const { sources, version } = fieldsOf(parsed);
  return Array.isArray(sources) && sources.length === 1 ? { source: fieldsOf(sources[0]), version } : null;
}

/** Another version, as in the middle of a rollout, is a detail of whatever state the source is in. */
function readStatus(source: Readonly<Record<string, unknown>>, version: unknown): RemoteStatus | null {
  const { state, upstream, detail } = source;
  if (!isState(state) || !isMode(upstream)) return null;
  const details = [
    ...(typeof detail === 'string' ? [detail] : []),
    ...(version === VERSION ? [] : [`its subgraph has ${versionOf(version)}, this gateway version ${VERSION}`]),
  ];
  return { state, upstream, ...(details.length > 0 && { detail: details.join('; ') }) };
}

/** The earliest do not say theirs. */
function versionOf(version: unknown): string {
  return typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version) ? `version ${version}` : 'another version';
}

function isState(value: unknown): value is SourceState {
  return STATES.has(value);
}

function isMode(value: unknown): value is UpstreamMode {
  return MODES.has(value);
}

/**
 * The figures that a subgraph in another process reports at `/readyz`. Missing or malformed ones, as from another
 * version of the program, are unknown.
 */
export function readFigures(source: Readonly<Record<string, unknown>>): SourceFigures {
  const { breaker, exportLoadedAt } = source;
  return {
    ...NO_FIGURES,
    quota: isQuota(source['quota']) ? source['quota'] : null,
    quotas: listOf(source['quotas'], isQuota),
    breaker: breaker === 'CLOSED' || breaker === 'OPEN' || breaker === 'HALF_OPEN' ? breaker : null,
    cacheHitRate: numberOf(source['cacheHitRate']),
    referenceAgeSeconds: numberOf(source['referenceAgeSeconds']),
    drift: numberOf(source['drift']),
    driftPlaces: listOf(source['driftPlaces'], isDriftPlace),
    ...((typeof exportLoadedAt === 'string' || exportLoadedAt === null) && { exportLoadedAt }),
  };
}

type Quota = NonNullable<SourceFigures['quota']>;
type DriftPlace = SourceFigures['driftPlaces'][number];

function isQuota(value: unknown): value is Quota {
  const { scope, limit, remaining, resetSeconds } = fieldsOf(value);
  return typeof scope === 'string' && [limit, remaining, resetSeconds].every((figure) => numberOf(figure) !== null);
}

function isDriftPlace(value: unknown): value is DriftPlace {
  const { place, count } = fieldsOf(value);
  return typeof place === 'string' && numberOf(count) !== null;
}

function listOf<T>(value: unknown, isItem: (item: unknown) => item is T): readonly T[] {
  return Array.isArray(value) ? value.filter(isItem) : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
