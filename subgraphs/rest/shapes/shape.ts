import {
  type ByteCounter,
  CachedObject,
  cachedObject,
  type NoteKind,
  noteOn,
  takeNote,
} from '../../../schema/cached-object.js';
import { CodedError } from '../../../schema/errors.js';
import { isRecord } from '../../../schema/is-record.js';
import type { ServiceName } from '../../../schema/services.js';
import type { DriftKind } from '../../../schema/source-figures.js';

/**
 * Checked views over what a service sent.
 *
 * A shape is declared once per documented object, in the client of its service. `view` wraps the JSON without
 * copying it; each field is checked when it is selected, so an unselected field costs nothing and a field of the
 * wrong type is the coded error of only that field: its siblings and the rest of the list are unaffected.
 */

/** Where a value is, and where to report its drift from the documented type. */
export interface Origin {
  readonly service: ServiceName;
  /** Counts a value that is not as documented, by its place such as `Mission.title`. */
  drift(place: string, kind: DriftKind): void;
  /** Counts what is made of the value, where that is cached with a cache entry. */
  readonly account?: ByteCounter | undefined;
}

/** Checks one value. Null and absent both become null before a reader is called. */
export type Read<T> = (value: NonNullable<unknown>, place: string, origin: Origin) => T;

/** One field of a shape: the key that the service uses, and how its value is checked. */
export interface Field<T> {
  /** Key in the service's JSON; the field's own name when it is left out. */
  readonly key?: string;
  /** Whether the service promises the key, be its value null or not. */
  readonly required?: boolean;
  /** Whether null in its place is an error: it says nothing about what there is. */
  readonly neverNull?: boolean;
  /** Whether its value is made of objects: a view of a cached response then gives the same ones each time. */
  readonly holdsObjects?: boolean;
  readonly read: Read<T>;
}

type Fields = Record<string, Field<unknown>>;

/** What a shape's view offers: each field, or null where the service sent null or nothing. */
export type ViewOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T | null : never };

/** A documented object of a service. */
export interface Shape<V> {
  readonly name: string;
  /** A view of one object; a CodedError in place of it when the value is no object. */
  view(value: unknown, origin: Origin): V;
}

/** The view type of a shape. */
export type View<S> = S extends Shape<infer V> ? V : never;

/** The error of one value that is not of its documented type. Counts it as drift. */
export function wrongType(expected: string, place: string, origin: Origin): CodedError {
  origin.drift(place, 'form');
  return new CodedError(
    'UPSTREAM_INVALID_RESPONSE',
    `${origin.service} sent ${place} in a form other than ${expected}.`,
    {
      service: origin.service,
    },
  );
}

function missing(place: string, origin: Origin): CodedError {
  origin.drift(place, 'form');
  return new CodedError(
    'UPSTREAM_INVALID_RESPONSE',
    `${origin.service} left out ${place}, which it always sends according to its documentation.`,
    {
      service: origin.service,
    },
  );
}

/** What all views are: the object as it was sent, and where it came from. */
class RawView extends CachedObject {
  readonly raw: Record<string, unknown>;
  readonly origin: Origin;

  constructor(raw: Record<string, unknown>, origin: Origin) {
    super(origin.account ?? null);
    this.raw = raw;
    this.origin = origin;
  }
}

/** The object that a view was made from, as the service sent it; what is no view is returned as it is. */
export function rawOf(view: unknown): unknown {
  return view instanceof RawView ? view.raw : view;
}

/** Declares a shape. `name` is the documented name of the object: it appears in errors and in the drift count. */
export function shape<F extends Fields>(name: string, fields: F): Shape<ViewOf<F>> {
  class ShapeView extends RawView {}
  for (const [field, { key = field, required, neverNull, holdsObjects = false, read }] of Object.entries(fields)) {
    const place = `${name}.${key}`;
    const readOf = (view: ShapeView) => {
      const value = view.raw[key];
      if (value === undefined && required) throw missing(place, view.origin);
      if (value === null && neverNull) throw wrongType('a value', place, view.origin);
      return value === null || value === undefined ? null : read(value, place, view.origin);
    };
    const readOnce = holdsObjects ? noted(readOf) : readOf;
    Object.defineProperty(ShapeView.prototype, field, {
      enumerable: true,
      get(this: ShapeView) {
        return readOnce(this);
      },
    });
  }
  return {
    name,
    view(value, origin) {
      if (!isRecord(value)) throw wrongType('an object', name, origin);
      // The getters on the prototype are the view's fields; their types follow from `fields`.
      return new ShapeView(value, origin) as unknown as ViewOf<F>;
    },
  };
}

/** Bytes of heap of a view beside the JSON that it shows. */
const VIEW_BYTES = 100;

/** The same value for each reading of a view that is cached. */
function noted(read: (view: RawView) => unknown): (view: RawView) => unknown {
  const kind: NoteKind<unknown> = {
    weigh: (value) => VIEW_BYTES * (Array.isArray(value) ? 1 + value.length : 1),
  };
  return (view) => {
    const cached = cachedObject(view);
    if (cached === null) return read(view);
    const known = noteOn(cached, kind);
    if (known !== undefined) return known;
    const value = read(view);
    if (value !== null) takeNote(cached, kind, value);
    return value;
  };
}

function field<T>(read: Read<T>): (key?: string) => Field<T> {
  return (key) => (key === undefined ? { read } : { key, read });
}

