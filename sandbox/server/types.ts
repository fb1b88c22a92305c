/** How a service behaves: as it runs today, or as its seed document describes it. */
export type Era = 'today' | 'seed';

/** One request that a service of the sandbox received. */
export interface SandboxCall {
  readonly method: string;
  /** Path and query exactly as received. */
  readonly url: string;
  /** Name of the key that was sent (`operator`, `alice`, …), `none` without one, `unknown` for an unknown key. */
  readonly key: string;
  /** Names, in lower case, of the request's headers that carry credentials. Never their values. */
  readonly credentialHeaders: readonly string[];
  /** The trace that the call is part of (`traceparent`); null if it names none. */
  readonly traceparent: string | null;
  /** What came with it (`tracestate`). */
  readonly tracestate: string | null;
  /** When it arrived, on the service's clock (milliseconds since 1970). */
  readonly at: number;
  /** The request body: parsed JSON or form, or text; null if there was none, or if the service did not accept it. */
  body: unknown;
  /** Status of the response; null while the call is open or if it was cut. */
  status: number | null;
  /** Whether the client closed the connection before the reply was complete. */
  aborted: boolean;
  /** Whether the service has no such route. */
  unknownPath: boolean;
}

/** All faults with their descriptions, as `GET /__sandbox/faults` returns them. */
export const FAULT_KINDS = {
  latency: 'responds `ms` milliseconds later',
  headers: 'sets the `headers` of the response; null removes one',
  'wrong-type': 'sets values in the JSON body by JSON pointer, such as {"/jobs/0/offer": 7}',
  status: 'responds with `status` (503) and the body of the service for it',
  'key-database': 'refuses the key, as work-study does every key while its database of keys fails',
  'rate-limit': 'responds as if the quota were spent',
  'proxy-rate-limit': 'responds like the rate limiter of its proxy: a page without a reset time',
  html: 'responds with the error page of a proxy and `status` (502)',
  'html-404': 'responds with the 404 page of a proxy',
  'json-404': 'responds with the 404 of an API gateway, in JSON: `{"message":"no Route matched with those values"}`',
  redirect: 'redirects to `headers.location` with `status` (302)',
  silent: 'accepts the call and never responds',
  drop: 'closes the connection before responding',
  reset: 'resets the connection before responding',
  'idle-close': 'resets a reused connection as soon as the next call arrives on it',
  cut: 'closes the connection in the middle of the body',
  'reset-mid-body': 'resets the connection in the middle of the body',
  'wrong-length': 'announces `bytes` (10) more than it sends; fewer if negative',
  'slow-close': 'ends the body by closing the connection, `ms` (10) after the last byte',
  drip: 'sends `bytes` (1) of the body at a time and waits `ms` (10) after each',
  'big-body': 'sends a body of `bytes` (80 MiB)',
  'gzip-bomb': 'sends a few bytes that decompress to `bytes` (80 MiB)',
} as const;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Whether a value is the name of a fault. */
export function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === 'string' && Object.hasOwn(FAULT_KINDS, kind);
}

/** A fault for matching calls. */
export interface Fault {
  /**
   * `latency`, `headers` and `wrong-type` combine; of the other kinds only the first match applies, so several faults
   * with `times: 1` form a sequence.
   */
  readonly kind: FaultKind;
  /** Prefix of the path; all calls by default. */
  readonly path?: string;
  readonly method?: string;
  /** Name of the key's holder, as in calls; all calls by default. */
  readonly key?: string;
  /** Number of calls until the fault ends; unlimited by default. */
  readonly times?: number;
  /** Milliseconds, for `latency`, `slow-close` and, between two pieces, `drip`. */
  readonly ms?: number;
  /** For `latency`: the reply waits until this has settled, so that a test need not guess a time. */
  readonly until?: Promise<unknown>;
  /** For `status` (503 if omitted), `html` (502) and `redirect` (302). */
  readonly status?: number;
  /** For `headers`: set on the reply (null removes one). For `redirect`: `location`. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** For `wrong-type`: changes the parsed JSON body in place before it is sent, or returns another. */
  readonly change?: (body: unknown) => unknown;
  /** For `wrong-type`, where a function cannot be sent: values by JSON pointer, such as `{"/jobs/0/offer": 7}`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /**
   * For `big-body` and `gzip-bomb`: bytes of the body before compression, 80 MiB if omitted. For `drip`: bytes per
   * piece (1). For `wrong-length`: how many more bytes are announced than sent (10).
   */
  readonly bytes?: number;
}

/** One running service of the sandbox. */
export interface SandboxService {
  /** Base address, as clients are configured with it. */
  readonly url: string;
  /** Only scheme, host and port. */
  readonly origin: string;
  /** Every call since the last `clearCalls`, in the order of arrival. */
  readonly calls: readonly SandboxCall[];
  /** The calls as sorted lines `GET /path?query key`, which scenarios compare. */
  callLines(): string[];
  clearCalls(): void;
  /** Lines of the calls since the last `clearCalls` that matched no route: tests assert that there are none. */
  readonly unknownPaths: readonly string[];
  /** Adds a fault; the returned function ends it. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  era: Era;
  /** The service's clock, in milliseconds since 1970. */
  now(): number;
  /** Moves the service's clock forward: quota windows, codes and links age. */
  advance(ms: number): void;
  /** Resets quota windows, calls, faults and everything that clients wrote, but not era and clock. */
  reset(): void;
  /** Resolves once the service has seen a matching call, immediately if it already has. Never polls. */
  seen(match: (call: SandboxCall) => boolean): Promise<SandboxCall>;
  /** Closes the listener and every connection: further calls are refused until `startListening`. */
  stopListening(): Promise<void>;
  /** Listens again, on the same port. */
  startListening(): Promise<void>;
  close(): Promise<void>;
}
