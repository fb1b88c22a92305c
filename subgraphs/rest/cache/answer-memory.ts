import { LRUCache } from 'lru-cache';
import { createLru } from '../../../runtime/stores/lru.js';
import type { CacheEntry } from '../call/call.js';
import type { Clock } from '../ports/clock.js';

/** Bytes of heap that one service's answers may take, as `heapBytes` estimates them. */
export const ANSWER_MEMORY_BYTES = 192 * 1024 * 1024;
/** Parsed JSON weighs about three times its text. */
const HEAP_PER_BYTE = 3;
/** Ids that a service does not have: a caller can invent any number of them, so they have a bound of their own. */
const MAX_UNKNOWN = 10_000;
/** What an entry costs beside its body: its key of at most some 350 characters, its times, its account and its place in the map. */
const ENTRY_BYTES = 1100;

/** How often expired entries are evicted; those out of reach since their key wrote expire too. */
const SWEEP_MS = 60_000;

/** The fast tier of the cache: synchronous, bounded in bytes, gone with the process. */
export interface AnswerMemory {
  get(identity: string): CacheEntry | undefined;
  set(identity: string, entry: CacheEntry): void;
  /** Bytes of heap that its entries are taken for. */
  bytes(): number;
}

/** A memory bounded by `ANSWER_MEMORY_BYTES`, and by 10,000 not-found entries beside it. */
export function createAnswerMemory(clock: Clock): AnswerMemory {
  const perf = { now: () => clock.monotonicMs() };
  const dispose = ({ part }: CacheEntry) => {
    if (part !== undefined) part.isHeld = false;
  };
  const answers = new LRUCache<string, CacheEntry>({ maxSize: ANSWER_MEMORY_BYTES, ttlResolution: 0, perf, dispose });
  const unknown = createLru<CacheEntry>(MAX_UNKNOWN, { perf, dispose });
  let sweptMs = clock.monotonicMs();

  /** The library itself evicts an expired entry only when it is read or the cache is full. */
  function sweep(): void {
    if (clock.monotonicMs() - sweptMs < SWEEP_MS) return;
    sweptMs = clock.monotonicMs();
    answers.purgeStale();
    unknown.purgeStale();
  }

  /** An entry that has left, or was renewed with another answer, stays away. */
  function grow(identity: string, entry: CacheEntry): void {
    if (answers.peek(identity) === entry) {
      answers.set(identity, entry, { size: heapBytes(entry), noUpdateTTL: true });
    }
  }

  return {
    bytes: () => answers.calculatedSize + ENTRY_BYTES * unknown.size,
    get: (identity) => answers.get(identity) ?? unknown.get(identity),
    set(identity, entry) {
      sweep();
      const ttl = Math.max(1, entry.staleUntilMs - clock.wallMs());
      if (entry.answer.unknown) {
        answers.delete(identity);
        unknown.set(identity, entry, { ttl });
      } else {
        unknown.delete(identity);
        moveParts(answers.peek(identity), entry);
        answers.set(identity, entry, { ttl, size: heapBytes(entry) });
        entry.answer.account.onGrowth = () => grow(identity, entry);
      }
    },
  };
}

/** What was made of a response stays good when the service has confirmed it: its parts move on to the new entry. */
function moveParts(old: CacheEntry | undefined, entry: CacheEntry): void {
  if (old?.part === undefined || old.answer !== entry.answer) return;
  entry.part = old.part;
  delete old.part;
  entry.part.confirmed(entry);
}

function heapBytes({ answer }: CacheEntry): number {
  return HEAP_PER_BYTE * answer.bytes + answer.account.bytes + ENTRY_BYTES;
}
