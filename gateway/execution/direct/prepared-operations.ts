import { LRUCache } from 'lru-cache';
import type { KeptPart } from '../../../schema/at-hand.js';
import type { Data } from '../compiled/merge.js';
import type { Arguments } from './direct-run.js';
import type { Program } from './program.js';

/** A whole answer. It is good as long as all of its parts are, for callers with the same keys. */
export interface KeptAnswer {
  readonly body: Buffer;
  /** Whose keys it was made with. */
  readonly who: string;
  readonly parts: readonly KeptPart[];
}

/** What follows from a program and the client's variables. */
export interface PreparedOperation {
  /** The arguments of all fields; why there are none. */
  readonly args: readonly Arguments[] | 'variables' | 'large';
  /** The last answer; null before the first. */
  answer: KeptAnswer | null;
}

/** Operations with variables that were asked lately. */
export interface PreparedOperations {
  /** What was prepared for these variables, or what `prepare` makes for them. */
  find(program: Program, variables: Data, prepare: () => PreparedOperation['args']): PreparedOperation;
  /** Keeps an answer until the next one, or until others need its room. */
  keep(operation: PreparedOperation, answer: KeptAnswer): void;
}

/** Bytes of heap that arguments and answers may take. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Arguments, for each character of the variables as text. */
const BYTES_PER_CHARACTER = 12;
const OPERATION_BYTES = 600;
/** A reference to a part. */
const PART_BYTES = 8;
/** Larger answers are put together each time: their texts are kept, and few clients ask for the same. */
const MAX_ANSWER_BYTES = 256 * 1024;

interface Kept extends PreparedOperation {
  readonly key: string;
}

/** Remembers nothing at first. */
export function createPreparedOperations(): PreparedOperations {
  const known = new LRUCache<string, Kept>({ maxSize: MAX_BYTES, sizeCalculation: heapBytes });
  return {
    find(program, variables, prepare) {
      const key = `${program.id} ${JSON.stringify(variables)}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const made: Kept = { key, args: prepare(), answer: null };
      known.set(key, made);
      return made;
    },
    keep(operation, answer) {
      const kept = operation as Kept;
      if (answer.body.length > MAX_ANSWER_BYTES || known.peek(kept.key) !== kept) return;
      kept.answer = answer;
      known.set(kept.key, kept);
    },
  };
}

function heapBytes({ key, answer }: Kept): number {
  const own = OPERATION_BYTES + BYTES_PER_CHARACTER * key.length;
  return answer === null ? own : own + answer.body.length + PART_BYTES * answer.parts.length;
}

/** Whether an answer would be made alike now, for callers with these keys. */
export function isKept({ who, parts }: KeptAnswer, caller: string): boolean {
  return who === caller && parts.every((part) => part.isGood());
}
