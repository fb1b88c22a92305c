import { LRUCache } from 'lru-cache';
import type { CachedPart } from '../../../schema/at-hand.js';
import { CACHES, type WatchCache } from '../../../schema/caches.js';
import type { OperationCost } from '../../limits/operation-cost.js';
import type { Data } from '../compiled/merge.js';
import { areGood } from './cached-parts.js';
import type { Arguments } from './direct-run.js';
import { EncodedBodies } from './encoded-bodies.js';
import type { Program } from './program.js';
import { MAX_CACHED_BYTES, type ResponseBody } from './response-body.js';

/** A whole response. It is good while all of its parts are, for callers with the same keys. */
export interface CachedResponse extends MadeResponse {
  /** Evicted together with it. */
  readonly encoded: EncodedBodies;
}

/** A whole response as a run has made it. */
interface MadeResponse {
  readonly body: ResponseBody;
  /** The keys of the caller it was made for, as `whoIs` returns them. */
  readonly who: string;
  readonly parts: readonly CachedPart[];
}

/** What follows from a program and the client's variables. */
export interface PreparedOperation {
  /** The program that it was prepared for. */
  readonly programId: number;
  /** The arguments of all fields, or why there are none. */
  readonly args: readonly Arguments[] | 'variables' | 'large';
  readonly cost: OperationCost;
  /** Until when calls are not made ahead of its execution, because that did not help, in milliseconds since 1970. */
  readonly executedUntilMs: number;
  /** The last response; null before the first, and once the operation was evicted. */
  readonly response: CachedResponse | null;
}

/** Operations with variables that were sent lately. */
export interface PreparedOperations {
  /** What was prepared for these variables, or else what `prepare` returns for them. */
  find(program: Program, variables: Data, prepare: () => Pick<PreparedOperation, 'args' | 'cost'>): PreparedOperation;
  /** Stores a response until the next one replaces it, or until it is evicted. */
  store(operation: PreparedOperation, made: MadeResponse): CachedResponse;
  /** Call it when the response was too large to be written in one go, so that it is not tried again. */
  tooLarge(operation: PreparedOperation): void;
  /** Call it when it had to be executed although its calls were made ahead. */
  executeUntil(operation: PreparedOperation, untilMs: number): void;
}

/** Bytes of heap of the arguments, per character of the variables as text. */
const BYTES_PER_CHARACTER = 12;
const OPERATION_BYTES = 600;
/** Bytes of heap of one field's arguments. */
const ARGUMENTS_BYTES = 100;
/** Bytes of a reference to a part. */
const PART_BYTES = 8;

interface StoredOperation extends PreparedOperation {
  readonly key: string;
  args: PreparedOperation['args'];
  executedUntilMs: number;
  response: CachedResponse | null;
}

/** A new object each time its operation grows, since the library does not measure the same object again. */
interface CacheSlot {
  readonly operation: StoredOperation;
}

/** Creates it empty. */
export function createPreparedOperations(watchCache: WatchCache): PreparedOperations {
  const known = new LRUCache<string, CacheSlot>({
    maxSize: CACHES['direct-responses'].boundBytes,
    sizeCalculation: heapBytes,
    // Requests refer to their operation, which must not keep an evicted response alive.
    dispose: ({ operation }) => {
      operation.response = null;
    },
    noDisposeOnSet: true,
  });
  watchCache('direct-responses', () => known.calculatedSize);
  const put = (operation: StoredOperation) => void known.set(operation.key, { operation });

  return {
    find(program, variables, prepare) {
      const key = `${program.id} ${JSON.stringify(variables)}`;
      const found = known.get(key);
      if (found !== undefined) return found.operation;
      // The spread comes last so that all operations share one hidden class (performance 3).
      const operation: StoredOperation = {
        key,
        programId: program.id,
        executedUntilMs: 0,
        response: null,
        ...prepare(),
      };
      put(operation);
      return operation;
    },
    tooLarge(large) {
      const operation = large as StoredOperation;
      operation.args = 'large';
      operation.response = null;
    },
    executeUntil(operation, untilMs) {
      (operation as StoredOperation).executedUntilMs = untilMs;
    },
    store(of, { body, who, parts }) {
      const operation = of as StoredOperation;
      const isStored = body.length <= MAX_CACHED_BYTES && known.peek(operation.key)?.operation === operation;
      if (!isStored) return { body, who, parts, encoded: NOT_STORED };
      const encoded = new EncodedBodies(
        () => operation.response === response,
        () => put(operation),
      );
      const response: CachedResponse = { body, who, parts, encoded };
      operation.response = response;
      put(operation);
      return response;
    },
  };
}

function heapBytes({ operation: { key, args, response } }: CacheSlot): number {
  const fields = typeof args === 'string' ? 0 : args.length;
  const own = OPERATION_BYTES + BYTES_PER_CHARACTER * key.length + ARGUMENTS_BYTES * fields;
  if (response === null) return own;
  const { body, encoded, parts } = response;
  return own + body.length + encoded.bytes + PART_BYTES * parts.length;
}

/** For a response that is not stored. */
const NOT_STORED = new EncodedBodies(
  () => false,
  () => {},
);

/** Whether the same response would be made at this time, for callers with these keys. */
export function isCurrent({ who, parts }: CachedResponse, caller: string, nowMs: number): boolean {
  return who === caller && areGood(parts, nowMs);
}
