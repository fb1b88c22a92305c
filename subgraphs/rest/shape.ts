import { readDate } from '../../kernel/dates.js';
import { CodedError } from '../../kernel/errors.js';
import type { ServiceName } from '../../kernel/services.js';
import type { DriftKind } from '../../kernel/source-figures.js';
import { isRecord, ownValue } from '../../kernel/text.js';

/**
 * Checked views over what a service sent.
 *
 * A shape is declared once per documented object, in the client of its service. `view` wraps the JSON without
 * copying it. Each field is checked when it is selected: an unselected field costs nothing, and a field of the wrong
 * type is a coded error of that field alone, without affecting its siblings or the rest of the list.
 */

/** The service that sent a value, and where to report drift from its documented type. */
export interface Sender {
  readonly service: ServiceName;
  /** Counts a value that is not as documented, by its place, such as `Mission.title`. */
  drift(place: string, kind: DriftKind): void;
}

/** Checks one value. Null and absent both become null before a reader is called. */
export type Read<T> = (value: NonNullable<unknown>, place: string, sender: Sender) => T;

/** One field of a shape: the service's key, and how its value is checked. */
export interface Field<T> {
  /** Key in the service's JSON; the field's own name when left out. */
  readonly key?: string;
  /** Whether the service promises the key, even if its value is null. */
  readonly required?: boolean;
  /** Whether null is an error. */
  readonly neverNull?: boolean;
  /** Whether null is a documented item of a list of these. */
  readonly nullable?: boolean;
  /** Whether its value contains objects: a view then returns the same ones each time. */
  readonly holdsObjects?: boolean;
  readonly read: Read<T>;
}

type Fields = Record<string, Field<unknown>>;

/** The fields of a shape's view, each null where the service sent null or nothing. */
export type ViewOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T | null : never };

/** A documented object of a service. */
export interface Shape<V> {
  readonly name: string;
  /** A view of one object. Throws a CodedError when the value is not an object. */
  view(value: unknown, sender: Sender): V;
  /** The view of a whole response: one function for all requests, so that a cached response is parsed once. */
  readonly parse: (response: { readonly json: unknown; readonly sender: Sender }) => V;
}

/** The view type of a shape. */
export type View<S> = S extends Shape<infer V> ? V : never;

/** The error for a value that is not of its documented type. Counts the value as drift. */
export function wrongType(expected: string, place: string, sender: Sender): CodedError {
  return drifted(`sent ${place} in a form other than ${expected}`, place, sender);
}

function drifted(how: string, place: string, { service, drift }: Sender): CodedError {
  drift(place, 'form');
  return new CodedError('UPSTREAM_INVALID_RESPONSE', `${service} ${how}.`, { service });
}

/** The base of all views: the object as it was sent, and where it came from. */
class RawView {
  readonly raw: Record<string, unknown>;
  readonly sender: Sender;
  /** Fields that contain objects, once they were read. */
  read: Map<string, unknown> | null = null;

  constructor(raw: Record<string, unknown>, sender: Sender) {
    this.raw = raw;
    this.sender = sender;
  }
}

/** The object that a view was made from, as the service sent it; anything but a view is returned unchanged. */
export function rawOf(view: unknown): unknown {
  return view instanceof RawView ? view.raw : view;
}

/** Declares a shape. `name` is the documented name of the object, used in errors and in the drift count. */
export function shape<F extends Fields>(name: string, fields: F): Shape<ViewOf<F>> {
  class ShapeView extends RawView {}
  for (const [field, { key = field, required, neverNull, holdsObjects = false, read }] of Object.entries(fields)) {
    const place = `${name}.${key}`;
    const readOf = (view: ShapeView) => {
      const value = view.raw[key];
      if (value === undefined && required)
        throw drifted(`left out ${place}, which it always sends according to its documentation`, place, view.sender);
      if (value === null && neverNull) throw wrongType('a value', place, view.sender);
      return value === null || value === undefined ? null : read(value, place, view.sender);
    };
    const readOnce = holdsObjects ? once(field, readOf) : readOf;
    Object.defineProperty(ShapeView.prototype, field, {
      enumerable: true,
      get(this: ShapeView) {
        return readOnce(this);
      },
    });
  }
  const view = (value: unknown, sender: Sender) => {
    if (!isRecord(value)) throw wrongType('an object', name, sender);
    // The getters on the prototype are the view's fields; their types follow from `fields`.
    return new ShapeView(value, sender) as unknown as ViewOf<F>;
  };
  return { name, view, parse: ({ json, sender }) => view(json, sender) };
}

