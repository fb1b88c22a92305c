import { LRUCache } from 'lru-cache';
import type { CachedPart } from '../../../schema/at-hand.js';
import { CACHES, type WatchCache } from '../../../schema/caches.js';
import type { Data } from '../compiled/merge.js';
import { areGood } from './cached-parts.js';
import type { Arguments } from './direct-run.js';
import { EncodedBodies } from './encoded-bodies.js';
import type { Program } from './program.js';

/** A whole response. It is good as long as all of its parts are, for callers with the same keys. */
export interface CachedResponse extends MadeResponse {
  /** They leave with it. */
  readonly encoded: EncodedBodies;
}

/** A whole answer as a run has made it. */
interface MadeResponse {
  readonly body: Buffer;
  /** Whose keys it was made with. */
  readonly who: string;
  readonly parts: readonly CachedPart[];
}

/** What follows from a program and the client's variables. */
export interface PreparedOperation {
  /** The arguments of all fields; why there are none. */
  readonly args: readonly Arguments[] | 'variables' | 'large';
  /** The last response; null before the first. */
  readonly response: CachedResponse | null;
}

/** Operations with variables that were sent lately. */
export interface PreparedOperations {
  /** What was prepared for these variables, or what `prepare` makes for them. */
  find(program: Program, variables: Data, prepare: () => PreparedOperation['args']): PreparedOperation;
  /** Stores a response until the next one, or until others need its room. */
  store(operation: PreparedOperation, made: MadeResponse): CachedResponse;
  /** Its response was too large to be written in one go: that is not tried again. */
  tooLarge(operation: PreparedOperation): void;
}

/** Arguments, for each character of the variables as text. */
const BYTES_PER_CHARACTER = 12;
const OPERATION_BYTES = 600;
/** A reference to a part. */
const PART_BYTES = 8;
/** Larger responses are put together each time: their texts are cached, and few clients send the same query. */
const MAX_RESPONSE_BYTES = 256 * 1024;

interface StoredOperation extends PreparedOperation {
  readonly key: string;
}

/** Remembers nothing at first. */
export function createPreparedOperations(watchCache: WatchCache): PreparedOperations {
  const maxSize = CACHES['direct-responses'].boundBytes;
  const known = new LRUCache<string, StoredOperation>({ maxSize, sizeCalculation: heapBytes });
  watchCache('direct-responses', () => known.calculatedSize);
  /** Requests with the same body share their variables. */
  const keys = new WeakMap<Data, { readonly program: Program; readonly key: string }>();

  function keyOf(program: Program, variables: Data): string {
    const found = keys.get(variables);
    if (found?.program === program) return found.key;
    const key = `${program.id} ${JSON.stringify(variables)}`;
    keys.set(variables, { program, key });
    return key;
  }

  return {
    find(program, variables, prepare) {
      const key = keyOf(program, variables);
      const found = known.get(key);
      if (found !== undefined) return found;
      const made: StoredOperation = { key, args: prepare(), response: null };
      known.set(key, made);
      return made;
    },
    tooLarge(operation) {
      const { key } = operation as StoredOperation;
      known.set(key, { key, args: 'large', response: null });
    },
    store(operation, made) {
      const { key, args } = operation as StoredOperation;
      const isStored = made.body.length <= MAX_RESPONSE_BYTES && known.peek(key) === operation;
      if (!isStored) return { ...made, encoded: NOT_STORED };
      // Another object each time: the library would not measure the same one again.
      const put = () => void known.set(key, { key, args, response });
      const encoded = new EncodedBodies(() => known.peek(key)?.response === response, put);
      const response: CachedResponse = { ...made, encoded };
      put();
      return response;
    },
  };
}

function heapBytes({ key, response }: StoredOperation): number {
  const own = OPERATION_BYTES + BYTES_PER_CHARACTER * key.length;
  return response === null
    ? own
    : own + response.body.length + response.encoded.bytes + PART_BYTES * response.parts.length;
}

/** Of a response that is not stored. */
const NOT_STORED = new EncodedBodies(
  () => false,
  () => {},
);

/** Whether the same response would be made at this time, for callers with these keys. */
export function isCurrent({ who, parts }: CachedResponse, caller: string, nowMs: number): boolean {
  return who === caller && areGood(parts, nowMs);
}
