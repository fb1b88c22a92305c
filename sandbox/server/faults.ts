import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Payload } from './call.js';
import { sendProxyPage } from './proxy.js';
import type { Fault } from './types.js';

/** Kinds that modify a reply instead of replacing it; they combine. */
const MODIFIERS: ReadonlySet<Fault['kind']> = new Set(['latency', 'headers', 'wrong-type']);

const BIG_BODY_BYTES = 80 * 1024 * 1024;

/** The faults of one call. */
export interface FaultsOfCall {
  /** The first fault that is not a modifier. */
  readonly main: Fault | undefined;
  readonly modifiers: readonly Fault[];
}

/** The active faults of a service. */
export interface FaultList {
  add(fault: Fault): () => void;
  clear(): void;
  /** The faults that apply to a call; each counts as used once. */
  take(call: FaultyCall): FaultsOfCall;
}

/** Properties of a call that a fault may depend on. */
export interface FaultyCall {
  readonly method: string;
  readonly path: string;
  /** Name of the holder of its key. */
  readonly key: string;
  /** Whether its connection has carried a call before. */
  readonly reused: boolean;
}

/** Most calls have none. */
const NO_FAULTS: FaultsOfCall = { main: undefined, modifiers: [] };

/** Creates an empty list of faults. */
export function createFaultList(): FaultList {
  const active = new Map<symbol, { fault: Fault; left: number }>();
  return {
    add(fault) {
      const id = Symbol(fault.kind);
      active.set(id, { fault, left: fault.times ?? Number.POSITIVE_INFINITY });
      return () => active.delete(id);
    },
    clear: () => active.clear(),
    take(call) {
      if (active.size === 0) return NO_FAULTS;
      let main: Fault | undefined;
      const modifiers: Fault[] = [];
      for (const [id, entry] of active) {
        const { fault } = entry;
        if (!meets(fault, call)) continue;
        if (MODIFIERS.has(fault.kind)) modifiers.push(fault);
        else if (main === undefined) main = fault;
        else continue;
        entry.left -= 1;
        if (entry.left <= 0) active.delete(id);
      }
      return { main, modifiers };
    },
  };
}

function meets({ kind, method, path, key }: Fault, call: FaultyCall): boolean {
  if (method !== undefined && method !== call.method) return false;
  if (key !== undefined && key !== call.key) return false;
  if (path !== undefined && !call.path.toLowerCase().startsWith(path.toLowerCase())) return false;
  return kind !== 'idle-close' || call.reused;
}

/** Resolves after the latency faults of a call, or once the client disconnects; undefined without any. */
export function latencyOf({ modifiers }: FaultsOfCall, response: ServerResponse): Promise<unknown> | undefined {
  const latencies = modifiers.filter(({ kind }) => kind === 'latency');
  if (latencies.length === 0) return undefined;
  const ms = latencies.reduce((sum, fault) => sum + (fault.ms ?? 0), 0);
  return pause(ms, response).then(() => Promise.allSettled(latencies.map(({ until }) => until)));
}

