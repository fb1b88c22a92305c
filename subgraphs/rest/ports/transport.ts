import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliDecompress,
  constants,
  createBrotliDecompress,
  createUnzip,
  unzip,
  type ZlibOptions,
} from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';
import { CodedError, withoutStack } from '../../../kernel/errors.js';
import type { QuotaLeft } from '../../../kernel/trace.js';
import { laterTurn } from '../../../runtime/event-loop/turns.js';
import { speaksHttp } from '../../../runtime/http/tls.js';

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
  /** Whether a body that is cut off is a response all the same (`isCut`), if it is not too large to look through. */
  readonly takesCut?: boolean;
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
  /** Whether its connection was lost in the middle of the body, or nobody read on. */
  readonly isCut?: boolean;
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

/** Bytes of a body that was cut off that are looked through for what is whole. */
const MAX_CUT_BYTES = 4 * 1024 * 1024;

/** Milliseconds allowed for opening a connection. */
const CONNECT_MS = 10_000;
/** Idle connections are closed after this, or sooner if the service announces less. */
const KEEP_ALIVE_MS = 30_000;

/** As a socket gives them, about a megabyte. */
const MANY_CHUNKS = 16;

/** How many connections there may be, and the proxies through which they lead; null for none. */
export interface TransportOptions {
  readonly connections: number;
  readonly proxies?: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string } | null;
}

/**
 * One pool of keep-alive connections over undici. Undici's own timers are switched off, because they are late and watch
 * only idle time (reliability 4); the toolkit's deadlines close the socket through the signal.
 */
export function createUndiciTransport({ connections, proxies = null }: TransportOptions): Transport {
  const settings = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
  };
  const agent = proxies === null ? new Agent(settings) : new EnvHttpProxyAgent({ ...settings, ...proxies });
  return {
    async send(request, signal) {
      const { chunks, ...head } = await exchange(agent, request, signal);
      // Several bodies of dozens of megabytes that end together are copied one after the other.
      if (chunks.length > MANY_CHUNKS) await laterTurn();
      return { ...head, body: await decode(Buffer.concat(chunks), head, request.maxBytes) };
    },
    open: (request, signal) => open(agent, request, signal),
    close: () => agent.destroy(),
  };
}

function dispatchOptions({ method, url, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: body ?? null };
}

/** A response with its body as it arrived. */
type Received = Omit<WireResponse, 'body'> & { readonly chunks: readonly Buffer[] };

/** What the smallest chunk takes in memory: 64 MB that arrive byte by byte would take gigabytes. */
const CHUNK_BYTES = 128;

/** 1xx responses before the real one: one or two are usual, and each takes as long to read. */
const MAX_INTERIM = 100;

/**
 * Reads a response directly from undici's callbacks: a stream object would cost as much as the rest of a small call.
 */
function exchange(agent: Dispatcher, request: WireRequest, signal: AbortSignal): Promise<Received> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let head: { status: number; headers: Record<string, string> } | null = null;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let interim = 0;
    const fail = (failure: TransportFailure) => {
      signal.removeEventListener('abort', abort);
      reject(failure);
      // Undici creates an error of its own for the socket that it closes, and Node formats its stack.
      withoutStack(() => controller?.abort(failure));
    };
    const abort = () => fail(new TransportFailure('aborted', signal.reason));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    agent.dispatch(dispatchOptions(request), {
      onRequestStart(started) {
        // Until here, nothing of the request has left this process; from now on it is written to a connection.
        controller = started;
        // The caller may have left while the request waited for a connection.
        if (signal.aborted) fail(new TransportFailure('aborted', signal.reason));
      },
      onResponseStart(_controller, status, headers) {
        // 1xx responses come before the real one.
        if (status >= 200) head = { status, headers: flatten(headers) };
        else if (++interim > MAX_INTERIM) fail(new TransportFailure('unreadable', new Error('1xx without an end')));
      },
      onResponseData(_controller, chunk) {
        bytes += Math.max(chunk.length, CHUNK_BYTES);
        if (bytes > request.maxBytes) fail(new TransportFailure('too-large'));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        signal.removeEventListener('abort', abort);
        if (head === null) reject(new TransportFailure('unreadable'));
        else resolve({ ...head, chunks });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', abort);
        const isCut = head !== null && request.takesCut === true && bytes <= MAX_CUT_BYTES;
        if (isCut && head !== null) return resolve({ ...head, chunks, isCut });
        reject(asFailure(error, head !== null ? 'cut' : controller !== null ? 'reset' : 'refused'));
      },
    });
  });
}

