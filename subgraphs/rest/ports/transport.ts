/** The wire, as the toolkit sees it. The simulation has one without sockets. */
export interface Transport {
  /**
   * Sends one request, and reads and decompresses its whole response. Redirects are responses like any other.
   * Rejects with a TransportFailure. When the signal aborts, rejects at once and closes the socket.
   */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** The same, but the body is passed on as it arrives. Leaving the iteration closes the socket. */
  open(request: WireRequest, signal: AbortSignal): Promise<WireStream>;
  /** Closes all sockets; requests in flight fail. */
  close(): Promise<void>;
}

/** A request, whose headers contain its key: it must never reach a log. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Most bytes of the body, before and after decompression; a longer response is aborted. */
  readonly maxBytes: number;
}

/** The part of a response before its body. */
export interface WireHead {
  readonly status: number;
  /** By name in lower case; values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A response with its whole body, decompressed. */
export interface WireResponse extends WireHead {
  readonly body: Buffer;
}

/** A response whose body is read as it arrives, decompressed. */
export interface WireStream extends WireHead {
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * How a call failed below HTTP: `refused` before anything was sent, `reset` before the response started, `cut` in the
 * middle of it, `too-large`, `unreadable` (not HTTP, or corrupt compression), `aborted` by ourselves.
 */
export type TransportFailureKind = 'refused' | 'reset' | 'cut' | 'too-large' | 'unreadable' | 'aborted';

/** A call without a complete HTTP response. The message names no address. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;

  constructor(kind: TransportFailureKind, cause?: unknown) {
    // Kind and cause say everything, and Node formats the stack of any error that destroys a socket.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`The call failed below HTTP: ${kind}.`, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'TransportFailure';
    this.kind = kind;
  }
}
