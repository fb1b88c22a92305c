import { LRUCache } from 'lru-cache';
import type { CacheDependency } from '../../kernel/cached-values.js';
import { CACHES, type WatchCache } from '../../kernel/caches.js';
import type { Encoding } from '../http/negotiation.js';
import type { Program } from './program.js';
import type { Arguments } from './write-text.js';

/** A whole response. It is good while all of its parts are, for callers with the same keys. */
export interface CachedResponse extends MadeResponse {
  /** Evicted together with it. */
  readonly encoded: EncodedBodies;
}

/** A whole response as a run has made it. */
interface MadeResponse {
  readonly body: ResponseBody;
  /** The keys of the caller it was made for, as `callerKeysOf` returns them. */
  readonly callerKeys: string;
  readonly parts: readonly CacheDependency[];
}

/** What follows from a program and the client's variables. Only `PreparedOperations` changes it. */
export interface PreparedOperation {
  /** The program that it was prepared for, and the variables. */
  readonly key: string;
  readonly programId: number;
  /** The arguments of all fields, or why there are none. */
  args: readonly Arguments[] | 'variables' | 'large';
  /** The last response; null before the first, and once the operation was evicted. */
  response: CachedResponse | null;
}

/** Bytes of heap of the arguments, per character of the variables as text. */
const BYTES_PER_CHARACTER = 12;
const OPERATION_BYTES = 600;
/** Bytes of heap of one field's arguments. */
const ARGUMENTS_BYTES = 100;
/** Bytes of a reference to a part. */
const PART_BYTES = 8;

/** A new object each time its operation grows, since the library does not measure the same object again. */
interface CacheSlot {
  readonly operation: PreparedOperation;
}

/** Operations with variables that were sent lately. */
export class PreparedOperations {
  readonly #known = new LRUCache<string, CacheSlot>({
    maxSize: CACHES['direct-responses'].boundBytes,
    sizeCalculation: heapBytes,
    // Requests refer to their operation, which must not keep an evicted response alive.
    dispose: ({ operation }) => {
      operation.response = null;
    },
    noDisposeOnSet: true,
  });

  constructor(watchCache: WatchCache) {
    watchCache('direct-responses', () => this.#known.calculatedSize);
  }

  /** What was prepared for these variables, or else what `prepare` returns for them. */
  find(
    program: Program,
    variables: Readonly<Record<string, unknown>>,
    prepare: () => Pick<PreparedOperation, 'args'>,
  ): PreparedOperation {
    const key = `${program.id} ${JSON.stringify(variables)}`;
    const found = this.#known.get(key);
    if (found !== undefined) return found.operation;
    // The spread comes last so that all operations share one hidden class (performance 3).
    const operation: PreparedOperation = { key, programId: program.id, response: null, ...prepare() };
    this.#put(operation);
    return operation;
  }

  /** Call it when the response was too large to be written in one go, so that it is not attempted again. */
  tooLarge(operation: PreparedOperation): void {
    operation.args = 'large';
    operation.response = null;
  }

  /** Stores a response until the next one replaces it, or until it is evicted. */
  store(operation: PreparedOperation, { body, callerKeys, parts }: MadeResponse): CachedResponse {
    const isStored = body.length <= MAX_CACHED_BYTES && this.#known.peek(operation.key)?.operation === operation;
    if (!isStored) return { body, callerKeys, parts, encoded: NOT_STORED };
    const encoded = new EncodedBodies(
      () => operation.response === response,
      () => this.#put(operation),
    );
    const response: CachedResponse = { body, callerKeys, parts, encoded };
    operation.response = response;
    this.#put(operation);
    return response;
  }

  #put(operation: PreparedOperation): void {
    this.#known.set(operation.key, { operation });
  }
}

function heapBytes({ operation: { key, args, response } }: CacheSlot): number {
  const fields = typeof args === 'string' ? 0 : args.length;
  const own = OPERATION_BYTES + BYTES_PER_CHARACTER * key.length + ARGUMENTS_BYTES * fields;
  if (response === null) return own;
  const { body, encoded, parts } = response;
  return own + body.length + encoded.bytes + PART_BYTES * parts.length;
}

/** Whether the same response would be made at this time, for callers with these keys. */
export function isCurrent({ callerKeys, parts }: CachedResponse, caller: string, nowMs: number): boolean {
  return callerKeys === caller && areFresh(parts, nowMs);
}

/** The totals of using all parts of a response. */
export interface PartsUsed {
  /** How many calls they saved. */
  readonly hits: number;
  /** Until when all of them are fresh, in milliseconds since 1970; null if none expires. */
  readonly freshUntilMs: number | null;
}

/** Whether a lookup at this time would still find every part, and find it fresh. */
export function areFresh(parts: readonly CacheDependency[], nowMs: number): boolean {
  for (const part of parts) if (!part.isFresh(nowMs)) return false;
  return true;
}

/** Counts a use of each part. */
export function countUses(parts: readonly CacheDependency[], nowMs: number): PartsUsed {
  let hits = 0;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    part.countUse(nowMs);
    if (part.freshUntilMs < freshUntilMs) freshUntilMs = part.freshUntilMs;
    if (part.isCall) hits += 1;
  }
  return { hits, freshUntilMs: Number.isFinite(freshUntilMs) ? freshUntilMs : null };
}

/** Larger whole responses are not cached: few clients send the same query again. */
export const MAX_CACHED_BYTES = 256 * 1024;

/** Node writes a short string in one piece with its head, but a buffer in two. */
const SHORT_BYTES = 4096;

/** Room for the bytes of a string that may be short: a character takes three at most. */
const SCRATCH = Buffer.allocUnsafeSlow(3 * SHORT_BYTES);

/** The body of a response. A short one is a string with one character per byte, any other a buffer. */
export class ResponseBody {
  /** In bytes. */
  readonly length: number;
  /** A short body with one character per byte; null for any other. */
  readonly latin1: string | null;
  readonly #bytes: Buffer | null;

  /** Takes the body as JSON text. */
  constructor(json: string) {
    this.latin1 = json.length > SHORT_BYTES ? null : latin1Of(json);
    this.#bytes = this.latin1 === null ? Buffer.from(json) : null;
    this.length = this.latin1?.length ?? this.#bytes?.length ?? 0;
  }

  bytes(): Buffer {
    return this.#bytes ?? Buffer.from(this.latin1 ?? '', 'latin1');
  }
}

/** Null if the text is not short in bytes. */
function latin1Of(text: string): string | null {
  const length = SCRATCH.write(text);
  if (length === text.length) return text;
  return length > SHORT_BYTES ? null : SCRATCH.toString('latin1', 0, length);
}

/** The body of a response in the encodings it was sent in: encoding costs more than everything else. */
export class EncodedBodies {
  /** The size of all of them together. */
  bytes = 0;
  readonly #bodies = new Map<Encoding, Buffer>();
  readonly #mayGrow: () => boolean;
  readonly #grown: () => void;

  /** Nothing is cached while `mayGrow` is false; `grown` is called after each addition. */
  constructor(mayGrow: () => boolean, grown: () => void) {
    this.#mayGrow = mayGrow;
    this.#grown = grown;
  }

  get(encoding: Encoding): Buffer | undefined {
    return this.#bodies.get(encoding);
  }

  store(encoding: Encoding, body: Buffer): void {
    if (this.#bodies.has(encoding) || !this.#mayGrow()) return;
    this.#bodies.set(encoding, body);
    this.bytes += body.length;
    this.#grown();
  }
}

/** For a response that is not stored. */
const NOT_STORED = new EncodedBodies(
  () => false,
  () => {},
);
