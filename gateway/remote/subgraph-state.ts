import { Agent, type Dispatcher, request as send } from 'undici';
import { z } from 'zod';
import type { Log } from '../../kernel/log.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, type UpstreamMode } from '../../kernel/services.js';
import {
  NO_FIGURES,
  SOURCE_FIGURES,
  SOURCE_STATUS,
  type SourceFigures,
  type SourceStatus,
} from '../../kernel/source-figures.js';
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

/** The detail of a source whose subgraph is out of reach. */
const UNREACHABLE = 'its subgraph cannot be reached';
const REFUSED = 'its subgraph refuses the token of the gateway';

/**
 * Tracks the state of the source behind a subgraph in another process, by its responses and by probes of its `/readyz`,
 * which also show whether it accepts the token and whether it is the right one. What an operator has to mend is logged once.
 */
export function createRemoteState(address: SubgraphAddress, log: Log) {
  const { service } = address;
  // Whatever operations do to their connections, a probe is sent at once.
  const pool = new Agent({ connections: 2, connect: { timeout: PROBE_MS }, maxResponseSize: MAX_REPORT_BYTES });
  let known: RemoteStatus = { state: 'DOWN', upstream: 'unknown', detail: UNREACHABLE };
  /** Null while it is not known that the subgraph is well. */
  let reported: Figures | null = null;
  /** Whether the address was seen to lead to this subgraph. */
  let isRight = false;

  const findFigures = oncePerSecond(async (): Promise<Figures> => {
    const found = await examine(address, pool, reported === null);
    if (typeof found === 'string') {
      const remedy = `the subgraph ${service} refuses this gateway: give both the same SUBGRAPH_TOKEN`;
      if (found !== UNREACHABLE && known.detail !== found) log.error({ service }, found === REFUSED ? remedy : found);
      reported = null;
      isRight &&= found === UNREACHABLE;
      known = { state: 'DOWN', upstream: known.upstream, detail: found };
    } else if (found !== null) {
      isRight = true;
      known = found.status;
      reported = { figures: found.figures, atMs: performance.now() };
    }
    return reported ?? { figures: NO_FIGURES, atMs: performance.now() };
  });

  /** The last known status. If it is old, a probe is sent, for whoever asks next. */
  function status(): RemoteStatus {
    void findFigures();
    return known;
  }

  return {
    status,
    upstream: () => status().upstream,
    /** Probes the subgraph, which also updates its status. Never rejects. */
    findFigures,
    /** Takes the state that a response to an operation tells, if it is known to come from this subgraph. */
    update({ 'x-passerelle-state': told }: Dispatcher.ResponseData['headers']) {
      const { data: state } = SOURCE_STATUS.shape.state.safeParse(told);
      if (state === undefined || !isRight || state === known.state) return;
      known = { state, upstream: known.upstream };
    },
    /** Records that an operation did not reach it. Nobody is reached at a wrong address; that it is wrong says more. */
    markUnreachable() {
      if (isRight) known = { state: 'DOWN', upstream: known.upstream, detail: UNREACHABLE };
    },
    close: () => pool.destroy(),
  };
}

/** A function that looks for something once a second at most: what it finds serves all who ask meanwhile. */
export function oncePerSecond<T>(find: () => T): () => T {
  let latest: { readonly found: T; readonly atMs: number } | null = null;
  return () => {
    const atMs = performance.now();
    if (latest === null || atMs - latest.atMs >= 1_000) latest = { found: find(), atMs };
    return latest.found;
  };
}

/**
 * What the subgraph says of itself at `/readyz`, or why it is DOWN; null if this process was too busy to tell. An endpoint
 * that is new is also tried: `/readyz` is beside it, and would be found without it. Never rejects.
 */
async function examine({ service, url, token }: SubgraphAddress, dispatcher: Dispatcher, isNew: boolean) {
  const { addressVariable } = SERVICE_ENTRIES[service];
  const startedMs = performance.now();
  const options = { dispatcher, signal: AbortSignal.timeout(PROBE_MS), headers: tokenHeader(token) };
  try {
    const answered = await send(new URL('readyz', url), options);
    const report = REPORT.safeParse(parseShallowJson(await answered.body.text())).data;
    if (refusesToken(answered, token)) return REFUSED;
    if (report === undefined)
      return answered.statusCode >= 500 ? UNREACHABLE : `${addressVariable} is not the address of a subgraph`;
    if (report.name !== service)
      return `${addressVariable} is the address of another subgraph: ${report.name ?? 'an unknown one'}`;
    if (!isNew) return report;
    // An endpoint refuses this as such, with 400, and executes nothing.
    const headers = { ...options.headers, 'content-type': 'application/json' };
    const tried = await send(url, { ...options, method: 'POST', headers, body: '{}' });
    await tried.body.dump();
    const isThere = tried.statusCode !== 404 && tried.statusCode !== 405;
    return isThere ? report : `${addressVariable} is not the GraphQL endpoint, which ends with /graphql`;
  } catch (error) {
    if (speaksHttp(error)) return `${addressVariable} begins with https:, but what answers there speaks http`;
    return performance.now() - startedMs > PROBE_MS + BUSY_MS ? null : UNREACHABLE;
  }
}

/** Figures that a version of the program lacks, and all if one is malformed, are unknown. */
const FIGURES = SOURCE_FIGURES.partial().catch({});

/** What a subgraph reports at `/readyz`; a gateway reports several sources. */
const REPORT = z
  .object({
    version: z.optional(z.string().regex(/^[\w.+-]{1,40}$/)).catch(undefined),
    sources: z.tuple([SOURCE_STATUS.extend({ name: z.enum(SERVICES).nullable().catch(null) }).loose()]),
  })
  .transform(({ version, sources: [{ name, state, upstream, detail, ...figures }] }) => {
    // Another version, as in the middle of a rollout, is a detail of any state. The earliest do not say theirs.
    const named = version === undefined ? 'another version' : `version ${version}`;
    const skew = version === VERSION ? '' : `its subgraph has ${named}, this gateway version ${VERSION}`;
    const details = [detail, skew].filter(Boolean).join('; ');
    const status: RemoteStatus = { state, upstream, ...(details !== '' && { detail: details }) };
    // What is missing is left out, not undefined, as the schema's type would allow.
    return { name, status, figures: { ...NO_FIGURES, ...(FIGURES.parse(figures) as Partial<SourceFigures>) } };
  });