/** Declares a shape of which the service promises all keys but `optional` ones. */
export function promised<F extends Fields>(name: string, fields: F): Shape<ViewOf<F>> {
  return shape(name, allRequired(fields));
}

/** The same fields, which `fromEntries` cannot know. */
function allRequired<F extends Fields>(fields: F): F {
  return Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, required(of)])) as F;
}

/** Returns the same value each time a view is read, so that what follows from it is computed once. */
function once(field: string, read: (view: RawView) => unknown): (view: RawView) => unknown {
  return (view) => {
    const known = view.read?.get(field);
    if (known !== undefined) return known;
    const value = read(view);
    view.read ??= new Map();
    view.read.set(field, value);
    return value;
  };
}

function field<T>(read: Read<T>): (key?: string) => Field<T> {
  return (key) => (key === undefined ? { read } : { key, read });
}

const readText: Read<string> = (value, place, sender) => {
  if (typeof value !== 'string') throw wrongType('text', place, sender);
  return value;
};

/** A field whose value is of one kind and passed on as it was sent. */
function sent<T>(expected: string, isValid: (value: unknown) => boolean): (key?: string) => Field<T> {
  return field((value, place, sender) => {
    if (!isValid(value)) throw wrongType(expected, place, sender);
    return value as T;
  });
}

const YES_NO = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['yes', true],
  ['no', false],
  ['true', true],
  ['false', false],
]);

const readYesNo: Read<boolean> = (value, place, sender) => {
  const flag = YES_NO.get(value);
  if (flag === undefined) throw wrongType('yes or no', place, sender);
  return flag;
};

const readId: Read<string> = (value, place, sender) => {
  if (typeof value === 'string') return value;
  // Beyond 2^53 several numbers parse to one value, so different records would get the same id.
  if (Number.isSafeInteger(value)) return String(value);
  throw wrongType('an identifier', place, sender);
};

const readAnyNumberId: Read<string> = (value, place, sender) => {
  const isFraction = typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value);
  return isFraction ? String(value) : readId(value, place, sender);
};

/** Text, passed on as it was sent. */
export const text = field(readText);
/** A JSON number. */
export const number = sent<number>('a number', Number.isFinite);
/** A whole number that fits GraphQL's Int, which has 32 bits: a larger one would fail as an internal error. */
export const integer = sent<number>(
  'an integer of 32 bits',
  (value) => typeof value === 'number' && value === (value | 0),
);
/** A JSON boolean. */
export const boolean = sent<boolean>('true or false', (value) => typeof value === 'boolean');
/** A boolean, or `yes`, `no`, `true` or `false`: the seeds show a string without saying which words. */
export const yesNo = field(readYesNo);
/** An identifier: text, or a whole number as text. */
export const id = field(readId);
/** An identifier that is documented as a number of any kind, and may have a fraction. */
export const anyNumberId = field(readAnyNumberId);
/** A date or date-time that exists, passed on as it was sent, including its offset. */
export const moment = sent<string>('a date', (value) => typeof value === 'string' && readDate(value) !== null);

/**
 * A code of a register: text, passed on as it was sent. A malformed code only counts as drift. Empty text means none in
 * the services' older data, and is not drift.
 */
export function code(isValid: (text: string) => boolean, key?: string): Field<string> {
  return field((value, place, sender) => {
    const sent = readText(value, place, sender);
    if (sent !== '' && !isValid(sent)) sender.drift(place, 'code');
    return sent;
  })(key);
}

