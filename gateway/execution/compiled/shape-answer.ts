import {
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isCompositeType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type SelectionSetNode,
} from 'graphql';
import {
  createErrorList,
  createOmissions,
  type ErrorList,
  type OmittedErrors,
} from '../../../runtime/errors/error-list.js';
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import { withoutStack } from '../../../schema/errors.js';
import { type Data, isData } from './merge.js';
import { type SelectedField, type SelectionScope, selectFields } from './selected-fields.js';

/** The response of an operation: what was merged, cut to what was selected and checked against the schema. */
export interface ShapedAnswer {
  readonly data: Data | null;
  /** One for each value that its field cannot hold: it became null. */
  readonly errors: readonly GraphQLError[];
  /** Errors beyond those that an answer lists. */
  readonly omitted: OmittedErrors | undefined;
}

export interface AnswerScope extends SelectionScope {
  /** Gives the client's name back to a name of the plan. */
  readonly restoreName: (name: string) => string;
}

/** Compiles the selections of an operation into a function from merged data to the answer. */
export function compileAnswer(
  selections: SelectionSetNode,
  root: GraphQLObjectType,
  scope: AnswerScope,
): (merged: Data) => Promise<ShapedAnswer> {
  const complete = completeObject([selections], root, scope);
  return async (merged) => {
    const omissions = createOmissions();
    const shaping: Shaping = { path: [], errors: createErrorList(omissions), later: [] };
    const data = complete(merged, shaping);
    for (let next = shaping.later.pop(); next !== undefined; next = shaping.later.pop()) {
      await freshTurn();
      next();
    }
    return { data: isData(data) ? data : null, errors: shaping.errors.errors, omitted: omissions.read() };
  };
}

/** An error for a value that a source sent against the schema, at its place in the answer. */
export function unfitValue(path: readonly (string | number)[] | undefined): GraphQLError {
  const message = 'A source sent a value that this field cannot hold.';
  return withoutStack(
    () => new GraphQLError(message, { path: path ?? null, extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }),
  );
}

interface Shaping {
  /** Where the value stands that is being completed. */
  readonly path: (string | number)[];
  readonly errors: ErrorList<GraphQLError>;
  /** Rests of long lists, to be completed in later turns of the event loop. */
  readonly later: (() => void)[];
}

/** Gives a value as the answer shows it, `NULLED` or `BUBBLING`. Never undefined. */
type Complete = (value: unknown, shaping: Shaping) => unknown;

/** The same for what is known to be an object. */
type CompleteObject = (value: Data, shaping: Shaping) => unknown;

/** Null because of an error that has been reported. */
const NULLED = Symbol('nulled');

/** A null where none may stand: the parent is null. */
const BUBBLING = Symbol('bubbling');

function compileType(type: GraphQLOutputType, sets: readonly SelectionSetNode[], scope: AnswerScope): Complete {
  if (isNonNullType(type)) return completeNonNull(compileType(type.ofType, sets, scope));
  if (isListType(type)) return completeList(compileType(type.ofType, sets, scope), isCompositeType(type.ofType));
  if (isLeafType(type)) return completeLeaf(type);
  return completeByType(type, sets, scope);
}

function completeNonNull(complete: Complete): Complete {
  return (value, shaping) => {
    const completed = complete(value, shaping);
    if (completed === null) refuse(shaping);
    return completed === null || completed === NULLED ? BUBBLING : completed;
  };
}

function completeList(complete: Complete, mayPause: boolean): Complete {
  return (value, shaping) => {
    if (value === null) return null;
    if (!Array.isArray(value)) return refuse(shaping);
    const items: unknown[] = [];
    let bubbles = false;
    for (let index = 0; index < value.length; index++) {
      if (mayPause && isTurnSpent()) {
        completeLater(value, items, complete, shaping);
        return items;
      }
      const item = completeItem(value, index, complete, shaping);
      if (item === BUBBLING) bubbles = true;
      items.push(item);
    }
    return bubbles ? NULLED : items;
  };
}

