import { once } from 'node:events';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { HEADER_BYTES } from '../../kernel/bounds.js';
import type { Log } from '../../kernel/log.js';
import { ownValue } from '../../kernel/text.js';

/*
 * What all servers of a process have in common: how long a request may take to arrive, the headers of every response,
 * how connections end, and what clients may leave unread.
 */

/**
 * Milliseconds in which a request must have arrived, its headers first, so that a client that sends a byte now and then
 * cannot hold a connection for longer. Node checks at intervals, so it may take one interval more.
 */
export const ARRIVAL = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: HEADER_BYTES,
} as const;

/** Milliseconds that a request still has to arrive once its server closes. */
export const LAST_ARRIVAL_MS = 1_000;

/** Settings of every server of ours, which has no schemas: fastify then loads no compiler, a fifth of startup time. */
export function serverSettings(log: Log) {
  return {
    requestTimeout: ARRIVAL.requestTimeout,
    // What still arrives while it closes is answered (`releaseConnections`).
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
    logger: false,
    clientErrorHandler: refuseUnreadable(log),
  } as const;
}

function noCompiler(): never {
  throw new Error('No route of this server has a schema.');
}

/**
 * Rejects, as a listener would, for an address of another machine or a port that is taken: a start that will fail fails
 * before it has called anything. Port 0 is always free.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/**
 * Headers of every response unless it sets its own, as pages do: no type sniffing; no document that runs, loads or may
 * be framed; no referrer; and no embedding by pages of other origins.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Sets them on every response of a server, before any handler sees the request. */
export function secureResponses(server: Server): void {
  server.prependListener('request', (_request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  });
}

/** Milliseconds that a connection without a request still has, in which one that was sent arrives. */
const SILENT_MS = 100;

/**
 * Closes connections when the server does. While the process drains, each ends with its response, so that nobody sends
 * a request on one that is about to close. A closing server ends as soon as its requests are answered. Node alone would
 * also wait for idle connections, whether opened ahead of need or kept alive, and for requests that never arrive
 * completely, as a closing server checks none. Needs `boundResponses`, which tracks connections and open responses.
 */
export function releaseConnections(fastify: FastifyInstance, isLeaving: () => boolean): void {
  let closing = false;
  let accepted = 0;
  fastify.server.on('connection', () => {
    accepted += 1;
  });
  // Before the handlers: some refuse a request at once, and its headers are then sent.
  fastify.server.prependListener('request', (_request, response) => {
    if (isLeaving()) response.setHeader('connection', 'close');
    if (closing) endWith(response);
  });
  fastify.addHook('preClose', async () => {
    closing = true;
    await untilAllAccepted(() => accepted);
    for (const response of openResponses(fastify.server)) endWith(response);
    const connections = watched.get(fastify.server) ?? new Map<Socket, Responses>();
    setTimeout(() => {
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }, SILENT_MS).unref();
    setTimeout(() => {
      for (const [socket, open] of connections) if (![...open.keys()].some(({ req }) => req.complete)) socket.destroy();
    }, LAST_ARRIVAL_MS).unref();
  });
}

/**
 * Resolves once no connection waits to be accepted: the system resets those that do when their listener closes. Node
 * accepts one a turn, and a turn may begin after it has looked for them, so two must pass without any.
 */
async function untilAllAccepted(accepted: () => number): Promise<void> {
  const untilMs = performance.now() + LAST_ARRIVAL_MS;
  for (let quiet = 0; quiet < 2 && performance.now() < untilMs; ) {
    const before = accepted();
    await new Promise(setImmediate);
    quiet = accepted() === before ? quiet + 1 : 0;
  }
}

function endWith(response: ServerResponse): void {
  const { socket } = response.req;
  response.on('finish', () => socket.destroySoon());
}

/** Status and message of the response for what Node refuses before there is a request. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `The headers are larger than ${HEADER_BYTES / 1024} kB.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

const UNREADABLE = [400, 'The request cannot be read.'] as const;

/** Responds to bytes that are not a complete request with a coded error, and closes the connection. */
function refuseUnreadable(log: Log): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = ownValue(REFUSALS, error.code ?? '') ?? UNREADABLE;
    log.info({ status, codes: ['BAD_REQUEST'] }, 'request refused');
    if (socket.writable) socket.write(rawResponse(status, message));
    socket.destroy(error);
  };
}

