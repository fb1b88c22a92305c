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
import { inUnits } from '../../../schema/byte-units.js';
import { withoutStack } from '../../../schema/errors.js';
import { type SelectedField, type SelectionScope, selectFields } from '../../graph/selected-fields.js';
import { responseTooLarge } from '../../request/response-too-large.js';
import { type Data, isData } from './merge.js';

/** The merged data of an operation, reduced to what was selected and checked against the schema. */
export interface ShapedResponse {
  readonly data: Data | null;
  /** One for each value that violates the schema; the value became null. */
  readonly errors: readonly GraphQLError[];
  /** Errors beyond the limit of one response. */
  readonly omitted: OmittedErrors | undefined;
}

/** What compiling a response needs to know. */
export interface ResponseScope extends SelectionScope {
  /** Maps a name in the plan back to the client's. */
  readonly restoreName: (name: string) => string;
  /** Limit on one response, in bytes of JSON. */
  readonly maxBytes: number;
}

/**
 * Compiles the selections of an operation into a function that turns merged data into the response. It rejects with
 * ANSWER_TOO_LARGE as soon as the response is certain to exceed its limit: joins there and back repeat the same few
 * objects, and the resulting tree may be a thousand times as large as they are.
 */
export function compileResponse(
  selections: SelectionSetNode,
  root: GraphQLObjectType,
  scope: ResponseScope,
): (merged: Data, request: object) => Promise<ShapedResponse> {
  const complete = completeObject([selections], root, scope);
  return async (merged, request) => {
    const omissions = createOmissions();
    const size = { left: scope.maxBytes, most: scope.maxBytes };
    const completion: Completion = { path: [], errors: createErrorList(omissions), deferred: [], size };
    const data = complete(merged, completion);
    for (let next = completion.deferred.pop(); next !== undefined; next = completion.deferred.pop()) {
      await freshTurn(request);
      next();
    }
    return { data: isData(data) ? data : null, errors: completion.errors.errors, omitted: omissions.read() };
  };
}

/** The error for a value that violates the schema, at its path in the response. */
export function invalidValueError(path: readonly (string | number)[] | undefined): GraphQLError {
  const message = 'A source sent a value that does not fit the type of this field.';
  return withoutStack(
    () => new GraphQLError(message, { path: path ?? null, extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }),
  );
}

interface Completion {
  /** Path of the value that is being completed. */
  readonly path: (string | number)[];
  readonly errors: ErrorList<GraphQLError>;
  /** Remainders of long lists, completed in later turns of the event loop. */
  readonly deferred: (() => void)[];
  /** Bytes that are left for the rest of the response, and the limit for all of it. */
  readonly size: { left: number; readonly most: number };
}

/** Quotes, colon and comma of a field, without its value. */
const FIELD_BYTES = 4;

/** Counts bytes that the response has at least. */
function spend({ size }: Completion, bytes: number): void {
  size.left -= bytes;
  if (size.left < 0) throw responseTooLarge(`The response would have more than ${inUnits(size.most)}.`);
}

/** Completes a value: returns the value as the client sees it, `NULLED` or `BUBBLING`. Never undefined. */
type Complete = (value: unknown, completion: Completion) => unknown;

/** The same for a value that is known to be an object. */
type CompleteObject = (value: Data, completion: Completion) => unknown;

/** Null because of an error that has been reported. */
const NULLED = Symbol('nulled');

/** A null in a non-null position: it propagates to the parent. */
const BUBBLING = Symbol('bubbling');

function compileType(type: GraphQLOutputType, sets: readonly SelectionSetNode[], scope: ResponseScope): Complete {
  if (isNonNullType(type)) return completeNonNull(compileType(type.ofType, sets, scope));
  if (isListType(type)) return completeList(compileType(type.ofType, sets, scope), isCompositeType(type.ofType));
  if (isLeafType(type)) return completeLeaf(type);
  return completeByType(type, sets, scope);
}

function completeNonNull(complete: Complete): Complete {
  return (value, completion) => {
    const completed = complete(value, completion);
    if (completed === null) reportInvalid(completion);
    return completed === null || completed === NULLED ? BUBBLING : completed;
  };
}

