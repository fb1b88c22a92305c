import { Agent, type Dispatcher, request as send } from 'undici';
import { z } from 'zod';
import type { Log } from '../../kernel/log.js';
import type { SourceStatus } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, type ServiceName, type UpstreamMode } from '../../kernel/services.js';
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';
import { parseShallowJson } from '../../kernel/text.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { tokenHeader } from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { speaksHttp } from '../../runtime/http/tls.js';

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** Figures of a source, as they were at a time of this process. */
export interface Figures {
  readonly figures: SourceFigures;
  readonly atMs: number;
}

/** The state of a source whose subgraph runs in another process. Every response carries it. */
export type RemoteState = ReturnType<typeof createRemoteState>;

/** How to reach a subgraph. */
export interface SubgraphAddress {
  readonly service: ServiceName;
  /** Its GraphQL endpoint. */
  readonly url: string;
  /** Shared with the subgraph. */
  readonly token: Secret;
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
const REFUSED = 'its subgraph refuses the token of the gateway: both need the same SUBGRAPH_TOKEN';

const STATE = z.enum(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODE = z.enum(['real', 'sandbox', 'off']);
const HEADERS = z.object({ 'x-passerelle-state': STATE, 'x-passerelle-upstreams': MODE });

/** What a subgraph reports at `/readyz`, its figures among it; a gateway reports several sources. */
const REPORT = z.object({
  version: z.string().optional(),
  sources: z.tuple([z.looseObject({ name: z.string(), state: STATE, upstream: MODE, detail: z.string().optional() })]),
});

/**
 * Tracks the state of the source behind a subgraph, by its responses and by probes of its `/readyz`, which also show
 * whether it accepts the token and whether it is the right one. What an operator has to mend is logged once.
 */
export function createRemoteState({ service, url, token }: SubgraphAddress, dispatcher: Dispatcher, log: Log) {
  const { addressVariable } = SERVICE_ENTRIES[service];
  let known: RemoteStatus | null = null;
  let figures: Figures | null = null;

  function markDown(detail: string): void {
    if (detail !== UNREACHABLE && known?.detail !== detail) log.error({ service }, detail);
    figures = null;
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail };
  }

  /** Nobody is reached at a wrong address; that it is wrong says more than any response. */
  const isWrongAddress = () => known?.detail?.startsWith(addressVariable) === true;

  /** Why the source is DOWN; null if it is not, or this process was too busy to tell. */
  async function examine(): Promise<string | null> {
    const startedMs = performance.now();
    try {
      const options = { dispatcher, signal: AbortSignal.timeout(PROBE_MS), headers: tokenHeader(token) };
      const { statusCode, body } = await send(new URL('readyz', url), options);
      const { data: report } = REPORT.safeParse(parseShallowJson(await body.text()));
      if (statusCode === 401) return REFUSED;
      if (report === undefined) return statusCode >= 500 ? UNREACHABLE : `${addressVariable} leads to no subgraph`;
      const { name, state, upstream, detail, ...own } = report.sources[0];
      if (name !== service) return `${addressVariable} is the address of another subgraph: ${name}`;
      const skew = `its subgraph has version ${report.version}, this gateway version ${VERSION}`;
      const details = [...(detail === undefined ? [] : [detail]), ...(report.version === VERSION ? [] : [skew])];
      known = { state, upstream, ...(details.length > 0 && { detail: details.join('; ') }) };
      // Whoever has the token is believed.
      figures = { figures: { ...NO_FIGURES, ...own }, atMs: performance.now() };
    } catch (error) {
      if (speaksHttp(error)) return `${addressVariable} begins with https:, but what answers there speaks http`;
      return performance.now() - startedMs > PROBE_MS + BUSY_MS ? null : UNREACHABLE;
    }
    return null;
  }

  return {
    /** The last known status; null before the first response. */
    last: () => known,
    /** Takes the status from the headers of a response. */
    update(headers: Dispatcher.ResponseData['headers']): void {
      const { data } = HEADERS.safeParse(headers);
      if (data === undefined || isWrongAddress()) return;
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = data;
      // It brings no detail; that of the same state still holds.
      if (known?.state !== state || known.upstream !== upstream) known = { state, upstream };
    },
    /** Records that the subgraph could not be reached. */
    markUnreachable(): void {
      if (!isWrongAddress()) markDown(UNREACHABLE);
    },
    /** Records that the subgraph expects another token. */
    markTokenRefused: () => markDown(REFUSED),
    /** Probes the subgraph, which also updates its status. Never rejects. */
    async probe(): Promise<Figures> {
      const why = await examine();
      if (why !== null) markDown(why);
      return figures ?? { figures: NO_FIGURES, atMs: performance.now() };
    },
  };
}
