import { GraphQLError, type GraphQLResolveInfo, type GraphQLSchema, isObjectType, responsePathAsArray } from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { inUnits } from '../../kernel/text.js';
import type { ResponsePath } from '../../runtime/errors.js';
import { freshTurn, isTurnSpent, laterTurn } from '../../runtime/event-loop/turns.js';
import { resolverOf } from '../graph/executable-schema.js';
import { responseTooLarge } from '../request/request.js';
import { RESPONSE_FACTOR } from './http-subgraph.js';
import { keyOf, restoreNames } from './planned-operation.js';

/** An object in a response. */
export type Data = Record<string, unknown>;

/**
 * Stands in merged data for a value that a subgraph failed to answer. The library carries it along like any other value:
 * into the representations of the joins that require it, which fail for the same reason, and to its place in the
 * response. Whatever is read of it is itself, and it has no key that could be merged into an object.
 */
export class Failure {
  /** Why; null if the subgraph did not list the error. */
  readonly error: GraphQLError | null = null;
  /** Where below the missing value: a null that must not be one takes what is above it away. */
  readonly below: ResponsePath = [];

  /** The library looks for objects in what should be a list: there are none. */
  flatMap(): readonly unknown[] {
    return [];
  }

  /** What a subgraph gets in its place. */
  toJSON(): null {
    return null;
  }
}

/** A failure, also of all that joins may require of the missing value. */
export function failed(error: GraphQLError | null, below: ResponsePath = []): Failure {
  const failure: Failure = new Proxy(Object.assign(new Failure(), { error, below }), {
    get: (itself, name) => (name in itself || typeof name === 'symbol' ? Reflect.get(itself, name) : failure),
    getOwnPropertyDescriptor: () => ({ value: failure, configurable: true, enumerable: false, writable: true }),
    ownKeys: () => [],
  });
  return failure;
}

/** The first failure in a value, such as the representation of an object; undefined if there is none. */
export function failureIn(value: unknown): Failure | undefined {
  if (value instanceof Failure) return value;
  const below = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return below.map(failureIn).find((found) => found !== undefined);
}

/**
 * Puts a failure in the place of a value, or of the null above it, and only of a null if it is not `certain`; `@` stands
 * for every item of a list. `make` gets what is left of the path.
 */
export function putFailure(
  value: unknown,
  [step, ...below]: ResponsePath,
  make: (below: ResponsePath) => Failure,
  isCertain = true,
): void {
  if (typeof value !== 'object' || value === null || step === undefined) return;
  if (step === '@') {
    for (const index of Array.isArray(value) ? value.keys() : []) putFailure(value, [index, ...below], make, isCertain);
    return;
  }
  if (Array.isArray(value) && !Object.hasOwn(value, step)) return;
  const there: unknown = Object.hasOwn(value, step) ? value[step as keyof typeof value] : null;
  if (there instanceof Failure) return;
  if (below.length > 0 && typeof there === 'object' && there !== null) putFailure(there, below, make, isCertain);
  else if (isCertain || there === null)
    Object.defineProperty(value, step, { value: make(below), configurable: true, enumerable: true, writable: true });
}

/**
 * Representations of one fetch, and values of the whole response: the library works on either in one go, at a
 * microsecond a value and ten a representation. It visits an object once for each path to it, so joins there and back
 * multiply: the values of a shared object count each time. Twice what the cost limit lets an operation request.
 */
const MAX_REPRESENTATIONS = 10_000;
const MAX_VALUES = 250_000;

/** Values of a response that takes longer to merge than a turn of the event loop should. */
const LONG_VALUES = 2_000;

/** Values between two checks of the clock. */
const CHECKED_EVERY = 64;

/** The planner renames keys that conflict within a fetch, `city__alias_0`. */
const PLANNER_ALIAS = /__alias_\d+$/;

/**
 * What one operation's fetches are merged into: the very objects that the library was given, which it links to each
 * other. The library's own result is not used: it has lost what failed.
 */
