import { request as send } from 'undici';
import type { SourceStatus } from '../../schema/operation.js';
import type { SourceState, UpstreamMode } from '../../schema/services.js';
import type { Pool } from './http-pool.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What is known of the source behind a subgraph of another process: each of its answers tells. */
export interface RemoteState {
  /** The last that was heard; null before the first answer. */
  last(): SourceStatus | null;
  /** An answer came: its headers tell the state. */
  heard(headers: Headers): void;
  /** The subgraph could not be reached. */
  lost(): void;
  /** Asks the subgraph now. */
  ask(): Promise<SourceStatus>;
}

/** How long readiness waits for a subgraph: a probe that hangs is no answer. */
const PROBE_MS = 1_000;

const STATES: ReadonlySet<unknown> = new Set<SourceState>(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODES: ReadonlySet<unknown> = new Set<UpstreamMode>(['real', 'sandbox', 'off']);

/** Keeps the state of the subgraph that answers GraphQL at `url`. */
export function createRemoteState(url: string, dispatcher: Pool): RemoteState {
  let known: SourceStatus | null = null;
  const lost = (): SourceStatus => {
    known = { state: 'DOWN', upstream: known?.upstream ?? 'off', detail: 'its subgraph cannot be reached' };
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
      try {
        const { body } = await send(new URL('readyz', url), { dispatcher, signal: AbortSignal.timeout(PROBE_MS) });
        known = readStatus(await body.json()) ?? lost();
        return known;
      } catch {
        return lost();
      }
    },
  };
}

function readStatus(body: unknown): SourceStatus | null {
  const [source] = (body as { sources?: unknown[] } | null)?.sources ?? [];
  const { state, upstream, detail } = (source ?? {}) as Record<string, unknown>;
  if (!isState(state) || !isMode(upstream)) return null;
  return { state, upstream, ...(typeof detail === 'string' && { detail }) };
}

function isState(value: unknown): value is SourceState {
  return STATES.has(value);
}

function isMode(value: unknown): value is UpstreamMode {
  return MODES.has(value);
}