async function open(agent: Dispatcher, request: WireRequest, signal: AbortSignal): Promise<WireStream> {
  try {
    const { statusCode, headers, body } = await agent.request({ signal, ...dispatchOptions(request) });
    const flat = flatten(headers);
    return { status: statusCode, headers: flat, body: decoded(body, flat['content-encoding'], request.maxBytes) };
  } catch (error) {
    throw signal.aborted ? new TransportFailure('aborted', signal.reason) : asFailure(error, 'reset');
  }
}

/** `kind` says how far the call had got, which is all that a lost connection reveals. */
function asFailure(error: unknown, kind: 'refused' | 'reset' | 'cut'): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const isNoHttp = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  if (isNoHttp) return new TransportFailure('unreadable', error);
  const cause = speaksHttp(error) ? new Error(NO_TLS) : error;
  return new TransportFailure(kind, cause);
}

const NO_TLS = 'the service speaks http there, where its variable says https';

function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** `accept-encoding` of a request. The services compress at their proxies (work-study 2). */
export const ACCEPT_ENCODING = 'gzip, br';

/** How a body is decompressed: as a whole, in a thread, or as it arrives. */
type Coding = typeof ZIP;

/** Tells gzip and deflate apart by their first bytes. */
const ZIP = { whole: promisify<Buffer, ZlibOptions, Buffer>(unzip), stream: (): Transform => createUnzip() };
const BROTLI: Coding = {
  whole: promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress),
  stream: createBrotliDecompress,
};
const CODINGS = new Map([...['gzip', 'x-gzip', 'deflate'].map((name) => [name, ZIP] as const), ['br', BROTLI]]);

/** Codings of one body, one around the other; more than these are no service's. */
const MAX_CODINGS = 2;

/** The codings of a body as they are undone, the last applied first. Throws a TransportFailure for one that is unknown. */
function codingsOf(encoding: string | undefined): Coding[] {
  if (encoding === undefined) return [];
  const names = encoding.toLowerCase().match(/[^\s,]+/g) ?? [];
  const codings = names.filter((name) => name !== 'identity').map((name) => CODINGS.get(name));
  const readable = codings.filter((coding) => coding !== undefined);
  if (readable.length < codings.length || readable.length > MAX_CODINGS)
    throw new TransportFailure('unreadable', new Error('An encoding that was not requested.'));
  return readable.reverse();
}

/** The decompressed body. Fails as `too-large` as soon as it would exceed `maxBytes`. */
async function decode(
  body: Buffer,
  { headers, isCut = false }: Omit<WireResponse, 'body'>,
  maxBytes: number,
): Promise<Buffer> {
  if (body.length === 0) return body;
  let decoded = body;
  const options = { maxOutputLength: maxBytes, ...(isCut && { finishFlush: constants.Z_SYNC_FLUSH }) };
  try {
    for (const coding of codingsOf(headers['content-encoding'])) decoded = await coding.whole(decoded, options);
    return decoded;
  } catch (error) {
    if (error instanceof TransportFailure) throw error;
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new TransportFailure(tooLarge ? 'too-large' : 'unreadable', error);
  }
}

/** Like `decode`, for a body that is read as it arrives. Leaving the iteration destroys the source. */
async function* decoded(source: Readable, encoding: string | undefined, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of unpacked(source, encoding)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TransportFailure('too-large');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof TransportFailure ? error : new TransportFailure('cut', error);
  } finally {
    source.destroy();
  }
}

function unpacked(source: Readable, encoding: string | undefined): AsyncIterable<Uint8Array> {
  // The callback only marks the error as handled: the error ends the iteration too.
  return codingsOf(encoding).reduce<Readable>((packed, { stream }) => pipeline(packed, stream(), () => {}), source);
}

/**
 * From here up, a reset is a time in epoch seconds (volunteering 6, waste-identity 8); below, it is the seconds left
 * (work-study 4.1).
 */