export class MergedData {
  readonly root: Data = {};
  /** Set once the response is too large: nothing more is fetched then. */
  tooLarge: CodedError | null = null;
  readonly #maxBytes: number;
  #values = 0;
  #bytes = 0;

  /** `maxBytes` limits one response, as JSON. */
  constructor(maxBytes: number) {
    this.#maxBytes = RESPONSE_FACTOR * maxBytes;
  }

  /** Whether a fetch of that many entities may be sent. */
  admits(representations: number): boolean {
    if (representations > MAX_REPRESENTATIONS)
      this.#refuse(`join more than ${MAX_REPRESENTATIONS} objects at one place`);
    return this.tooLarge === null;
  }

  /** Takes the data of root fields; null if they are too many. */
  async addRoot(data: Data): Promise<Data | null> {
    const taken = await this.take(data);
    // As the library does: the first of two objects at one place stays, and takes the fields of the other.
    for (const key of Object.keys(data)) this.root[key] ??= data[key];
    return taken;
  }

  /** Counts the data of a fetch, in turns; null if they are too many. */
  async take(data: Data): Promise<Data | null> {
    const open: unknown[] = [data];
    for (let seen = 1; open.length > 0 && this.#values <= MAX_VALUES; seen += 1) {
      const value = open.pop();
      this.#values += 1;
      if (typeof value === 'string') this.#bytes += value.length;
      if (typeof value === 'object' && value !== null) {
        restoreKeys(value);
        for (const below of Object.values(value)) open.push(below);
      }
      // A small fetch waits for nobody's turn.
      if (seen % CHECKED_EVERY === 0 && isTurnSpent()) await freshTurn();
    }
    if (this.#values > MAX_VALUES) this.#refuse(`have more than ${MAX_VALUES} values`);
    if (this.#bytes > this.#maxBytes) this.#refuse(`have more than ${inUnits(this.#maxBytes / RESPONSE_FACTOR)}`);
    if (this.#values > LONG_VALUES) await laterTurn();
    return this.tooLarge === null ? data : null;
  }

  #refuse(why: string): void {
    this.tooLarge ??= responseTooLarge(`The response would ${why}.`);
  }
}

/** The library gives the planner's keys their names again, but not where a value is null, false, 0 or empty. */
function restoreKeys(object: object): void {
  for (const [key, value] of Object.entries(object)) {
    const name = key.replace(PLANNER_ALIAS, '');
    if (!value && !Object.hasOwn(object, name)) Object.assign(object, { [name]: value });
  }
}

/**
 * Makes the API schema answer from merged data: graphql-js then gives the response its shape, the client's names and the
 * order of its fields, answers introspection, and reports each failure at its place, and what a subgraph answered against
 * the schema.
 */
export function answerFromMerged(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = resolverOf(field, (object, _arguments, { root }, info) =>
        read((object as Data | undefined) ?? root, info),
      );
    }
  }
}

function read(object: Data, info: GraphQLResolveInfo): unknown {
  const [node] = info.fieldNodes;
  const key = node && keyOf(node);
  const value = key !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  if (value instanceof Failure) return fail(value, info.path);
  // Of a source whose subgraph failed, what is known has the names of the fields (`data-source.ts`); the rest is null.
  const isOfSource = value === undefined && info.parentType.getInterfaces().some(({ name }) => name === 'Source');
  if (isOfSource && (Object.hasOwn(object, info.fieldName) || object['state'] === 'DOWN'))
    return object[info.fieldName] ?? null;
  if (value === undefined) throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'A source sent nothing for this field.');
  return Array.isArray(value) ? value.map((item) => (item instanceof Failure ? item.error : item)) : value;
}

function fail({ error, below }: Failure, path: GraphQLResolveInfo['path']): null {
  if (error === null) return null;
  if (below.length === 0) throw error;
  const restored = below.map((step) => (typeof step === 'string' ? restoreNames(step) : step));
  throw new GraphQLError(error.message, { path: [...responsePathAsArray(path), ...restored], originalError: error });
}
