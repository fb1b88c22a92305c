import type { NoteKind } from '../../../schema/kept-object.js';
import { noted } from './kept-text.js';
import type { Write, Writer } from './writer.js';

/** A field of a selection. */
export interface FieldWriter extends Writer {
  /** Its name in the answer. */
  readonly key: string;
  /** Whether its text is always the same. */
  readonly isConstant: boolean;
}

/** What the fields of a selection read of their object. */
export function signatureOf(fields: readonly FieldWriter[]): string {
  return `{${fields.map(({ key, signature }) => `${key}:${signature}`).join(' ')}}`;
}

/**
 * Writes an object, as one selection asks for its fields. Texts that follow from the object are kept with it where it is
 * kept, as notes of the kind.
 */
export function writeObject(fields: readonly FieldWriter[], kind: NoteKind<readonly string[]>): Writer {
  const others = fields.filter(({ isPure }) => !isPure).map(({ write }) => write);
  const signature = signatureOf(fields);
  const textsOf = compileTexts(fields, kind);
  if (others.length === 0) return { isPure: true, signature, write: (object, run) => textsOf(object, run)[0] ?? '' };
  return {
    isPure: false,
    signature,
    write(object, run) {
      const texts = textsOf(object, run);
      let text = texts[0] ?? '';
      for (let at = 0; at < others.length; at++) text += (others[at]?.(object, run) ?? '') + (texts[at + 1] ?? '');
      return text;
    },
  };
}

/** Gives the texts before, between and behind the fields that need more than their object. */
function compileTexts(
  fields: readonly FieldWriter[],
  kind: NoteKind<readonly string[]>,
): (...of: Parameters<Write>) => readonly string[] {
  const parts = partsOf(fields);
  const make = (...of: Parameters<Write>) => parts.map((text) => writeParts(text, of));
  if (fields.every((field) => !field.isPure || field.isConstant)) {
    const constant = make({}, null);
    return () => constant;
  }
  return (object, run) => {
    // What is within a text that is kept is not kept for itself.
    if (run === null) return make(object, null);
    return noted(object as object, kind, (isKept) => (isKept ? make(object, null).map(flat) : make(object, run)));
  };
}

/** A part of a text: a name, and the value behind it if it follows from the object. */
interface Part {
  readonly head: string;
  readonly write: Write | null;
}

function writeParts(parts: readonly Part[], of: Parameters<Write>): string {
  let text = '';
  for (const { head, write } of parts) text += write === null ? head : head + write(...of);
  return text;
}

/** The parts of the texts around the fields that need more: one text more than there are of them. */
function partsOf(fields: readonly FieldWriter[]): readonly (readonly Part[])[] {
  let last: Part[] = [{ head: '{', write: null }];
  const texts = [last];
  for (const [index, { key, isPure, write }] of fields.entries()) {
    const head = `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    last.push({ head, write: isPure ? write : null });
    if (isPure) continue;
    last = [];
    texts.push(last);
  }
  last.push({ head: '}', write: null });
  return texts;
}

/** The same text in one piece: a text that was put together holds its parts until it is read. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
