import type { GraphQLField, GraphQLResolveInfo } from 'graphql';
import { notAtHand } from '../../../schema/at-hand.js';
import { directField } from '../../../schema/direct-field.js';
import { type Awaitable, isPromise } from '../../../schema/is-promise.js';
import type { Subgraph } from '../../../schema/operation.js';
import type { DirectRun } from './direct-run.js';
import type { FetchRun } from './fetch-run.js';
import { NotCompiled } from './home.js';

/** How the value of a field is found. */
export interface FieldReader {
  /** Whether the value follows from the object alone, so that it can be read without a run. */
  readonly isPure: boolean;
  read(object: object, run: DirectRun | null): unknown;
  /** The same for a run that fetches: the value, or a promise of it. */
  fetch(object: object, run: FetchRun): Awaitable<unknown>;
}

/**
 * Reads a field with its subgraph's resolver; `argsAt` is the index of its arguments in a run. The reader throws the
 * signal that ends the run if a resolver returns a promise.
 */
export function readField(field: GraphQLField<unknown, unknown>, home: Subgraph, argsAt: number): FieldReader {
  const direct = directField(field);
  if (direct === null) throw new NotCompiled(`${field.name} is not a field of ours.`);
  const { resolve, isPure } = direct;
  if (resolve === null) {
    if (!isPure) throw new NotCompiled(`${field.name} takes arguments without a resolver.`);
    const property = (object: object) => propertyOf(object as Record<string, unknown>, field.name);
    return { isPure, read: (object) => atHand(property(object)), fetch: property };
  }
  if (resolve.length > 3) throw new NotCompiled(`The resolver of ${field.name} reads the selection.`);
  if (isPure) {
    const value = (object: object) => resolve(object, NONE, undefined, NO_INFO);
    return { isPure, read: (object) => atHand(value(object)), fetch: value };
  }
  return {
    isPure,
    read(object, run) {
      if (run === null) throw notAtHand('failed');
      return atHand(resolve(object, run.args[argsAt] ?? NONE, run.contextOf(home), NO_INFO));
    },
    fetch: (object, run) => resolve(object, run.args[argsAt] ?? NONE, run.contextOf(home), NO_INFO),
  };
}

/** Like graphql-js, calls the property if it is a method. */
function propertyOf(object: Record<string, unknown>, name: string): unknown {
  const value = object[name];
  return typeof value === 'function' ? value.call(object) : value;
}

function atHand(value: unknown): unknown {
  if (!isPromise(value)) return value;
  // Nobody waits for the promise, so its rejection must not count as unhandled.
  value.then(undefined, () => {});
  throw notAtHand('waits');
}

const NONE = {};

/** No resolver that is read this way takes the fourth argument. */
const NO_INFO = undefined as unknown as GraphQLResolveInfo;
