import { type Dispatcher, request as send } from 'undici';
import type { SourceStatus } from '../../kernel/operation.js';
import type { SourceState, UpstreamMode } from '../../kernel/services.js';
import { NO_FIGURES, type SourceFigures } from '../../kernel/source-figures.js';
import { refusesToken, tokenHeader } from '../../runtime/credentials/credential-headers.js';
import type { Secret } from '../../runtime/credentials/secret.js';

/** The connection pool that all subgraphs over HTTP share. */
export type Pool = Dispatcher;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

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
  /** Fetches current status and figures from the subgraph. */
  fetch(): Promise<RemoteStatus & SourceFigures>;
}

/**
 * How long readiness waits for a subgraph before it counts as unreachable: less than the second that balancers wait for
 * readiness, or one subgraph that hangs would take every gateway out of service.
 */
export const PROBE_MS = 700;

const UNREACHABLE = 'its subgraph cannot be reached';
const REFUSED = 'its subgraph refuses the token of the gateway';

const STATES: ReadonlySet<unknown> = new Set<SourceState>(['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF']);
const MODES: ReadonlySet<unknown> = new Set<UpstreamMode>(['real', 'sandbox', 'off']);

/**
 * Tracks the state of the source behind the subgraph at `url`. Its `/readyz` shows whether it accepts the token;
 * `tokenRefused` is called when it turns out that it does not.
 */
export function createRemoteState(
  url: string,
  dispatcher: Pool,
  token: Secret | null,
  tokenRefused: () => void = () => {},
): RemoteState {
  let known: RemoteStatus | null = null;
  const markDown = (detail: string): RemoteStatus => {
    if (detail === REFUSED && known?.detail !== REFUSED) tokenRefused();
    known = { state: 'DOWN', upstream: known?.upstream ?? 'unknown', detail };
    return known;
  };
  return {
    last: () => known,
    update(headers) {
      const { 'x-passerelle-state': state, 'x-passerelle-upstreams': upstream } = headers;
      if (isState(state) && isMode(upstream)) known = { state, upstream };
    },
    markUnreachable: () => void markDown(UNREACHABLE),
    markTokenRefused: () => void markDown(REFUSED),
    async fetch() {
      const found = await probe(url, dispatcher, token);
      if (typeof found === 'string') return { ...markDown(found), ...NO_FIGURES };
      known = found.status;
      return { ...found.status, ...found.figures };
    },
  };
}

interface Found {
  readonly status: RemoteStatus;
  readonly figures: SourceFigures;
}

/** The state of the source according to the subgraph's `/readyz`, or why it is DOWN. */
async function probe(url: string, dispatcher: Pool, token: Secret | null): Promise<Found | string> {
  try {
    const answered = await send(new URL('readyz', url), {
      dispatcher,
      headers: tokenHeader(token),
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const response: unknown = await answered.body.json();
    if (refusesToken(answered, token)) return REFUSED;
    const [reported] = (response as { sources?: unknown[] } | null)?.sources ?? [];
    const source = { ...(reported ?? {}) };
    const status = readStatus(source);
    return status === null ? UNREACHABLE : { status, figures: readFigures(source) };
  } catch {
    return UNREACHABLE;
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
