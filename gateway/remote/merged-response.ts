import { GraphQLError } from 'graphql';
import { type CodedError, withoutStack } from '../../kernel/errors.js';
import { inUnits, isRecord } from '../../kernel/text.js';
import {
  createErrorList,
  type ErrorList,
  type Omissions,
  type OmittedPlace,
  type ResponsePath,
} from '../../runtime/errors.js';
import { freshTurn, isTurnSpent, laterTurn } from '../../runtime/event-loop/turns.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { responseTooLarge } from '../request/request.js';

/** An object in a response. */
export type Data = Record<string, unknown>;

/** One fetch of a plan: of root fields, or of the entities with these representations at a path. */
export interface Fetch {
  readonly subgraph: string;
  /** Field names from the root of the response; `@` stands for every index of a list. */
  readonly path: readonly string[];
  /** Null for root fields. */
  readonly representations: readonly unknown[] | null;
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

/** Subgraph responses are larger than what clients see: they have keys and type names. */
const RESPONSE_FACTOR = 2;

/**
 * What the library merges the responses of one operation's fetches into: the very objects that it was given, which it
 * links to each other. Knowing them, it bounds what they amount to, and finds the places of errors, which the library
 * itself gets wrong for lists of several types.
 */
export class MergedResponse {
  readonly errors: ErrorList<GraphQLError>;
  /** Set once the response is too large: nothing more is fetched then. */
  tooLarge: CodedError | null = null;
  readonly #omissions: Omissions;
  readonly #root: Data = {};
  readonly #maxBytes: number;
  #values = 0;
  #bytes = 0;

  /** `maxBytes` limits one response. */
  constructor(omissions: Omissions, maxBytes: number) {
    this.errors = createErrorList(omissions);
    this.#omissions = omissions;
    this.#maxBytes = maxBytes;
  }

  /** Whether the library will take longer with it than a turn of the event loop should. */
  get isLong(): boolean {
    return this.#values > LONG_VALUES;
  }

  /** Whether a fetch may be sent. */
  admits({ representations }: Fetch): boolean {
    if (representations !== null && representations.length > MAX_REPRESENTATIONS) {
      const message = `The response would join more than ${MAX_REPRESENTATIONS} objects at one place.`;
      this.tooLarge ??= responseTooLarge(message);
    }
    return this.tooLarge === null;
  }

  /** Takes the response to a fetch; returns the data for the library to merge, null if there is none. */
  async add(fetch: Fetch, { data, errors = [], omitted }: SubgraphResponse): Promise<Data | null> {
    this.#addErrors(fetch, errors);
    this.#omissions.include(omitted, placeInResponse(fetch));
    if (!data) return null;
    for (const [value, times] of countEqual(fetch, data)) await this.#grow(value, times);
    if (this.tooLarge !== null) return null;
    if (this.isLong) await laterTurn();
    // As the library does: the first of two objects at one place stays, and takes the fields of the other.
    if (fetch.representations === null) for (const key of Object.keys(data)) this.#root[key] ??= data[key];
    return data;
  }

  #addErrors(fetch: Fetch, errors: NonNullable<SubgraphResponse['errors']>): void {
    let places: readonly ResponsePath[] | null = null;
    for (const { message, path, extensions } of errors) {
      const [, index, ...below] = path ?? [];
      let place: ResponsePath | undefined = path;
      if (fetch.representations !== null) {
        places ??= this.#placesOf(fetch.path, fetch.representations);
        const object = typeof index === 'number' ? places[index] : undefined;
        place = object === undefined ? listPath(fetch.path) : [...object, ...below];
      }
      const own = { path: place ?? null, extensions: { ...extensions, serviceName: fetch.subgraph } };
      this.errors.add(place, () => withoutStack(() => new GraphQLError(message, own)), fetch.subgraph);
    }
  }

  /** The path of the object behind each representation; the library makes none of objects that lack a required field. */
  #placesOf(path: Fetch['path'], representations: readonly unknown[]): ResponsePath[] {
    const objects = objectsAt(this.#root, path);
    if (objects.length === representations.length) return objects.map(({ place }) => place);
    let at = 0;
    return representations.map((representation) => {
      while (at < objects.length && !isRepresentedBy(objects[at]?.value, representation)) at += 1;
      const found = objects[at]?.place ?? listPath(path);
      at += 1;
      return found;
    });
  }

  /** Counts a value and all in it, in turns. */
  async #grow(root: unknown, times: number): Promise<void> {
    const open = [root];
    for (let seen = 1; open.length > 0; seen += 1) {
      const value = open.pop();
      this.#values += times;
      if (typeof value === 'string') this.#bytes += times * value.length;
      if (typeof value === 'object' && value !== null) for (const below of Object.values(value)) open.push(below);
      if (seen % CHECKED_EVERY === 0 && isTurnSpent()) await freshTurn();
    }
    if (this.#values > MAX_VALUES) {
      this.tooLarge ??= responseTooLarge(`The response would have more than ${MAX_VALUES} values.`);
    } else if (this.#bytes > RESPONSE_FACTOR * this.#maxBytes) {
      this.tooLarge ??= responseTooLarge(`The response would have more than ${inUnits(this.#maxBytes)}.`);
    }
  }
}

/** Values between two checks of the clock. */
const CHECKED_EVERY = 64;

/** The parts of a response's data, each with the number of places that it has. */
function countEqual({ representations }: Fetch, data: Data): ReadonlyMap<unknown, number> {
  const entities = data['_entities'];
  if (representations === null || !Array.isArray(entities)) return new Map([[data, 1]]);
  const times = new Map<unknown, number>();
  for (const entity of entities) times.set(entity, (times.get(entity) ?? 0) + 1);
  return times;
}

interface Placed {
  readonly value: unknown;
  readonly place: ResponsePath;
}

/** What is found at a path, once for each way to it, in the order in which the library represents it. */
function objectsAt(root: Data, path: Fetch['path']): Placed[] {
  let found: Placed[] = [{ value: root, place: [] }];
  for (const step of path) {
    found = found.flatMap(({ value, place }) => {
      const entries =
        step !== '@'
          ? [[step, isRecord(value) && Object.hasOwn(value, step) ? value[step] : null] as const]
          : Array.isArray(value)
            ? [...value.entries()]
            : [];
      return entries.map(([key, below]) => ({ value: below, place: [...place, key] }));
    });
  }
  return found.filter(({ value }) => value !== null && value !== undefined);
}

/** Whether an object has all fields of a representation. */
function isRepresentedBy(value: unknown, representation: unknown): boolean {
  if (Array.isArray(representation)) {
    if (!Array.isArray(value) || value.length !== representation.length) return false;
    return representation.every((item, index) => isRepresentedBy(value[index], item));
  }
  if (!isRecord(representation)) return value === representation;
  return isRecord(value) && Object.entries(representation).every(([key, below]) => isRepresentedBy(value[key], below));
}

/** The nearest place of a path that is not within a list. */
function listPath(path: Fetch['path']): ResponsePath {
  const list = path.indexOf('@');
  return list < 0 ? path : path.slice(0, list);
}

/** Maps places in the response to one fetch to places in the client's response. */
function placeInResponse({ path, subgraph }: Fetch): (place: OmittedPlace) => OmittedPlace {
  return ({ path: place }) => {
    const [root, ...below] = place;
    return { path: root === '_entities' ? [...path, ...below.slice(1)] : place, subgraph };
  };
}
