import { request as send } from 'undici';
import type { SourceStatus } from '../../schema/operation.js';
import type { SourceState, UpstreamMode } from '../../schema/services.js';
import { NO_FIGURES, type SourceFigures } from '../../schema/source-figures.js';
import type { Pool } from './http-pool.js';
import { readFigures } from './read-figures.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The status of a source; its mode is unknown until its subgraph was reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** The state of a source whose subgraph runs in another process. Every response carries it. */
export interface RemoteState {
  /** The last known status; null before the first response. */
  last(): RemoteStatus | null;
  /** Takes the status from the headers of a response. */
  update(headers: Headers): void;
  /** Records that the subgraph could not be reached. */
  markUnreachable(): void;
  /** Fetches current status and figures from the subgraph. */
  fetch(): Promise<RemoteStatus & SourceFigures>;
}

/** How long readiness waits for a subgraph before it counts as unreachable. */
const PROBE_MS = 1_000;

const STATES: ReadonlySet<unknown> = new Set<SourceState>(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODES: ReadonlySet<unknown> = new Set<UpstreamMode>(['real', 'sandbox', 'off']);

/** Tracks the state of the source behind the subgraph at `url`. */
export function createRemoteState(url: string, dispatcher: Pool): RemoteState {
  let known: RemoteStatus | null = null;
  const markUnreachable = (): RemoteStatus => {
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail: 'its subgraph cannot be reached' };
    return known;
  };
  return {
    last: () => known,
    update(headers) {
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = headers;
      if (isState(state) && isMode(upstream)) known = { state, upstream };
    },
    markUnreachable,
    async fetch() {
      const source = await probe(url, dispatcher);
      const status = readStatus(source);
      if (status === null) return { ...markUnreachable(), ...NO_FIGURES };
      known = status;
      return { ...status, ...readFigures(source) };
    },
  };
}

/** The source in the subgraph's `/readyz`; empty if it cannot be fetched. */
async function probe(url: string, dispatcher: Pool): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { body } = await send(new URL('readyz', url), { dispatcher, signal: AbortSignal.timeout(PROBE_MS) });
    const response: unknown = await body.json();
    const [source] = (response as { sources?: unknown[] } | null)?.sources ?? [];
    return { ...(source ?? {}) };
  } catch {
    return {};
  }
}

function readStatus({ state, upstream, detail }: Readonly<Record<string, unknown>>): RemoteStatus | null {
  if (!isState(state) || !isMode(upstream)) return null;
  return { state, upstream, ...(typeof detail === 'string' && { detail }) };
}

function isState(value: unknown): value is SourceState {
  return STATES.has(value);
}

function isMode(value: unknown): value is UpstreamMode {
  return MODES.has(value);
}
