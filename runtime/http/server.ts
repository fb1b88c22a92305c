import { once } from 'node:events';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
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

/** For servers whose routes have no schemas: fastify then loads neither of its compilers, a fifth of startup time. */
export const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler },
};

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
  server.prependListener('request', (_request, response) => secureResponse(response));
}

/** Sets them on one response. */
export function secureResponse(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

/** Milliseconds that a connection without a request still has, in which one that was sent arrives. */
const SILENT_MS = 100;

/**
 * Closes connections when the server does. While the process drains, each ends with its response, so that nobody sends
 * a request on one that is about to close. A closing server ends as soon as its requests are answered. Node alone would
 * also wait for idle connections, whether opened ahead of need or kept alive, and for requests that never arrive
 * completely, as a closing server checks none. Needs `boundResponses`, which tracks the open responses.
 */
export function releaseConnections(fastify: FastifyInstance, isLeaving: () => boolean): void {
  const connections = new Set<Socket>();
  const silent = new Set<Socket>();
  let closing = false;
  let accepted = 0;
  fastify.server.on('connection', (socket) => {
    accepted += 1;
    connections.add(socket);
    silent.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      silent.delete(socket);
    });
  });
  // Before the handlers: some refuse a request at once, and its headers are then sent.
  fastify.server.prependListener('request', ({ socket }, response) => {
    silent.delete(socket);
    if (isLeaving()) response.setHeader('connection', 'close');
    if (closing) endWith(response);
  });
  fastify.addHook('preClose', async () => {
    closing = true;
    await untilAllAccepted(() => accepted);
    for (const response of openResponses(fastify.server)) endWith(response);
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, SILENT_MS).unref();
    setTimeout(() => {
      const arrived = openResponses(fastify.server).filter(({ req }) => req.complete);
      const answered = new Set(arrived.map(({ req }) => req.socket));
      for (const socket of connections) if (!answered.has(socket)) socket.destroy();
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
export function refuseUnreadable(log: Log): (error: NodeJS.ErrnoException, socket: Socket) => void {
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

/**
 * Unread bytes of all responses of a listener: an eighth of the largest heap. Beyond that, the connections whose
 * clients have gone longest without reading are closed.
 */
export const UNREAD_BYTES = Math.floor(getHeapStatistics().heap_size_limit / 8);

/** Unread bytes of several responses on one connection. A single response is bounded where it is made. */
export const UNREAD_BYTES_OF_ONE = 32 * 1024 * 1024;

/** Requests that one connection may have sent without reading a response. Browsers and proxies send one at a time. */
export const MAX_UNREAD_OF_ONE = 100;

/** A client with unread responses that reads fewer bytes a second on average is disconnected. */
const SLOWEST_BYTES_PER_SECOND = 8 * 1024;

const MAX_BETWEEN_LOOKS_MS = 1_000;

/** Why we closed a connection. */
export type UnreadReason = 'stalled' | 'slow' | 'too much unread' | 'too many unread';

/** How long clients may leave a response unread, and who is notified of connections closed for it. */
interface UnreadOptions {
  /** Milliseconds within which a client must read some of a waiting response. */
  readonly idleMs: number;
  closed(reason: UnreadReason): void;
}

/** Watches what clients leave unread. */
export interface UnreadResponses {
  /** Notes that a response of this many bytes is in memory until it is closed. */
  hold(response: ServerResponse, bytes: number): void;
}

/** A response that is not closed yet. */
interface OpenResponse {
  readonly response: ServerResponse;
  /** Bytes that `hold` reported. */
  bytes: number;
}

/** State of a connection on which requests were sent. */
interface Connection {
  /** Seldom more than one. */
  readonly open: OpenResponse[];
  /** Bytes that the system had taken at the last look. */
  taken: number;
  /** When something was last taken, or nothing was waiting. */
  movedAt: number;
  /** Since when something has been waiting, and how much had been taken by then; null if nothing is. */
  waiting: { readonly since: number; readonly taken: number } | null;
}

/** The connections of each watched server. */
const watched = new WeakMap<Server, ReadonlyMap<Socket, Connection>>();

/** The responses of a watched server that are not closed yet. */
export function openResponses(server: Server): ServerResponse[] {
  return [...(watched.get(server)?.values() ?? [])].flatMap(({ open }) => open.map(({ response }) => response));
}

/**
 * Closes the connections of clients that send requests and do not read: Node would hold their responses for ever.
 * Closing a connection closes all its responses, so that work for any of them stops.
 */
export function watchUnread(server: Server, { idleMs, closed }: UnreadOptions): UnreadResponses {
  const connections = new Map<Socket, Connection>();
  watched.set(server, connections);
  let heldBytes = 0;

  function close(socket: Socket, reason: UnreadReason): void {
    for (const opened of connections.get(socket)?.open ?? []) hold(opened, 0);
    connections.delete(socket);
    socket.destroy();
    closed(reason);
  }

  function hold(opened: OpenResponse, bytes: number): void {
    heldBytes += bytes - opened.bytes;
    opened.bytes = bytes;
  }

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { open: [], taken: 0, movedAt: performance.now(), waiting: null };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      // Later, because Node itself closes the response that is being sent.
      setImmediate(closeWhatIsOpen, connection);
    });
    return connection;
  }

  server.prependListener('request', ({ socket }, response) => {
    const { open } = connectionOf(socket);
    const opened = { response, bytes: 0 };
    open.push(opened);
    response.on('close', () => {
      hold(opened, 0);
      // Responses close in order, and usually there is only one.
      if (open[0] === opened) open.shift();
      else remove(open, opened);
    });
    if (open.length > MAX_UNREAD_OF_ONE) close(socket, 'too many unread');
  });

  const timer = setInterval(
    () => {
      for (const [socket, connection] of connections) {
        const reason = look(socket, connection, idleMs);
        if (reason !== null) close(socket, reason);
      }
    },
    Math.min(MAX_BETWEEN_LOOKS_MS, idleMs / 4),
  );
  timer.unref();
  server.once('close', () => clearInterval(timer));

  return {
    hold(response, bytes) {
      const { socket } = response.req;
      const connection = connections.get(socket);
      const opened = connection?.open.find((one) => one.response === response);
      if (connection === undefined || opened === undefined) return;
      hold(opened, bytes);
      if (connection.open.length > 1 && heldOn(connection) > UNREAD_BYTES_OF_ONE) close(socket, 'too much unread');
      while (heldBytes > UNREAD_BYTES) {
        const holding = [...connections].filter(([, one]) => heldOn(one) > 0);
        const [longest] = holding.sort(([, one], [, other]) => one.movedAt - other.movedAt);
        // A single response is bounded where it is made.
        if (longest === undefined || holding.length === 1) return;
        close(longest[0], 'too much unread');
      }
    },
  };
}

/** Updates what has been taken; returns the reason to close the connection, or null. */
function look(socket: Socket, connection: Connection, idleMs: number): UnreadReason | null {
  const now = performance.now();
  const taken = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength === 0) connection.waiting = null;
  else connection.waiting ??= { since: now, taken };
  if (connection.waiting === null || taken !== connection.taken) connection.movedAt = now;
  connection.taken = taken;
  if (connection.waiting === null) return null;
  if (now - connection.movedAt > idleMs) return 'stalled';
  const waitedMs = now - connection.waiting.since;
  const isSlow = (taken - connection.waiting.taken) * 1_000 < SLOWEST_BYTES_PER_SECOND * waitedMs;
  return waitedMs > 2 * idleMs && isSlow ? 'slow' : null;
}

