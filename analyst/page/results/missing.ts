// What errors left out of a response: told in parts, requested again without the rest, merged into what is shown.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { fragmentsOf } from '../../../kernel/selections.js';
import { isList, isObject, type Json, type JsonObject } from '../../../rows/path.js';
import { operationNameOf, parseQuery, variablesIn } from '../request/operation.js';
import { textsNow } from '../state/language.js';
import type { GraphqlRequest, ResponseError } from '../state/query-result.js';
import { ERROR_TEXTS, type Missing } from './texts.js';

/** What is missing in a response and why, the most rows first. */
export function missingParts(errors: readonly ResponseError[]): Missing[] {
  const parts = new Map<string, Missing & { rowKeys: Set<string> }>();
  for (const { message, path = [], locations = [], extensions = {} } of errors) {
    const { service, code = 'ERROR', retryAfterSeconds } = extensions;
    const place = patternOf(path);
    const key = `${service}\n${code}\n${place}`;
    const part = parts.get(key) ?? {
      service,
      code,
      place,
      rows: 0,
      message,
      retryAfterSeconds,
      at: locations[0],
      rowKeys: new Set(),
    };
    parts.set(key, part);
    part.rowKeys.add(path.slice(0, path.findLastIndex(isIndex) + 1).join('.'));
  }
  return [...parts.values()]
    .map(({ rowKeys, ...part }) => ({ ...part, rows: rowKeys.size }))
    .sort((one, other) => other.rows - one.rows);
}

/** Describes one missing part; the gateway's message is shown next to it. */
export function describeMissing(part: Missing): string {
  return textsNow(ERROR_TEXTS).missing(part);
}

/** Whether a query asks for a list of objects, which is what has rows. */
export function asksForList({ query }: GraphqlRequest, schema: GraphQLSchema): boolean {
  const document = parseQuery(query);
  const types = new TypeInfo(schema);
  let isFound = false;
  const Field = (): void => {
    const type = types.getType();
    isFound ||= !!type && isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
  };
  if (document !== null) visit(document, visitWithTypeInfo(types, { Field }));
  return isFound;
}

function patternOf(path: readonly (string | number)[]): string {
  let pattern = '';
  for (const step of path) pattern += isIndex(step) ? '[]' : `${pattern === '' ? '' : '.'}${step}`;
  return pattern;
}

function isIndex(step: string | number): step is number {
  return typeof step === 'number';
}

/** Response keys that are missing, by the keys above them; an empty map is missing as a whole. */
type Wanted = Map<string, Wanted>;

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * A request for only what errors have left out, plus the plain values beside it, by which rows are recognized. Null if
 * everything has to be requested again: all is missing, an error has no path, or it is no query.
 */
export function missingQuery(request: GraphqlRequest, errors: readonly ResponseError[]): GraphqlRequest | null {
  const paths = errors.map(({ path = [] }) => path.filter((step) => typeof step === 'string'));
  if (paths.length === 0 || paths.some((path) => path.length === 0)) return null;
  const document = parse(request.query, { noLocation: true });
  const operation = getOperationAST(document, operationNameOf(request));
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const fragments = fragmentsOf(document);
  const found = new Set<Wanted>();
  const wanted = treeOf(paths);
  const selectionSet = pruned(operation.selectionSet, wanted, { fragments, found, keepsLeaves: false });
  if (leavesOf(wanted).some((leaf) => !found.has(leaf))) return null;
  const query = printed({ ...operation, selectionSet }, fragments);
  if (query === printed(operation, fragments)) return null;
  const names = new Set(variablesIn(parse(query)));
  const variables = Object.entries(request.variables ?? {}).filter(([name]) => names.has(name));
  return { query, variables: Object.fromEntries(variables), operationName: operation.name?.value };
}

interface Pruning {
  readonly fragments: Fragments;
  /** Missing parts that the query has. */
  readonly found: Set<Wanted>;
  readonly keepsLeaves: boolean;
}

function pruned({ selections, ...set }: SelectionSetNode, wanted: Wanted, pruning: Pruning): SelectionSetNode {
  return { ...set, selections: selections.flatMap((selection) => prunedSelection(selection, wanted, pruning) ?? []) };
}

