import { request as send } from 'undici';
import type { SourceStatus } from '../../schema/operation.js';
import type { SourceState, UpstreamMode } from '../../schema/services.js';
import { NO_FIGURES, type SourceFigures } from '../../schema/source-figures.js';
import type { Pool } from './http-pool.js';
import { readFigures } from './read-figures.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A source's state; nothing is known of its mode before its subgraph was reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** What is known of the source behind a subgraph in another process: each of its responses says it. */
export interface RemoteState {
  /** The last that was heard; null before the first answer. */
  last(): RemoteStatus | null;
  /** A response arrived: its headers carry the state. */
  heard(headers: Headers): void;
  /** The subgraph could not be reached. */
  lost(): void;
  /** Asks the subgraph now, also for what its process knows of the source beside its state. */
  ask(): Promise<RemoteStatus & SourceFigures>;
}

/** How long readiness waits for a subgraph: a probe that hangs is no answer. */
const PROBE_MS = 1_000;

const STATES: ReadonlySet<unknown> = new Set<SourceState>(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODES: ReadonlySet<unknown> = new Set<UpstreamMode>(['real', 'sandbox', 'off']);

/** Keeps the state of the subgraph that answers GraphQL at `url`. */
export function createRemoteState(url: string, dispatcher: Pool): RemoteState {
  let known: RemoteStatus | null = null;
  const lost = (): RemoteStatus => {
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail: 'its subgraph cannot be reached' };
    return known;
  };
  return {
    last: () => known,
    heard(headers) {
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = headers;
      if (isState(state) && isMode(upstream)) known = { state, upstream };
    },
    lost,
    async ask() {
      const source = await probe(url, dispatcher);
      const status = readStatus(source);
      if (status === null) return { ...lost(), ...NO_FIGURES };
      known = status;
      return { ...status, ...readFigures(source) };
    },
  };
}

/** What the subgraph's `/readyz` says of its source; nothing when it cannot be fetched. */
async function probe(url: string, dispatcher: Pool): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { body } = await send(new URL('readyz', url), { dispatcher, signal: AbortSignal.timeout(PROBE_MS) });
    const answer: unknown = await body.json();
    const [source] = (answer as { sources?: unknown[] } | null)?.sources ?? [];
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