/** A field whose key the service promises: if it is missing, the field is a coded error instead of null. */
export function required<T>(of: Field<T>): Field<T> {
  return { required: true, ...of };
}

/** A field whose key may be missing, of a shape or record whose other keys are promised. */
export function optional<T>(of: Field<T>): Field<T> {
  return { ...of, required: false };
}

/** A required field that the service never sends as null, such as a list that may be empty but is always there. */
export function neverNull<T>(of: Field<T>): Field<T> {
  return { neverNull: true, ...required(of) };
}

/** An item of a list that may be null by the service's documentation. */
export function nullable<T>(of: Field<T>): Field<T> {
  return { nullable: true, ...of };
}

/** The view of an object that `object` declares. */
type ObjectView<O> = O extends Shape<infer V> ? V : O extends Fields ? ViewOf<O> : never;

/** An object of another shape, or of one with these fields, which is named after its place. */
export function object<O extends Shape<unknown> | Fields>(of: O, key?: string): Field<ObjectView<O>> {
  let known = typeof of['view'] === 'function' ? (of as Shape<unknown>) : null;
  const read: Read<unknown> = (value, place, sender) => {
    known ??= shape(place.replace(/\[\]$/, ''), of as Fields);
    return known.view(value, sender);
  };
  return { holdsObjects: true, ...field(read as Read<ObjectView<O>>)(key) };
}

/** An object of which the service promises all keys but `optional` ones. */
export function record<F extends Fields>(fields: F, key?: string): Field<ViewOf<F>> {
  // The view of fields, which the type of `object` leaves open until it knows them.
  return object(allRequired(fields), key) as Field<ViewOf<F>>;
}

/** As many as the largest page of any source: a list with more wrong items is wrong as a whole. */
const MAX_WRONG_ITEMS = 10_000;

/**
 * A list. A wrong item, and a null among them, becomes an error in its place (GraphQL reports it at the item's path); the other items are
 * unaffected. A list with more than 10,000 wrong items is one error.
 */
export function list<T>(of: Field<T>, key?: string): Field<(T | null)[]> {
  const read: Read<(T | null)[]> = (value, place, sender) => {
    if (!Array.isArray(value)) throw wrongType('a list', place, sender);
    let wrong = 0;
    return value.map((item) => {
      const seen = readItem(item, of, place, sender);
      if (seen instanceof CodedError && ++wrong > MAX_WRONG_ITEMS)
        throw wrongType('a list with readable items', place, sender);
      return seen;
    });
  };
  return { holdsObjects: of.holdsObjects === true, ...field(read)(key) };
}

function readItem<T>(item: unknown, { read, nullable }: Field<T>, place: string, sender: Sender): T | null {
  if (item === null && nullable) return null;
  // graphql-js treats an Error inside a list as the error of that item.
  return orError(() => {
    if (item === null || item === undefined) throw wrongType('a list without nulls', place, sender);
    return read(item, `${place}[]`, sender);
  }) as T;
}

/** What `read` returns, or the coded error that it throws: a wrong value fails alone. */
export function orError<T>(read: () => T): T | CodedError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/**
 * A closed vocabulary: source word → enum value. An unknown word reads as `OTHER` and counts as drift; declare a
 * sibling `<field>Raw` with `otherWord` to preserve its text.
 */
export function vocabulary<E extends string>(words: Readonly<Record<string, E>>, key?: string): Field<E | 'OTHER'> {
  return field((value, place, sender) => {
    const sent = readText(value, place, sender);
    const word = ownValue(words, sent);
    if (word === undefined) sender.drift(place, 'word');
    return word ?? 'OTHER';
  })(key);
}

/** The raw text of a `vocabulary` field that read as `OTHER`; null for a known word. */
export function otherWord(words: Readonly<Record<string, string>>, key: string): Field<string | null> {
  return field((value) => (typeof value === 'string' && ownValue(words, value) === undefined ? value : null))(key);
}

/** What `read` returns; null if it meets a value of the wrong type, which is reported where that is selected. */
export function orNull<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