function prunedSelection(selection: SelectionNode, wanted: Wanted, pruning: Pruning): SelectionNode | null {
  if (selection.kind === Kind.FIELD) return prunedField(selection, wanted, pruning);
  const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : pruning.fragments.get(selection.name.value);
  if (fragment === undefined) return null;
  const selectionSet = pruned(fragment.selectionSet, wanted, pruning);
  if (selectionSet.selections.length === 0) return null;
  return {
    kind: Kind.INLINE_FRAGMENT,
    ...(fragment.typeCondition && { typeCondition: fragment.typeCondition }),
    ...(selection.directives && { directives: selection.directives }),
    selectionSet,
  };
}

function prunedField(field: FieldNode, wanted: Wanted, pruning: Pruning): FieldNode | null {
  const below = wanted.get((field.alias ?? field.name).value);
  if (below === undefined) return pruning.keepsLeaves && field.selectionSet === undefined ? field : null;
  if (below.size === 0 || field.selectionSet === undefined) {
    pruning.found.add(below);
    return field;
  }
  return { ...field, selectionSet: pruned(field.selectionSet, below, { ...pruning, keepsLeaves: true }) };
}

function treeOf(paths: readonly (readonly string[])[]): Wanted {
  const tree: Wanted = new Map();
  // The shortest first: what is missing as a whole has nothing below it.
  for (const path of [...paths].sort((one, other) => one.length - other.length)) {
    let at = tree;
    for (const key of path) {
      const known = at.get(key);
      if (known?.size === 0) break;
      const next: Wanted = known ?? new Map();
      at.set(key, next);
      at = next;
    }
  }
  return tree;
}

function leavesOf(wanted: Wanted): Wanted[] {
  return [...wanted.values()].flatMap((below) => (below.size === 0 ? [below] : leavesOf(below)));
}

/** An operation with only the fragments and variables that it uses. */
function printed(operation: OperationDefinitionNode, fragments: Fragments): string {
  const undeclared = { ...operation, variableDefinitions: [] };
  const all: DocumentNode = { kind: Kind.DOCUMENT, definitions: [undeclared, ...fragments.values()] };
  const [{ definitions } = all] = Object.values(separateOperations(all));
  const names = new Set(definitions.flatMap(variablesIn));
  const variableDefinitions = operation.variableDefinitions?.filter(({ variable }) => names.has(variable.name.value));
  const declared = { ...operation, variableDefinitions: variableDefinitions ?? [] };
  return print({ ...all, definitions: definitions.with(0, declared) });
}

/** The rows cannot be matched: they have changed, or have no value to tell them apart by. */
const OTHERS = Symbol('others');

/**
 * The data with what was missing filled in. Null if the rows of a list have changed or cannot be told apart, so that
 * nothing may be added to them.
 */
export function mergeMissing(before: JsonObject, fresh: JsonObject): JsonObject | null {
  const merged = merge(before, fresh);
  return merged !== OTHERS && isObject(merged) ? merged : null;
}

function merge(before: Json, fresh: Json): Json | typeof OTHERS {
  if (before === null) return fresh;
  if (isList(before) && isList(fresh)) return mergeRows(before, fresh);
  if (!isObject(before) || !isObject(fresh)) return before;
  const merged: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(fresh)) {
    const next = merge(before[key] ?? null, value);
    if (next === OTHERS) return OTHERS;
    merged[key] = next;
  }
  return merged;
}

function mergeRows(before: readonly Json[], fresh: readonly Json[]): Json | typeof OTHERS {
  if (before.length !== fresh.length) return OTHERS;
  const merged: Json[] = [];
  for (const [index, row] of before.entries()) {
    const other = fresh[index] ?? null;
    if (isObject(row) && isObject(other) && compare(row, other) !== 'same') return OTHERS;
    const next = merge(row, other);
    if (next === OTHERS) return OTHERS;
    merged.push(next);
  }
  return merged;
}

/** Whether two rows agree in the plain values that both have. */
function compare(row: JsonObject, other: JsonObject): 'same' | 'different' | 'unknown' {
  let result: 'same' | 'unknown' = 'unknown';
  for (const [key, value] of Object.entries(other)) {
    const own = row[key] ?? null;
    if (own === null || value === null || isList(own) || isList(value)) continue;
    const compared = isObject(own) && isObject(value) ? compare(own, value) : own === value ? 'same' : 'different';
    if (compared === 'different') return 'different';
    if (compared === 'same') result = 'same';
  }
  return result;
}
