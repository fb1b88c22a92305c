/** The wire, as the toolkit sees it. The simulation brings one without sockets. */
export interface Transport {
  /**
   * Sends one request and reads its response whole, decompressed. Redirects are responses like any other.
   * Rejects with a TransportFailure. When the signal aborts it rejects at once and closes the socket.
   */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** The same, but the body is handed on as it arrives. Leaving the iteration closes the socket. */
  open(request: WireRequest, signal: AbortSignal): Promise<WireStream>;
  /** Closes all sockets; what is in flight fails. */
  close(): Promise<void>;
}

/** A request with its key in the headers: it must not reach a log. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the body, before and after decompression, at which the response is broken off. */
  readonly maxBytes: number;
}

/** What came before the body. */
export interface WireHead {
  readonly status: number;
  /** By name in lower case; a header that came several times is joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response read whole, decompressed. */
export interface WireResponse extends WireHead {
  readonly body: Buffer;
}

/** A response whose body is read as it arrives, decompressed. */
export interface WireStream extends WireHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * How a call failed below HTTP: `refused` before anything was sent, `reset` before the response started, `cut` in the
 * middle of it, `too-large`, `unreadable` (not HTTP, or a broken compression), `aborted` by ourselves.
 */
export type TransportFailureKind = 'refused' | 'reset' | 'cut' | 'too-large' | 'unreadable' | 'aborted';

/** A call that got no whole HTTP response. Its message names no address. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;

  constructor(kind: TransportFailureKind, cause?: unknown) {
    // Kind and cause say all there is to know, and Node writes out the stack of whatever destroys a socket.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`The call failed below HTTP: ${kind}.`, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'TransportFailure';
    this.kind = kind;
  }
}