const EPOCH_FROM = 1e9;
/** No service has a window longer than a minute: a reset or wait beyond two windows is absurd, and capped. */
const MAX_WAIT_SECONDS = 120;

type Headers = Readonly<Record<string, string>>;

/** What a response's headers say about the quota; null when one is missing or malformed. */
export function readQuota(headers: Headers): QuotaLeft | null {
  const limit = count(headers['x-ratelimit-limit']);
  const remaining = count(headers['x-ratelimit-remaining']);
  const resetSeconds = readReset(headers);
  return limit === null || remaining === null || resetSeconds === null ? null : { limit, remaining, resetSeconds };
}

/** Too many requests: work-study documents 419 for it (work-study 1). */
const REFUSALS: ReadonlySet<number> = new Set([419, 429]);

/** The same of a response: one that is no refusal and announces a limit of 0 contradicts itself, so that it says nothing. */
export function quotaOf({ status, headers }: WireHead): QuotaLeft | null {
  const quota = readQuota(headers);
  return quota?.limit === 0 && !REFUSALS.has(status) ? null : quota;
}

/**
 * Seconds until the window ends, from `x-ratelimit-reset`; null if unknown. A time is compared with the response's own
 * `Date`, never with our clock, which may be wrong by minutes; without a `Date` it says nothing.
 */
export function readReset(headers: Headers): number | null {
  const reset = number(headers['x-ratelimit-reset']);
  if (reset === null) return null;
  if (reset < EPOCH_FROM) return clamp(reset);
  const dateMs = parseHttpDate(headers['date']);
  return dateMs === null ? null : clamp(reset - dateMs / 1000);
}

/** An HTTP date in milliseconds since 1970; null when it is none. */
function parseHttpDate(text: string | undefined): number | null {
  // Anything else would be read in the zone of this process.
  const ms = text?.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** Seconds to wait from `retry-after`, in seconds or as a date; null when it is missing or malformed. */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers['retry-after'];
  const seconds = number(text);
  if (seconds !== null) return clamp(seconds);
  const untilMs = parseHttpDate(text);
  const dateMs = parseHttpDate(headers['date']);
  return untilMs === null || dateMs === null ? null : clamp((untilMs - dateMs) / 1000);
}

function clamp(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_WAIT_SECONDS);
}

function number(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function count(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}

/** A service or its proxy refused a call because there were too many of them. */
export interface Refusal {
  /** Seconds until its window ends, and until it says to retry; null where it does not say. */
  readonly resetSeconds: number | null;
  readonly retryAfterSeconds: number | null;
}

/** The refusal in a response; null if there is none. A business limit on a write is no call quota (work-study 4.3). */
export function readRefusal(head: WireHead | null, failure: unknown): Refusal | null {
  if (head === null || !REFUSALS.has(head.status)) return null;
  if (failure instanceof CodedError && failure.code === 'BUSINESS_QUOTA') return null;
  return { resetSeconds: readReset(head.headers), retryAfterSeconds: readRetryAfter(head.headers) };
}

/**
 * Whether a response may be cached, as its service says (RFC 9111 5.2.2). For how long is our own policy: no service
 * says.
 */
export interface CacheDirectives {
  /** Not stored at all. */
  readonly noStore: boolean;
  /** Stored, but revalidated each time, so that only its entity tag saves anything. */
  readonly noCache: boolean;
  /** Never served stale. This is a shared cache, so directives for shared caches apply. */
  readonly mustRevalidate: boolean;
}

/** No restrictions on caching, as of a response without `cache-control`. */
export const NO_DIRECTIVES: CacheDirectives = { noStore: false, noCache: false, mustRevalidate: false };

/** Reads `cache-control`. Unknown directives and `max-age` are ignored. */
export function readCacheControl(text: string | undefined): CacheDirectives {
  if (text === undefined) return NO_DIRECTIVES;
  const directives = new Set(text.split(',').map((directive) => directive.split('=', 1)[0]?.trim().toLowerCase()));
  const noCache = directives.has('no-cache');
  return {
    noStore: directives.has('no-store'),
    noCache,
    mustRevalidate: noCache || ['must-revalidate', 'proxy-revalidate', 's-maxage'].some((name) => directives.has(name)),
  };
}