/** Leaves a call without a reply, if the fault says so; returns whether it did. */
export function breakOff(fault: Fault, reply: FastifyReply): boolean {
  switch (fault.kind) {
    case 'silent':
      reply.hijack();
      return true;
    case 'drop':
      reply.hijack().raw.socket?.destroy();
      return true;
    case 'reset':
    case 'idle-close':
      reply.hijack().raw.socket?.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

/** Whether the fault closes the connection, so that its end says nothing about the client. */
export function closesConnection(fault: Fault | undefined): boolean {
  return fault !== undefined && CLOSING.has(fault.kind);
}

const CLOSING: ReadonlySet<Fault['kind']> = new Set([
  ...(['drop', 'reset', 'idle-close'] as const),
  ...(['cut', 'reset-mid-body', 'wrong-length'] as const),
]);

/** Sends error replies in the form of one service. */
export interface Dialect {
  /** The service's own error body of a status. */
  readonly failure: (status: number, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** The service's own 429. */
  readonly rateLimited: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

/** Replies in place of the service, if the fault says so; returns whether it did. */
export function replyInstead(fault: Fault, request: FastifyRequest, reply: FastifyReply, dialect: Dialect): boolean {
  switch (fault.kind) {
    case 'status':
      dialect.failure(fault.status ?? 503, request, reply);
      return true;
    case 'key-database':
      dialect.failure(401, request, reply);
      return true;
    case 'rate-limit':
      dialect.rateLimited(request, reply);
      return true;
    case 'proxy-rate-limit':
      // The proxy's own refusal: no JSON, no x-ratelimit-*, no retry-after (work-study 4.2).
      sendProxyPage(reply, 429, 'Too Many Requests');
      return true;
    case 'html':
      sendProxyPage(reply, fault.status ?? 502, 'Bad Gateway');
      return true;
    case 'html-404':
      sendProxyPage(reply, 404, 'Not Found');
      return true;
    case 'json-404':
      reply.code(404).type(JSON_TYPE).send({ message: 'no Route matched with those values' });
      return true;
    case 'redirect':
      reply
        .code(fault.status ?? 302)
        .header('location', fault.headers?.['location'] ?? '/elsewhere')
        .send();
      return true;
    case 'big-body':
      reply.type(JSON_TYPE).send(Readable.from(blanks(fault.bytes ?? BIG_BODY_BYTES), { objectMode: false }));
      return true;
    case 'gzip-bomb':
      reply
        .type(JSON_TYPE)
        .header('content-encoding', 'gzip')
        .send(bomb(fault.bytes ?? BIG_BODY_BYTES));
      return true;
    default:
      return false;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether the reply comes from the service itself, with its usual headers, rather than from a proxy in front of it. */
export function isFromService(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case 'proxy-rate-limit':
    case 'html':
    case 'html-404':
    case 'json-404':
    case 'redirect':
      return false;
    default:
      return true;
  }
}

/** Whether the reply's size is the fault: it is sent as it is. */
export function isOfSize(fault: Fault | undefined): boolean {
  return fault?.kind === 'big-body' || fault?.kind === 'gzip-bomb';
}

/** Applies the `headers` and `wrong-type` faults to a reply; returns its body. */
export async function modifyReply(
  reply: FastifyReply,
  payload: Payload,
  modifiers: readonly Fault[],
): Promise<Payload> {
  let modified = payload;
  for (const fault of modifiers) {
    if (fault.kind === 'headers') changeHeaders(reply, fault.headers);
    if (fault.kind === 'wrong-type') modified = changedBody((await wholeBody(modified)).toString(), fault);
  }
  return modified;
}

async function wholeBody(payload: Payload): Promise<Buffer> {
  if (payload instanceof Readable) return buffer(payload);
  return typeof payload === 'string' ? Buffer.from(payload) : (payload ?? Buffer.alloc(0));
}

function changeHeaders(reply: FastifyReply, change: Fault['headers']): void {
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value === null) reply.removeHeader(name);
    else reply.header(name, value);
  }
}

function changedBody(text: string, fault: Fault): string {
  const body: unknown = JSON.parse(text);
  const changed = fault.change?.(body) ?? body;
  for (const [pointer, value] of Object.entries(fault.set ?? {})) setByPointer(changed, pointer, value);
  return JSON.stringify(changed);
}

/** Sets the value at a JSON pointer, if its parent exists. */
function setByPointer(body: unknown, pointer: string, value: unknown): void {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop();
  let parent: unknown = body;
  for (const name of names) parent = isContainer(parent) ? parent[name] : undefined;
  if (last !== undefined && isContainer(parent)) parent[last] = value;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A JSON string of at least this many bytes, generated while it is sent. */
function* blanks(bytes: number): Iterable<string> {
  const piece = ' '.repeat(64 * 1024);
  yield '"';
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
  yield '"';
}

/**
 * The same, compressed. Concatenated gzip members are one file, so each piece is compressed only once.
 */
function bomb(bytes: number): Uint8Array {
  const piece = gzipSync(' '.repeat(1024 * 1024));
  const quote = gzipSync('"');
  const pieces = Array.from({ length: Math.ceil(bytes / (1024 * 1024)) }, () => piece);
  return Buffer.concat([quote, ...pieces, quote]);
}

/** Sends a reply with a fault of the transport, if the fault is one; undefined otherwise. */
export function sendFaulty(reply: FastifyReply, payload: Payload, fault: Fault): Promise<void> | undefined {
  switch (fault.kind) {
    case 'cut':
      return sendHalf(reply, payload, ({ socket }) => socket?.destroy());
    case 'reset-mid-body':
      return sendHalf(reply, payload, async ({ socket }) => {
        // If the reset arrives together with the bytes, it looks to the client like an ordinary end: let it read first.
        await sleep(20);
        socket?.resetAndDestroy();
      });
    case 'wrong-length':
      return sendWrongLength(reply, payload, fault);
    case 'slow-close':
      return sendUntilClose(reply, payload, fault);
    case 'drip':
      return sendDrip(reply, payload, fault);
    default:
      return undefined;
  }
}

/** Takes the reply from fastify and writes its head, with more headers, to the raw response. */
function openRaw(reply: FastifyReply, headers: Readonly<Record<string, string>> = {}): ServerResponse {
  const { raw } = reply.removeHeader('content-length').headers(headers).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  return raw.writeHead(reply.statusCode);
}

/** Sends half of the body without a length, then ends the connection. */
async function sendHalf(
  reply: FastifyReply,
  payload: Payload,
  end: (response: ServerResponse) => unknown,
): Promise<void> {
  const bytes = await wholeBody(payload);
  const response = openRaw(reply);
  await write(response, bytes.subarray(0, Math.max(1, bytes.length >> 1)));
  await end(response);
}

/** Sends the whole body with a wrong length. If too much was announced, the connection is closed. */
async function sendWrongLength(reply: FastifyReply, payload: Payload, { bytes: more = 10 }: Fault): Promise<void> {
  const bytes = await wholeBody(payload);
  const announced = Math.max(0, bytes.length + more);
  const response = openRaw(reply, { 'content-length': String(announced) });
  await write(response, bytes);
  if (more > 0) response.socket?.destroy();
  else response.end();
}

/** Sends the whole body without a length, and closes the connection after a pause. */
async function sendUntilClose(reply: FastifyReply, payload: Payload, { ms = 10 }: Fault): Promise<void> {
  const bytes = await wholeBody(payload);
  reply.raw.removeHeader('transfer-encoding');
  const response = openRaw(reply, { connection: 'close' });
  await write(response, bytes);
  await pause(ms, response);
  response.end();
}

async function sendDrip(reply: FastifyReply, payload: Payload, { bytes: step = 1, ms = 10 }: Fault): Promise<void> {
  const bytes = await wholeBody(payload);
  const response = openRaw(reply, { 'content-length': String(bytes.length) });
  for (let sent = 0; sent < bytes.length && !response.destroyed; sent += step) {
    response.write(bytes.subarray(sent, sent + step));
    await pause(ms, response);
  }
  response.end();
}

/** Resolves after this time, or as soon as the client disconnects. */
async function pause(ms: number, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  response.once('close', leave);
  await sleep(ms, undefined, { signal: left.signal }).catch(() => undefined);
  response.off('close', leave);
}

/** Writes the bytes and waits until they have been sent. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
