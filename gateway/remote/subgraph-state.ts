import { Agent, type Dispatcher, request as send } from 'undici';
import { z } from 'zod';
import type { Log } from '../../kernel/log.js';
import type { SourceStatus } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, type UpstreamMode } from '../../kernel/services.js';
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';
import { parseShallowJson } from '../../kernel/text.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { speaksHttp } from '../../runtime/http/tls.js';

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** Figures of a source, as they were at a time of this process. */
export interface Figures {
  readonly figures: SourceFigures;
  readonly atMs: number;
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

/** The connections of probes: whatever operations do to theirs, a probe is sent at once. */
export function createProbePool(): Dispatcher {
  return new Agent({ connections: 2, connect: { timeout: PROBE_MS }, maxResponseSize: MAX_REPORT_BYTES });
}

/** The detail of a source whose subgraph is out of reach. */
export const UNREACHABLE = 'its subgraph cannot be reached';
const ANOTHER = 'is the address of another subgraph';
const REFUSED = 'its subgraph refuses the token of the gateway';

/** What an operator has to do, for the log. */
export function tokenRefused(name: string): string {
  return `the subgraph ${name} refuses this gateway: give both the same SUBGRAPH_TOKEN`;
}

/** The state of a source whose subgraph runs in another process. */
export type RemoteState = ReturnType<typeof createRemoteState>;

/**
 * Tracks the state of the source behind a subgraph, by its responses and by probes of its `/readyz`, which also show
 * whether it accepts the token and whether it is the right one. What an operator has to mend is logged once.
 */
export function createRemoteState(address: SubgraphAddress, pool: Dispatcher, log: Log) {
  const { service } = address;
  let known: RemoteStatus | null = null;
  let figures: Figures | null = null;
  /** Where the address was seen to lead: to the right endpoint, or to that of another subgraph. */
  let leadsTo: 'it' | 'another' | null = null;

  function markDown(detail: string): void {
    if (detail !== UNREACHABLE && known?.detail !== detail)
      log.error({ service }, detail === REFUSED ? tokenRefused(service) : detail);
    figures = null;
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail };
  }

  return {
    /** The last known status; null before the first response. */
    last: () => known,
    /** Takes the status from the headers of a response. */
    update(headers: Dispatcher.ResponseData['headers']) {
      const { data } = HEADERS.safeParse(headers);
      if (data === undefined || leadsTo === 'another') return;
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = data;
      // It brings no detail; that of the same state still holds.
      if (known?.state !== state || known.upstream !== upstream) known = { state, upstream };
    },
    /** Records that the subgraph could not be reached. */
    markUnreachable() {
      // Nobody is reached at a wrong address; that it is wrong says more.
      if (known?.detail?.startsWith(SERVICE_ENTRIES[service].addressVariable) !== true) markDown(UNREACHABLE);
    },
    /** Records that the subgraph expects another token. */
    markTokenRefused: () => markDown(REFUSED),
    /** Probes the subgraph, which also updates its status. Never rejects. */
    async probe(): Promise<Figures> {
      const found = await examine(address, pool, leadsTo !== 'it');
      if (typeof found === 'string') {
        if (found.includes(ANOTHER)) leadsTo = 'another';
        markDown(found);
      } else if (found !== null) {
        leadsTo = 'it';
        known = found.status;
        figures = { figures: found.figures, atMs: performance.now() };
      }
      return figures ?? { figures: NO_FIGURES, atMs: performance.now() };
    },
  };
}

/** The endpoint refuses it as such, with 400, and executes nothing. */
const NO_OPERATION = '{}';

/**
 * What the subgraph says of itself at `/readyz`, or why it is DOWN; null if this process was too busy to tell. An unknown
 * address is also tried: `/readyz` is beside the endpoint, and would be found without it. Never rejects.
 */
async function examine({ service, url, token }: SubgraphAddress, dispatcher: Dispatcher, isUnknown: boolean) {
  const { addressVariable } = SERVICE_ENTRIES[service];
  const startedMs = performance.now();
  const options = { dispatcher, signal: AbortSignal.timeout(PROBE_MS), headers: tokenHeader(token) };
  try {
    const answered = await send(new URL('readyz', url), options);
    const report = REPORT.safeParse(parseShallowJson(await answered.body.text())).data;
    if (refusesToken(answered, token)) return REFUSED;
    if (report === undefined)
      return answered.statusCode >= 500 ? UNREACHABLE : `${addressVariable} is not the address of a subgraph`;
    if (report.name !== service) return `${addressVariable} ${ANOTHER}: ${report.name ?? 'an unknown one'}`;
    if (!isUnknown) return report;
    const headers = { ...options.headers, 'content-type': 'application/json' };
    const tried = await send(url, { ...options, method: 'POST', headers, body: NO_OPERATION });
    await tried.body.dump();
    if (refusesToken(tried, token)) return REFUSED;
    const isThere = tried.statusCode !== 404 && tried.statusCode !== 405;
    return isThere ? report : `${addressVariable} is not the GraphQL endpoint, which ends with /graphql`;
  } catch (error) {
    if (speaksHttp(error)) return `${addressVariable} begins with https:, but what answers there speaks http`;
    return performance.now() - startedMs > PROBE_MS + BUSY_MS ? null : UNREACHABLE;
  }
}

/** Undefined if it is missing or malformed, as from another version of the program. */
export function optional<T extends z.ZodType>(type: T) {
  return type.optional().catch(undefined);
}

/** The items that are of a type; none of what is no list. */
export function listOf<T extends z.ZodType>(type: T) {
  const items = z.array(type.transform((item) => [item]).catch([]));
  return items.catch([]).transform((lists) => lists.flat());
}

const STATE = z.enum(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODE = z.enum(['real', 'sandbox', 'off']);
const HEADERS = z.object({ 'x-passerelle-state': STATE, 'x-passerelle-upstreams': MODE });
const QUOTA = z.object({ scope: z.string(), limit: z.number(), remaining: z.number(), resetSeconds: z.number() });

/** The source that a subgraph reports. Missing or malformed figures, as from another version, are unknown. */
const SOURCE = z.object({
  name: z.enum(SERVICES).nullable().catch(null),
  state: STATE,
  upstream: MODE,
  detail: optional(z.string()),
  quota: QUOTA.nullable().catch(null),
  quotas: listOf(QUOTA),
  breaker: z.enum(['CLOSED', 'OPEN', 'HALF_OPEN']).nullable().catch(null),
  cacheHitRate: z.number().nullable().catch(null),
  referenceAgeSeconds: z.number().nullable().catch(null),
  drift: z.number().nullable().catch(null),
  driftPlaces: listOf(z.object({ place: z.string(), count: z.number() })),
  exportLoadedAt: optional(z.string().nullable()),
});

/** What a subgraph reports at `/readyz`; a gateway reports several sources. */
const REPORT = z
  .object({ version: optional(z.string().regex(/^[\w.+-]{1,40}$/)), sources: z.tuple([SOURCE]) })
  .transform(({ version, sources: [{ name, state, upstream, detail, exportLoadedAt, ...figures }] }) => {
    // Another version, as in the middle of a rollout, is a detail of any state. The earliest do not say theirs.
    const named = version === undefined ? 'another version' : `version ${version}`;
    const skew = version === VERSION ? '' : `its subgraph has ${named}, this gateway version ${VERSION}`;
    const details = [detail ?? '', skew].filter((text) => text !== '').join('; ');
    const status: RemoteStatus = { state, upstream, ...(details !== '' && { detail: details }) };
    return { name, status, figures: { ...figures, ...(exportLoadedAt !== undefined && { exportLoadedAt }) } };
  });
