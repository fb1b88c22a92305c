import { type GraphQLLeafType, isEnumType } from 'graphql';
import {
  areFresh,
  type BailoutReason,
  bailout,
  type CacheDependency,
  type CachedRun,
  cachedObject,
  type MemoKind,
  memoOf,
  setMemo,
} from '../../kernel/cached-values.js';
import { createCache, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { Deadline, OperationContext, Subgraph } from '../../kernel/operation.js';
import { SERVICES } from '../../kernel/services.js';
import type { CallerCredentials } from '../request/request.js';

/*
 * The text of a response, written from memory alone. A run of a program (`program.ts`) reads values with the resolvers
 * of the subgraphs and writes each as JSON; it bails out where one is missing (`kernel/cached-values.ts`). The texts of
 * cached objects are kept with them as memos: a text that follows from its object alone stays with the object; one with
 * results of other calls is good for callers with the same keys, as long as all that it depends on is fresh.
 */

/** Arguments of one field, checked and coerced as its subgraph would. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Whose request is answered. */
export interface MemoryCaller {
  readonly id: string;
  readonly credentials: CallerCredentials;
  /** When the request started, by the monotonic clock. */
  readonly startedMs: number;
}

/** Longer work has to yield to the event loop, which a run cannot do. */
const MAX_RUN_MS = 5;

/** What a join wrote for one representation. */
interface Joined {
  readonly text: string;
  readonly parts: readonly CacheDependency[];
  readonly hasSingleUse: boolean;
}

/** The state of one run of a program. Runs share nothing. */
export class TextRun implements CachedRun {
  /** By the index of the field. */
  readonly args: readonly Arguments[];
  /** The keys of the caller, as `callerKeysOf` returns them: callers for whom it is equal find the same entries. */
  readonly callerKeys: string;
  /** When it starts, in milliseconds since 1970: what is fresh then counts as fresh until it ends. */
  readonly nowMs: number;
  /** Parts that loaders looked up, in order of use; all uses of a part count as one. */
  readonly shared: CacheDependency[] = [];
  /** Parts that were looked up outside loaders; every use counts. */
  readonly single: CacheDependency[] = [];
  /** How many texts so far contain such a use: a text that contains one is not cached. */
  singleUses = 0;
  /** Why the run ended early; null if it has not. Needed because a resolver may have caught the bailout. */
  bailedOut: BailoutReason | null = null;
  readonly #caller: MemoryCaller;
  /** Contexts of the few subgraphs that it has reached. */
  readonly #contexts: { readonly subgraph: Subgraph; readonly context: unknown }[] = [];
  #joined: Map<object, Map<string, Joined>> | null = null;
  readonly #request = {};
  readonly #number = nextNumber++;
  /** How many loaders are looking something up, nested in one another. */
  #loaders = 0;

  constructor(caller: MemoryCaller, args: readonly Arguments[], callerKeys: string, nowMs: number) {
    this.#caller = caller;
    this.args = args;
    this.callerKeys = callerKeys;
    this.nowMs = nowMs;
  }

  /** Whether it has blocked the event loop for as long as one run may. */
  isOver(): boolean {
    return performance.now() - this.#caller.startedMs > MAX_RUN_MS;
  }

  recordUse(part: CacheDependency): void {
    if (this.#loaders > 0 || !part.isCall) this.shared.push(part);
    else this.#recordSingle(part);
  }

  inLoader<T>(look: () => T): T {
    this.#loaders += 1;
    try {
      return look();
    } finally {
      this.#loaders -= 1;
    }
  }

  /** Counts the parts behind a reused text as used again. */
  reuse(parts: readonly CacheDependency[]): void {
    for (const part of parts) this.shared.push(part);
  }

  #recordSingle(part: CacheDependency): void {
    this.single.push(part);
    this.singleUses += 1;
  }

  /** All parts that were used; those that loaders looked up only once each. */
  parts(): readonly CacheDependency[] {
    const parts = [...this.single];
    for (const part of this.shared) {
      if (part.lastRun === this.#number) continue;
      part.lastRun = this.#number;
      parts.push(part);
    }
    return parts;
  }

  bailOut(reason: BailoutReason): never {
    this.bailedOut ??= reason;
    throw bailout(reason);
  }

  /** The context of a subgraph's resolvers, one for the whole run. */
  contextOf(subgraph: Subgraph): unknown {
    for (const known of this.#contexts) if (known.subgraph === subgraph) return known.context;
    const context = subgraph.contextFor(this.#operationOf(subgraph));
    this.#contexts.push({ subgraph, context });
    return context;
  }

  /** What a join has written in this run, by the text of the representation, so that equal ones are written once. */
  joinedBy(join: object): Map<string, Joined> {
    this.#joined ??= new Map();
    const known = this.#joined.get(join);
    if (known !== undefined) return known;
    const texts = new Map<string, Joined>();
    this.#joined.set(join, texts);
    return texts;
  }

  #operationOf({ name }: Subgraph): OperationContext {
    const { id, credentials } = this.#caller;
    return {
      requestId: id,
      request: this.#request,
      deadline: NEVER_LATE,
      signal: NEVER_ABORTED,
      credential: credentials[name],
      internal: false,
      planNode: '',
      // Hits are collected in the run and counted when it is complete. What may change at any time is no hit.
      recorder: { elapsedMs: () => 0, record() {}, readStored() {}, forbidCaching: () => this.bailOut('uncached') },
      cachedRun: this,
    };
  }
}

let nextNumber = 1;

/** Equal for callers with the same keys; empty for callers without any. */
export function callerKeysOf(credentials: CallerCredentials): string {
  let callerKeys = '';
  for (const service of SERVICES) {
    const own = credentials[service];
    if (own !== null) callerKeys += `${service} ${own.fingerprint} `;
  }
  return callerKeys;
}

/** A run ends within its turn of the event loop, so it can neither be aborted nor be late. */
const NEVER_ABORTED = new AbortController().signal;
const NEVER_LATE: Deadline = { remainingMs: () => Number.POSITIVE_INFINITY };

/** Bytes of heap per character: two if the text has a character beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** Bytes of a reference to a part. */
const PART_BYTES = 8;
/** Bytes that a text takes besides its characters. */
const TEXT_BYTES = 40;

/** The text of an object, including what other subgraphs and calls have added to it. */
interface JoinedText {
  readonly text: string;
  /** The keys of the callers it was made for, as `callerKeysOf` returns them. */
  readonly callerKeys: string;
  /** What it was made from besides its object: it is good as long as every part is. */
  readonly parts: readonly CacheDependency[];
}

/** The kinds of memos that one selection leaves on its objects. */
interface TextKinds {
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
  const kinds = createCache<TextKinds>('direct-selections', watchCache);
  return (signature) => {
    const kind = kinds.get(signature) ?? createKinds();
    kinds.set(signature, kind, { size: BYTES_PER_CHARACTER * signature.length + SELECTION_BYTES });
    return kind;
  };
}

function createKinds(): TextKinds {
  const weighText = (text: string) => TEXT_BYTES + BYTES_PER_CHARACTER * text.length;
  return {
    text: { weigh: (text) => TEXT_BYTES + weighText(text) },
    texts: { weigh: (texts) => texts.reduce((bytes, text) => bytes + weighText(text), TEXT_BYTES) },
    joined: { weigh: ({ text, parts }) => TEXT_BYTES + weighText(text) + PART_BYTES * parts.length },
  };
}

/** The memo of a kind on a value: made only the first time if the value is cached, otherwise each time. */
function memoize<V>(value: object, kind: MemoKind<V>, make: (isCached: boolean) => V): V {
  const cached = cachedObject(value);
  if (cached === null) return make(false);
  const known = memoOf(cached, kind);
  if (known !== undefined) return known;
  const made = make(true);
  setMemo(cached, kind, made);
  return made;
}

/**
 * Writes one value as JSON text. Without a run, the text becomes part of one that is cached, and nothing within it is
 * cached by itself. Throws the bailout that ends the run.
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
    if (known !== undefined && known.callerKeys === run.callerKeys && areFresh(known.parts, run.nowMs)) {
      run.reuse(known.parts);
      return known.text;
    }
    const from = run.shared.length;
    const before = run.singleUses;
    const text = compose(object, run);
    if (run.singleUses > before) return text;
    setMemo(cached, kind, {
      text: flat(text),
      callerKeys: run.callerKeys,
      parts: [...new Set(run.shared.slice(from))],
    });
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

/** Writes a leaf that is not null. Throws the bailout that ends the run if the value does not fit. */
export function writeLeaf(type: GraphQLLeafType): (value: unknown) => string {
  const fits = fitsLeaf(type);
  return (value) => {
    if (!fits(value)) throw bailout('unfit');
    return JSON.stringify(value);
  };
}
