import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { jsonReply, proxyPage, type Reply } from './reply.js';
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

/** Error replies in the form of one service. */
export interface Dialect {
  /** The service's own error body of a status. */
  failure(status: number): Reply;
  /** The service's own 429. */
  rateLimited(): Reply;
}

/** The reply with which a fault replaces the real one; undefined if the route itself replies. */
export function faultReply(fault: Fault, dialect: Dialect): Reply | undefined {
  switch (fault.kind) {
    case 'status':
      return dialect.failure(fault.status ?? 503);
    case 'rate-limit':
      return dialect.rateLimited();
    case 'proxy-rate-limit':
      // The proxy's own refusal: no JSON, no x-ratelimit-*, no retry-after (work-study 4.2).
      return proxyPage(429, 'Too Many Requests');
    case 'html':
      return proxyPage(fault.status ?? 502, 'Bad Gateway');
    case 'html-404':
      return proxyPage(404, 'Not Found');
    case 'redirect':
      return {
        status: fault.status ?? 302,
        headers: { location: fault.headers?.['location'] ?? '/elsewhere' },
        body: '',
      };
    case 'big-body':
      return { ...jsonReply(200, ''), body: blanks(fault.bytes ?? BIG_BODY_BYTES), compress: false };
    case 'gzip-bomb':
      return {
        ...jsonReply(200, '', { 'content-encoding': 'gzip' }),
        body: bomb(fault.bytes ?? BIG_BODY_BYTES),
        compress: false,
      };
    default:
      return undefined;
  }
}

/** Whether the reply comes from the service itself, with its usual headers, rather than from a proxy in front of it. */
export function isFromService(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case 'proxy-rate-limit':
    case 'html':
    case 'html-404':
    case 'redirect':
      return false;
    default:
      return true;
  }
}

/** Waits for the latency faults of the call, or until the client disconnects. */
export async function applyLatency(modifiers: readonly Fault[], signal: AbortSignal): Promise<void> {
  const ms = modifiers.reduce((sum, fault) => sum + (fault.kind === 'latency' ? (fault.ms ?? 0) : 0), 0);
  if (ms > 0) await sleep(ms, undefined, { signal });
  const held = modifiers.flatMap(({ kind, until }) => (kind === 'latency' && until !== undefined ? [until] : []));
  if (held.length > 0) await Promise.race([Promise.all(held), aborted(signal)]);
}

/** Rejects when the client disconnects. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Applies the `headers` and `wrong-type` faults to a reply. */
export async function modifyReply(reply: Reply, modifiers: readonly Fault[]): Promise<Reply> {
  let modified = reply;
  for (const fault of modifiers) {
    if (fault.kind === 'headers') modified = { ...modified, headers: withHeaders(modified.headers, fault.headers) };
    if (fault.kind === 'wrong-type')
      modified = { ...modified, body: changedBody((await wholeBody(modified)).toString(), fault) };
  }
  return modified;
}

/** The complete body of a reply. */
export async function wholeBody(reply: Reply): Promise<Buffer> {
  const { body = '' } = reply;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function withHeaders(headers: Reply['headers'], change: Fault['headers']): Record<string, string> {
  const changed: Record<string, string> = { ...headers };
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value === null) delete changed[name.toLowerCase()];
    else changed[name.toLowerCase()] = value;
  }
  return changed;
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
