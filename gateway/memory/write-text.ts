import { type GraphQLLeafType, isEnumType } from 'graphql';
import { cachedObject, type MemoKind, memoOf, setMemo } from '../../kernel/cached-object.js';
import { bailout } from '../../kernel/cached-run.js';
import { type JoinedText, memoize, type TextKinds } from './cached-text.js';
import type { TextRun } from './text-run.js';
import { areFresh } from './whole-responses.js';

/**
 * Writes one value as JSON text. Without a run, the text becomes part of one that is cached, and nothing within it is
 * cached by itself. Throws the signal that ends the run.
 */
export type Write = (value: unknown, run: TextRun | null) => string;

/** How a value of one type is written, for one selection. */
export interface Writer {
  /** Whether the text follows from the value alone. Only then may it be written without a run. */
  readonly isPure: boolean;
  /** Equal for selections that read the same of a value: describes what is below it; empty for a leaf. */
  readonly signature: string;
  /** Whether arguments within it depend on the client's variables. */
  readonly usesVariables: boolean;
  readonly write: Write;
}

/** A field of a selection. */
export interface FieldWriter extends Writer {
  /** Its name in the response. */
  readonly key: string;
  /** Whether its text is always the same. */
  readonly isConstant: boolean;
}

/** What the fields of a selection read of their object. */
export function signatureOf(fields: readonly FieldWriter[]): string {
  return `{${fields.map(({ key, signature }) => `${key}:${signature}`).join(' ')}}`;
}

/**
 * Writes an object for one selection. The text that follows from the object alone is cached with it if the object is
 * cached; so is the whole text, including results of other calls, unless it depends on variables.
 */
export function writeObject(fields: readonly FieldWriter[], kinds: TextKinds): Writer {
  const others = fields.filter(({ isPure }) => !isPure).map(({ write }) => write);
  const signature = signatureOf(fields);
  const usesVariables = fields.some((field) => field.usesVariables);
  if (others.length === 0) {
    return { isPure: true, signature, usesVariables, write: compileText(fields, kinds.text) };
  }
  const textsOf = compileTexts(fields, usesVariables ? kinds.texts : null);
  const compose: Write = (object, run) => {
    const texts = textsOf(object, run);
    let text = texts[0] ?? '';
    for (let at = 0; at < others.length; at++) text += (others[at]?.(object, run) ?? '') + (texts[at + 1] ?? '');
    return text;
  };
  const write = usesVariables ? compose : cacheJoined(compose, kinds.joined);
  return { isPure: false, signature, usesVariables, write };
}

/** Caches the text of an object along with the parts it was made from, provided that only loaders made the calls. */
function cacheJoined(compose: Write, kind: MemoKind<JoinedText>): Write {
  return (object, run) => {
    const cached = run === null ? null : cachedObject(object as object);
    if (run === null || cached === null) return compose(object, run);
    const known = memoOf(cached, kind);
    if (known !== undefined && known.who === run.who && areFresh(known.parts, run.nowMs)) {
      run.reuse(known.parts);
      return known.text;
    }
    const from = run.shared.length;
    const before = run.singleUses;
    const text = compose(object, run);
    if (run.singleUses > before) return text;
    setMemo(cached, kind, { text: flat(text), who: run.who, parts: [...new Set(run.shared.slice(from))] });
    return text;
  };
}

/** Writes an object whose fields need nothing else. */
function compileText(fields: readonly FieldWriter[], kind: MemoKind<string>): Write {
  const [parts = []] = partsOf(fields);
  const make: Write = (...of) => writeParts(parts, of);
  if (fields.every(({ isConstant }) => isConstant)) {
    const constant = make({}, null);
    return () => constant;
  }
  return (object, run) => {
    // A text within a cached text is not cached by itself.
    if (run === null) return make(object, null);
    return memoize(object as object, kind, (isCached) => (isCached ? flat(make(object, null)) : make(object, run)));
  };
}

/** The texts before, between and after the fields that need more than their object. */
function compileTexts(
  fields: readonly FieldWriter[],
  kind: MemoKind<readonly string[]> | null,
): (...of: Parameters<Write>) => readonly string[] {
  const parts = partsOf(fields);
  const make = (...of: Parameters<Write>) => parts.map((text) => writeParts(text, of));
  if (fields.every((field) => !field.isPure || field.isConstant)) {
    const constant = make({}, null);
    return () => constant;
  }
  return (object, run) => {
    // A text within a cached text is not cached by itself.
    if (run === null || kind === null) return make(object, null);
    return memoize(object as object, kind, (isCached) => (isCached ? make(object, null).map(flat) : make(object, run)));
  };
}

/** A part of a text: a name, followed by the value if it follows from the object. */
interface Part {
  readonly head: string;
  readonly write: Write | null;
}

function writeParts(parts: readonly Part[], of: Parameters<Write>): string {
  let text = '';
  for (const { head, write } of parts) text += write === null ? head : head + write(...of);
  return text;
}

/** The parts of the texts around the fields that need more: one text more than there are such fields. */
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

/** The same text in one piece, since a concatenated string holds its parts until it is read. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

/** Writes null for null and undefined. */
export function writeNullable({ write, ...of }: Writer): Writer {
  return {
    ...of,
    write: (value, run) => (value === null || value === undefined ? 'null' : write(value, run)),
  };
}

/** Writes a value that may not be null. A null ends the run: its execution knows what else it nulls. */
export function writeNonNull({ write, ...of }: Writer): Writer {
  return {
    ...of,
    write(value, run) {
      if (value === null || value === undefined) throw bailout('unfit');
      return write(value, run);
    },
  };
}

/** Writes an object, or null. */
export function writeValueOf({ write, ...of }: Writer): Writer {
  return writeNullable({
    ...of,
    write(value, run) {
      if (typeof value !== 'object') throw bailout('unfit');
      if (value instanceof Error) throw bailout('failed');
      return write(value, run);
    },
  });
}

/** Items of a list between two looks at the clock. */
const CHECKED_EVERY = 16;

/** Writes a list, or null. A long one ends a run that has used up its time. */
export function writeList({ write, ...of }: Writer): Writer {
  return writeNullable({
    ...of,
    write(list, run) {
      if (!Array.isArray(list)) throw bailout('unfit');
      let text = '[';
      for (let index = 0; index < list.length; index++) {
        if (index > 0) text += ',';
        if (index % CHECKED_EVERY === CHECKED_EVERY - 1 && run?.isOver()) throw bailout('long');
        text += write(list[index], run);
      }
      return `${text}]`;
    },
  });
}

/** Largest and smallest integer of GraphQL. */
const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

/**
 * Whether a value is serialized unchanged by its type. graphql-js would coerce some others, such as a number where
 * text is declared; those are left to it.
 */
function fitsLeaf(type: GraphQLLeafType): (value: unknown) => boolean {
  if (isEnumType(type)) return (value) => typeof value === 'string' && type.getValue(value)?.value === value;
  switch (type.name) {
    case 'Int':
      return (value) => Number.isInteger(value) && Number(value) <= MAX_INT && Number(value) >= MIN_INT;
    case 'Float':
      return Number.isFinite;
    case 'Boolean':
      return (value) => typeof value === 'boolean';
    default:
      // All our scalars are text.
      return (value) => typeof value === 'string';
  }
}

/** Writes a leaf that is not null. Throws the signal that ends the run if the value does not fit. */
export function writeLeaf(type: GraphQLLeafType): (value: unknown) => string {
  const fits = fitsLeaf(type);
  return (value) => {
    if (!fits(value)) throw bailout('unfit');
    return JSON.stringify(value);
  };
}