function completeItem(list: readonly unknown[], index: number, complete: Complete, shaping: Shaping): unknown {
  shaping.path.push(index);
  const item = complete(list[index] ?? null, shaping);
  shaping.path.pop();
  return item === NULLED ? null : item;
}

/** Completes the rest of a list in later turns: an item that may be null makes nothing else null. */
function completeLater(list: readonly unknown[], items: unknown[], complete: Complete, of: Shaping): void {
  const shaping = { ...of, path: [...of.path] };
  of.later.push(function proceed() {
    while (items.length < list.length) {
      items.push(completeItem(list, items.length, complete, shaping));
      if (!isTurnSpent()) continue;
      if (items.length < list.length) of.later.push(proceed);
      return;
    }
  });
}

function completeLeaf(type: GraphQLLeafType): Complete {
  const fits = fitsOf(type);
  return (value, shaping) => (value === null || fits(value) ? value : refuse(shaping));
}

/**
 * A value of a composite type, by its `__typename` where it has one: behind the declared type may stand others. Where a
 * subgraph has an object type for what is an interface here, a value has no name, or the interface's.
 */
function completeByType(
  declared: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  scope: AnswerScope,
): Complete {
  const byName = new Map<string, CompleteObject>();
  if (isObjectType(declared)) byName.set(declared.name, completeObject(sets, declared, scope));

  function completeOf(name: string): CompleteObject | null {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const type = scope.schema.getType(name);
    // Names come from subgraphs: only those that the schema knows pass.
    if (!isCompositeType(type)) return null;
    const complete = completeObject(sets, type, scope);
    byName.set(name, complete);
    return complete;
  }

  return (value, shaping) => {
    if (value === null) return null;
    if (!isData(value)) return refuse(shaping);
    const name = value['__typename'];
    const complete = completeOf(typeof name === 'string' ? name : declared.name);
    return complete === null ? refuse(shaping) : complete(value, shaping);
  };
}

function completeObject(
  sets: readonly SelectionSetNode[],
  type: GraphQLCompositeType,
  scope: AnswerScope,
): CompleteObject {
  const fields = selectFields(sets, type, scope).map((field) => ({
    key: field.key,
    shown: scope.restoreName(field.key),
    complete: completeField(field, type, scope),
  }));
  return (value, shaping) => {
    const { path } = shaping;
    const answer: Data = {};
    for (const { key, shown, complete } of fields) {
      path.push(key);
      const completed = complete(Object.hasOwn(value, key) ? (value[key] ?? null) : null, shaping);
      path.pop();
      if (completed === BUBBLING) return NULLED;
      answer[shown] = completed === NULLED ? null : completed;
    }
    return answer;
  };
}

function completeField({ name, sets }: SelectedField, type: GraphQLCompositeType, scope: AnswerScope): Complete {
  // An object whose concrete type no subgraph returned has none to show.
  if (name === '__typename') return isObjectType(type) ? () => type.name : () => BUBBLING;
  const field = isUnionType(type) ? undefined : type.getFields()[name];
  // The operation was validated: a field that the type lacks is an internal error.
  if (field === undefined) throw new Error(`${type.name} has no field ${name}.`);
  return compileType(field.type, sets, scope);
}

function refuse({ path, errors }: Shaping): typeof NULLED {
  errors.add(path, () => unfitValue([...path]));
  return NULLED;
}

/** Whether JSON of this kind may stand for the type. What is in a scalar of our own was checked where it was made. */
function fitsOf(type: GraphQLLeafType): (value: unknown) => boolean {
  if (isEnumType(type)) return (value) => typeof value === 'string' && type.getValue(value) !== undefined;
  switch (type.name) {
    case 'String':
      return (value) => typeof value === 'string';
    case 'ID':
      return (value) => typeof value === 'string' || Number.isInteger(value);
    case 'Int':
      return Number.isInteger;
    case 'Float':
      return Number.isFinite;
    case 'Boolean':
      return (value) => typeof value === 'boolean';
    default:
      return () => true;
  }
}