const readText: Read<string> = (value, place, origin) => {
  if (typeof value !== 'string') throw wrongType('text', place, origin);
  return value;
};

const readNumber: Read<number> = (value, place, origin) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongType('a number', place, origin);
  return value;
};

// GraphQL's Int has 32 bits: it would refuse a larger number as an internal error.
const readInteger: Read<number> = (value, place, origin) => {
  if (typeof value !== 'number' || (value | 0) !== value) throw wrongType('an integer of 32 bits', place, origin);
  return value;
};

const YES_NO = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['yes', true],
  ['no', false],
  ['true', true],
  ['false', false],
]);

const readYesNo: Read<boolean> = (value, place, origin) => {
  const flag = YES_NO.get(value);
  if (flag === undefined) throw wrongType('yes or no', place, origin);
  return flag;
};

const readId: Read<string> = (value, place, origin) => {
  if (typeof value === 'string') return value;
  // Beyond 2^53 several numbers read as one: different records would be the same.
  if (Number.isSafeInteger(value)) return String(value);
  throw wrongType('an identifier', place, origin);
};

const readMoment: Read<string> = (value, place, origin) => {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}([T ]|$)/.test(value)) throw wrongType('a date', place, origin);
  return value;
};

const readBoolean: Read<boolean> = (value, place, origin) => {
  if (typeof value !== 'boolean') throw wrongType('true or false', place, origin);
  return value;
};

/** Text, passed on as it was sent. */
export const text = field(readText);
/** A JSON number. */
export const number = field(readNumber);
/** A whole number that GraphQL's Int can say. */
export const integer = field(readInteger);
/** A JSON boolean. */
export const boolean = field(readBoolean);
/** A boolean, or one of the words `yes`, `no`, `true`, `false`: the seeds show a string without saying which words. */
export const yesNo = field(readYesNo);
/** An identifier: text, or a whole number as text. */
export const id = field(readId);
/** A date or date-time: the text stays as it was sent, offset included. */
export const moment = field(readMoment);

/**
 * A code of a register: text, passed on as it was sent even when it is malformed, which only counts as drift. Empty
 * text stands for none in the services' older data and is no drift.
 */
export function code(isValid: (text: string) => boolean, key?: string): Field<string> {
  return field((value, place, origin) => {
    const sent = readText(value, place, origin);
    if (sent !== '' && !isValid(sent)) origin.drift(place, 'code');
    return sent;
  })(key);
}

/** A field whose key the service promises: where it is left out, the field is a coded error instead of null. */
export function required<T>(of: Field<T>): Field<T> {
  return { ...of, required: true };
}

/** A required field that the service never sends as null: a list that may be empty, say, but is there. */
export function neverNull<T>(of: Field<T>): Field<T> {
  return { ...of, required: true, neverNull: true };
}

/** An object of another shape. */
export function object<V>(of: Shape<V>, key?: string): Field<V> {
  return { ...field<V>((value, _place, origin) => of.view(value, origin))(key), holdsObjects: true };
}

/** As many as the largest page of any source: a list with more wrong items is not what it should be as a whole. */
const MAX_WRONG_ITEMS = 10_000;

/**
 * A list. An item that is not what it should be becomes an error in its own place (GraphQL reports it at the item's
 * path), the other items stand. A list with more than 10,000 such items is one error.
 */
export function list<T>(of: Field<T>, key?: string): Field<(T | null)[]> {
  const read: Read<(T | null)[]> = (value, place, origin) => {
    if (!Array.isArray(value)) throw wrongType('a list', place, origin);
    let wrong = 0;
    return value.map((item) => {
      const seen = readItem(item, of.read, place, origin);
      if (seen instanceof CodedError) wrong += 1;
      if (wrong > MAX_WRONG_ITEMS) throw wrongType('a list with readable items', place, origin);
      return seen;
    });
  };
  return { ...field(read)(key), holdsObjects: of.holdsObjects === true };
}

function readItem<T>(item: unknown, read: Read<T>, place: string, origin: Origin): T | null {
  if (item === null || item === undefined) return null;
  try {
    return read(item, `${place}[]`, origin);
  } catch (error) {
    // graphql-js treats an Error inside a list as the error of that item.
    if (error instanceof CodedError) return error as unknown as T;
    throw error;
  }
}

/**
 * A closed vocabulary: source word → enum value. A later word reads as `OTHER` and counts as drift; declare the
 * sibling `<field>Raw` with `otherWord` to keep its text.
 */
export function vocabulary<E extends string>(words: Readonly<Record<string, E>>, key?: string): Field<E | 'OTHER'> {
  return field((value, place, origin) => {
    const sent = readText(value, place, origin);
    const word = wordOf(words, sent);
    if (word === undefined) origin.drift(place, 'word');
    return word ?? 'OTHER';
  })(key);
}

/** The raw text beside a `vocabulary` that read as `OTHER`; null for a known word. */
export function otherWord(words: Readonly<Record<string, string>>, key: string): Field<string | null> {
  return field((value) => (typeof value === 'string' && wordOf(words, value) === undefined ? value : null))(key);
}

/** Own keys only: `constructor` is a word like any other. */
function wordOf<E>(words: Readonly<Record<string, E>>, sent: string): E | undefined {
  return Object.hasOwn(words, sent) ? words[sent] : undefined;
}
