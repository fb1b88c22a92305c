/**
 * Errors that one answer lists. A client reads the first few; a page of a thousand rows each of which failed in every
 * field would weigh more than its data.
 */
export const MAX_ERRORS = 1_000;

/** The place of an error in a response, as the GraphQL specification writes it. */
export type ErrorPath = readonly (string | number)[];

/** A place where errors stood that an answer does not list: `@` stands for each position in a list. */
export interface OmittedPlace {
  readonly path: readonly string[];
  /** Whose errors they were, once the gateway knows. */
  readonly subgraph?: string | undefined;
}

/** Errors that an answer does not list: how many, and each place once. */
export interface OmittedErrors {
  readonly count: number;
  readonly places: readonly OmittedPlace[];
}

/** Collects what answers leave out. It grows with the fields of an operation, not with its rows. */
export interface Omissions {
  add(path: ErrorPath | undefined, subgraph?: string): void;
  /** Adds what a part of the answer left out; `placeIn` says where in the whole the place of a part is. */
  include(omitted: OmittedErrors | undefined, placeIn?: (place: OmittedPlace) => OmittedPlace): void;
  /** What was left out so far; undefined when nothing was. */
  read(): OmittedErrors | undefined;
}

/** Begins with nothing left out. */
export function createOmissions(): Omissions {
  let count = 0;
  const places = new Map<string, OmittedPlace>();

  function remember(place: OmittedPlace): void {
    const key = `${place.subgraph}:${place.path.join('.')}`;
    if (!places.has(key)) places.set(key, place);
  }

  return {
    add(path, subgraph) {
      count += 1;
      if (path !== undefined) remember({ path: placeOf(path), subgraph });
    },
    include(omitted, placeIn = (place) => place) {
      if (omitted === undefined) return;
      count += omitted.count;
      for (const place of omitted.places) remember(placeIn(place));
    },
    read: () => (count === 0 ? undefined : { count, places: [...places.values()] }),
  };
}

/** The errors of one response: the first are listed, the others are counted without being created. */
export interface ErrorList<E> {
  readonly errors: readonly E[];
  add(path: ErrorPath | undefined, make: () => E, subgraph?: string): void;
}

/** An empty list that reports to `omissions` what it leaves out. */
export function createErrorList<E>(omissions: Omissions): ErrorList<E> {
  const errors: E[] = [];
  return {
    errors,
    add(path, make, subgraph) {
      if (errors.length < MAX_ERRORS) errors.push(make());
      else omissions.add(path, subgraph);
    },
  };
}

function placeOf(path: ErrorPath): string[] {
  return path.map((step) => (typeof step === 'number' ? '@' : step));
}
