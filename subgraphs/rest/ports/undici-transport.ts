import { Agent, type Dispatcher, errors } from 'undici';
import { withoutStack } from '../../../schema/errors.js';
import { decode, decoded } from './content-encoding.js';
import { type Transport, TransportFailure, type WireRequest, type WireResponse, type WireStream } from './transport.js';

/** Milliseconds allowed for opening a connection. */
const CONNECT_MS = 10_000;
/** Idle connections are closed after this, or sooner if the service announces less. */
const KEEP_ALIVE_MS = 30_000;

/**
 * One pool of keep-alive connections over undici. Undici's own timers are switched off, because they are late and watch
 * only idle time (reliability 4); the toolkit's deadlines close the socket through the signal.
 */
export function createUndiciTransport(options: { readonly connections: number }): Transport {
  const agent = new Agent({
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
  });
  return {
    async send(request, signal) {
      const { status, headers, body } = await exchange(agent, request, signal);
      return { status, headers, body: await decode(body, headers['content-encoding'], request.maxBytes) };
    },
    open: (request, signal) => open(agent, request, signal),
    close: () => agent.destroy(),
  };
}

function dispatchOptions({ method, url, headers, body }: WireRequest): Dispatcher.DispatchOptions {
  return { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: body ?? null };
}

/**
 * Reads a response directly from undici's callbacks: a stream object would cost as much as the rest of a small call.
 */
function exchange(agent: Agent, request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let head: { status: number; headers: Record<string, string> } | null = null;
    const chunks: Buffer[] = [];
    let bytes = 0;
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
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        if (bytes > request.maxBytes) fail(new TransportFailure('too-large'));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        signal.removeEventListener('abort', abort);
        if (head === null) reject(new TransportFailure('unreadable'));
        else resolve({ body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes), ...head });
      },
      onResponseError(_controller, error) {
        signal.removeEventListener('abort', abort);
        reject(asFailure(error, head !== null ? 'cut' : controller !== null ? 'reset' : 'refused'));
      },
    });
  });
}

async function open(agent: Agent, request: WireRequest, signal: AbortSignal): Promise<WireStream> {
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
  return new TransportFailure(isNoHttp ? 'unreadable' : kind, error);
}

function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
