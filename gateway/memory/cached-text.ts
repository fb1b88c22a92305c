import { LRUCache } from 'lru-cache';
import { type CachedObject, cachedObject, type MemoKind, memoOf, setMemo } from '../../kernel/cached-object.js';
import type { CacheDependency } from '../../kernel/cached-run.js';
import { CACHES, unwatched, type WatchCache } from '../../kernel/caches.js';

/** Bytes of heap per character: two if the text has a character beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** Bytes of a reference to a part. */
const PART_BYTES = 8;
/** Bytes that a text takes besides its characters. */
const TEXT_BYTES = 40;

/** The text of an object, including what other subgraphs and calls have added to it. */
export interface JoinedText {
  readonly text: string;
  /** The keys of the callers it was made for, as `whoIs` returns them. */
  readonly who: string;
  /** What it was made from besides its object: it is good as long as every part is. */
  readonly parts: readonly CacheDependency[];
}

/** The kinds of memos that one selection leaves on its objects. */
export interface TextKinds {
  /** The whole text, if no field needs more than the object. */
  readonly text: MemoKind<string>;
  /** The texts between the fields that need more. */
  readonly texts: MemoKind<readonly string[]>;
  readonly joined: MemoKind<JoinedText>;
}

/** Finds the kinds of a selection; equal selections share theirs. */
export type FindTextKinds = (signature: string) => TextKinds;

/** Bytes of heap for the kinds of a selection and their place in the map. */
const SELECTION_BYTES = 400;

/** Creates the kinds of compiled selections. A selection whose kinds were evicted gets new ones, and so new texts. */
export function createTextKinds(watchCache: WatchCache = unwatched): FindTextKinds {
  const kinds = new LRUCache<string, TextKinds>({ maxSize: CACHES['direct-selections'].boundBytes });
  watchCache('direct-selections', () => kinds.calculatedSize);
  return (signature) => {
    const kind = kinds.get(signature) ?? createKinds();
    kinds.set(signature, kind, { size: BYTES_PER_CHARACTER * signature.length + SELECTION_BYTES });
    return kind;
  };
}

function createKinds(): TextKinds {
  return { text: { weigh: weighText }, texts: { weigh: weighTexts }, joined: { weigh: weighJoined } };
}

function weighText(text: string): number {
  return 2 * TEXT_BYTES + BYTES_PER_CHARACTER * text.length;
}

function weighJoined({ text, parts }: JoinedText): number {
  return 2 * TEXT_BYTES + BYTES_PER_CHARACTER * text.length + PART_BYTES * parts.length;
}

function weighTexts(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + TEXT_BYTES + BYTES_PER_CHARACTER * text.length, TEXT_BYTES);
}

/** The memo of a kind on a value: made only the first time if the value is cached, otherwise each time. */
export function memoize<V>(value: object, kind: MemoKind<V>, make: (isCached: boolean) => V): V {
  const cached = cachedObject(value);
  if (cached === null) return make(false);
  return memoOf(cached, kind) ?? makeMemo(cached, kind, make);
}

function makeMemo<V>(cached: CachedObject, kind: MemoKind<V>, make: (isCached: boolean) => V): V {
  const value = make(true);
  setMemo(cached, kind, value);
  return value;
}