function heldOn({ open }: Connection): number {
  return open.reduce((sum, { bytes }) => sum + bytes, 0);
}

function remove(open: OpenResponse[], closed: OpenResponse): void {
  const at = open.indexOf(closed);
  if (at >= 0) open.splice(at, 1);
}

/** Node does not close the responses to pipelined requests: they would stay open for ever. */
function closeWhatIsOpen({ open }: Connection): void {
  for (const { response } of [...open]) {
    response.destroy();
    response.emit('close');
  }
}

/** Bytes that stay in memory until a stream has ended. */
const bytesBehind = new WeakMap<Readable, number>();

/** Bytes written at a time, and so the precision to which a client's reading is known. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Bounds what clients of a server leave unread: large responses are written in pieces, and a client that reads nothing
 * for `idleMs` is disconnected. Applies to routes added after this call.
 */
export function boundResponses(fastify: FastifyInstance, idleMs: number, log: Log): void {
  const unread = watchUnread(fastify.server, {
    idleMs,
    closed: (reason) => log.warn({ reason }, 'closed a connection that does not read its responses'),
  });
  fastify.addHook('onSend', async (_request, reply, payload) => {
    if (payload instanceof Readable) unread.hold(reply.raw, bytesBehind.get(payload) ?? 0);
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length <= PIECE_BYTES) return payload;
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    unread.hold(reply.raw, body.length);
    reply.header('content-length', body.length);
    return Readable.from(piecesOf(body), { objectMode: false, highWaterMark: PIECE_BYTES });
  });
}

/** Counts the memory behind a streamed response as unread until the client has read it; returns the stream. */
export function holdBehind<S extends Readable>(stream: S, bytes: number): S {
  bytesBehind.set(stream, bytes);
  return stream;
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
}