function rawResponse(status: number, message: string): string {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Unread bytes of all responses of a listener: an eighth of the largest heap. */
export const UNREAD_BYTES = Math.floor(getHeapStatistics().heap_size_limit / 8);

/** Requests that one connection may have sent without reading a response. Browsers and proxies send one at a time. */
export const MAX_UNREAD_OF_ONE = 100;

/** Why we closed a connection. */
export type UnreadReason = 'stalled' | 'too much unread' | 'too many unread';

/** Watches what clients leave unread. */
export type UnreadResponses = ReturnType<typeof watchUnread>;

/** The responses of a connection that are not closed yet, with the bytes that `hold` reported. */
type Responses = Map<ServerResponse, number>;

/** The connections of each watched server, those last that held something last. */
const watched = new WeakMap<Server, Map<Socket, Responses>>();

/** The responses of a watched server that are not closed yet. */
export function openResponses(server: Server): ServerResponse[] {
  return [...(watched.get(server)?.values() ?? [])].flatMap((open) => [...open.keys()]);
}

/**
 * Closes the connections of clients that send requests and do not read: Node would hold their responses for ever.
 * Closing a connection closes all its responses, so that work for any of them stops. Clients that read next to nothing
 * are left to the proxy before this process, and to the bound on what all of them hold. `idleMs` are milliseconds for a
 * response to begin, and for a client to read some of it.
 */
export function watchUnread(server: Server, idleMs: number, closed: (reason: UnreadReason) => void) {
  const connections = new Map<Socket, Responses>();
  watched.set(server, connections);

  function close(socket: Socket, reason: UnreadReason): void {
    connections.get(socket)?.forEach((_bytes, response, open) => void open.set(response, 0));
    socket.destroy();
    closed(reason);
  }

  server.prependListener('connection', (socket) => {
    const open: Responses = new Map();
    connections.set(socket, open);
    socket.once('close', () => {
      connections.delete(socket);
      // Later, because Node itself closes the response that is being sent.
      setImmediate(closeAll, open);
    });
  });
  server.prependListener('request', ({ socket }, response) => {
    const open = connections.get(socket);
    if (open === undefined || socket.destroyed) return;
    open.set(response, 0);
    response.once('close', () => open.delete(response));
    if (open.size > MAX_UNREAD_OF_ONE) close(socket, 'too many unread');
  });
  // The same for connections that are kept alive: nobody waits for anything there.
  server.setTimeout(2 * idleMs, (socket) => {
    const open = [...(connections.get(socket)?.keys() ?? [])];
    // A request that is still arriving has a time of its own.
    if (open.some(({ req }) => !req.complete)) return;
    if (open.length > 0) close(socket, 'stalled');
    else socket.destroy();
  });

  return {
    /** Notes that a response of this many bytes is in memory until it is closed. */
    hold(response: ServerResponse, bytes: number): void {
      const { socket } = response.req;
      const open = connections.get(socket);
      if (open?.has(response) !== true) return;
      open.set(response, bytes);
      connections.delete(socket);
      connections.set(socket, open);
      for (let one = firstOfLargest(connections); one !== null; one = firstOfLargest(connections))
        close(one, 'too much unread');
    },
  };
}

/** The first connection of the address whose clients leave most unread; null while all together may. */
function firstOfLargest(connections: ReadonlyMap<Socket, Responses>): Socket | null {
  const byAddress = new Map<string | undefined, { readonly first: Socket; bytes: number }>();
  let holding = 0;
  let all = 0;
  for (const [socket, open] of connections) {
    const bytes = [...open.values()].reduce((sum, held) => sum + held, 0);
    if (bytes === 0) continue;
    const known = byAddress.get(socket.remoteAddress) ?? { first: socket, bytes: 0 };
    known.bytes += bytes;
    byAddress.set(socket.remoteAddress, known);
    holding += 1;
    all += bytes;
  }
  // A single response is bounded where it is made.
  if (all <= UNREAD_BYTES || holding === 1) return null;
  return [...byAddress.values()].reduce((most, one) => (one.bytes > most.bytes ? one : most)).first;
}

/** Node does not close the responses to pipelined requests: they would stay open for ever. */
function closeAll(open: Responses): void {
  for (const response of [...open.keys()]) {
    response.destroy();
    response.emit('close');
  }
}

/** Bytes that stay in memory until a stream has ended. */
const bytesBehind = new WeakMap<Readable, number>();

/** Smaller bodies are not counted: the system takes them at once. */
export const SMALL_BYTES = 64 * 1024;

/**
 * Bounds what clients of a server leave unread: a connection on which nothing moves for twice `idleMs` is closed. Applies
 * to routes added after this call.
 */
export function boundResponses(fastify: FastifyInstance, idleMs: number, log: Log): void {
  const unread = watchUnread(fastify.server, idleMs, (reason) =>
    log.warn({ reason }, 'closed a connection that does not read its responses'),
  );
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isText && payload.length > SMALL_BYTES) unread.hold(reply.raw, payload.length);
    if (payload instanceof Readable) unread.hold(reply.raw, bytesBehind.get(payload) ?? 0);
    done();
  });
}

/** Counts the memory behind a streamed response as unread until the client has read it; returns the stream. */
export function holdBehind<S extends Readable>(stream: S, bytes: number): S {
  bytesBehind.set(stream, bytes);
  return stream;
}
