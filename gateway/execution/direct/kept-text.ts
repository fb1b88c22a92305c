import { LRUCache } from 'lru-cache';
import { type KeptObject, keptObject, type NoteKind, noteOn, takeNote } from '../../../schema/kept-object.js';

/** Bytes of heap of one character: two where the text has one beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** What a text takes beside its characters. */
const TEXT_BYTES = 40;

/** Finds the kind of note under which the texts of a selection are kept: equal selections share theirs. */
export type FindTextKind = (signature: string) => NoteKind<readonly string[]>;

/** Characters of signatures that are remembered; a selection whose kind was forgotten makes texts of its own. */
const MAX_SIGNATURES = 4 * 1024 * 1024;

/** The kinds of all selections that are compiled. */
export function createTextKinds(): FindTextKind {
  const kinds = new LRUCache<string, NoteKind<readonly string[]>>({ maxSize: MAX_SIGNATURES });
  return (signature) => {
    const kind = kinds.get(signature) ?? { weigh: weighTexts };
    kinds.set(signature, kind, { size: signature.length + TEXT_BYTES });
    return kind;
  };
}

function weighTexts(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + TEXT_BYTES + BYTES_PER_CHARACTER * text.length, TEXT_BYTES);
}

/** The note of a kind on a value: made at the first time where the value is kept, else each time. */
export function noted<V>(value: object, kind: NoteKind<V>, make: (isKept: boolean) => V): V {
  const kept = keptObject(value);
  if (kept === null) return make(false);
  return noteOn(kept, kind) ?? note(kept, kind, make);
}

function note<V>(kept: KeptObject, kind: NoteKind<V>, make: (isKept: boolean) => V): V {
  const value = make(true);
  takeNote(kept, kind, value);
  return value;
}
