import { LRUCache } from 'lru-cache';
import type { KeptPart } from '../../../schema/at-hand.js';
import { type KeptObject, keptObject, type NoteKind, noteOn, takeNote } from '../../../schema/kept-object.js';

/** Bytes of heap of one character: two where the text has one beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** A reference to a part. */
const PART_BYTES = 8;
/** What a text takes beside its characters. */
const TEXT_BYTES = 40;

/** The text of an object, with what other subgraphs and calls have added to it. */
export interface JoinedText {
  readonly text: string;
  /** Whose keys it was made with. */
  readonly who: string;
  /** What it follows from beside its object: good as long as each of them is. */
  readonly parts: readonly KeptPart[];
}

/** The kinds of notes that one selection leaves on its objects. */
export interface TextKinds {
  /** The texts between the fields that need more than the object; a single one where none does. */
  readonly own: NoteKind<readonly string[]>;
  readonly joined: NoteKind<JoinedText>;
}

/** Finds the kinds of a selection: equal selections share theirs. */
export type FindTextKinds = (signature: string) => TextKinds;

/** Characters of signatures that are remembered; a selection whose kind was forgotten makes texts of its own. */
const MAX_SIGNATURES = 4 * 1024 * 1024;

/** The kinds of all selections that are compiled. */
export function createTextKinds(): FindTextKinds {
  const kinds = new LRUCache<string, TextKinds>({ maxSize: MAX_SIGNATURES });
  return (signature) => {
    const kind = kinds.get(signature) ?? { own: { weigh: weighTexts }, joined: { weigh: weighJoined } };
    kinds.set(signature, kind, { size: signature.length + TEXT_BYTES });
    return kind;
  };
}

function weighJoined({ text, parts }: JoinedText): number {
  return 2 * TEXT_BYTES + BYTES_PER_CHARACTER * text.length + PART_BYTES * parts.length;
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