function completeList(complete: Complete, mayPause: boolean): Complete {
  return (value, completion) => {
    if (value === null) return null;
    if (!Array.isArray(value)) return reportInvalid(completion);
    const items: unknown[] = [];
    let bubbles = false;
    for (let index = 0; index < value.length; index++) {
      if (mayPause && isTurnSpent()) {
        completeLater(value, items, complete, completion);
        return items;
      }
      const item = completeItem(value, index, complete, completion);
      if (item === BUBBLING) bubbles = true;
      items.push(item);
    }
    return bubbles ? NULLED : items;
  };
}

function completeItem(list: readonly unknown[], index: number, complete: Complete, completion: Completion): unknown {
  completion.path.push(index);
  const item = complete(list[index] ?? null, completion);
  completion.path.pop();
  return item === NULLED ? null : item;
}

/** Defers the rest of a list of nullable items: completing it later cannot null anything else. */
function completeLater(list: readonly unknown[], items: unknown[], complete: Complete, of: Completion): void {
  const completion = { ...of, path: [...of.path] };
  of.deferred.push(function resume() {
    while (items.length < list.length) {
      items.push(completeItem(list, items.length, complete, completion));
      if (!isTurnSpent()) continue;
      if (items.length < list.length) of.deferred.push(resume);
      return;
    }
  });
}

function completeLeaf(type: GraphQLLeafType): Complete {
  const isValid = validatorOf(type);
  return (value, completion) => {
    if (typeof value === 'string') spend(completion, value.length);
    return value === null || isValid(value) ? value : reportInvalid(completion);
  };
}

/**
 * Completes a value of a composite type by its `__typename`, which may be a possible type of the declared one. If a
 * subgraph has an object type for an interface (`@interfaceObject`), it is missing, or is the interface's own name.
 */
function completeByType(
  declared: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  scope: ResponseScope,
): Complete {
  const byName = new Map<string, CompleteObject>();
  if (isObjectType(declared)) byName.set(declared.name, completeObject(sets, declared, scope));

  function completeOf(name: string): CompleteObject | null {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const type = scope.schema.getType(name);
    // Names come from subgraphs: only those in the schema are accepted.
    if (!isCompositeType(type)) return null;
    const complete = completeObject(sets, type, scope);
    byName.set(name, complete);
    return complete;
  }

  return (value, completion) => {
    if (value === null) return null;
    if (!isData(value)) return reportInvalid(completion);
    const name = value['__typename'];
    const complete = completeOf(typeof name === 'string' ? name : declared.name);
    return complete === null ? reportInvalid(completion) : complete(value, completion);
  };
}

function completeObject(
  sets: readonly SelectionSetNode[],
  type: GraphQLCompositeType,
  scope: ResponseScope,
): CompleteObject {
  const fields = selectFields(sets, type, scope).map((field) => ({
    key: field.key,
    responseKey: scope.restoreName(field.key),
    complete: completeField(field, type, scope),
  }));
  return (value, completion) => {
    const { path } = completion;
    const response: Data = {};
    for (const { key, responseKey, complete } of fields) {
      spend(completion, responseKey.length + FIELD_BYTES);
      path.push(key);
      const completed = complete(Object.hasOwn(value, key) ? (value[key] ?? null) : null, completion);
      path.pop();
      if (completed === BUBBLING) return NULLED;
      response[responseKey] = completed === NULLED ? null : completed;
    }
    return response;
  };
}

function completeField({ name, sets }: SelectedField, type: GraphQLCompositeType, scope: ResponseScope): Complete {
  // No subgraph returned the object's concrete type, so there is none to show.
  if (name === '__typename') return isObjectType(type) ? () => type.name : () => BUBBLING;
  const field = isUnionType(type) ? undefined : type.getFields()[name];
  // The operation has been validated: a missing field is an internal error.
  if (field === undefined) throw new Error(`${type.name} has no field ${name}.`);
  return compileType(field.type, sets, scope);
}

function reportInvalid({ path, errors }: Completion): typeof NULLED {
  errors.add(path, () => invalidValueError([...path]));
  return NULLED;
}

/** Whether a JSON value is valid for a leaf type. Custom scalars were already checked by their subgraph. */
function validatorOf(type: GraphQLLeafType): (value: unknown) => boolean {
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
