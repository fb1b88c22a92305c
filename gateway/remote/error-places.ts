import { type FieldNode, GraphQLError, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { withoutStack } from '../../kernel/errors.js';
import { walkFields } from '../../kernel/selections.js';
import type { RequiredFields, SupergraphMap } from '../../kernel/supergraph.js';
import { MAX_ERRORS, type Omissions, type OmittedPlace, type ResponsePath } from '../../runtime/errors.js';
import type { Data } from './merged-response.js';
import type { PrivateNames } from './prepared-operation.js';

/*
 * The library leaves an error where a subgraph reported it, in a field that perhaps no client has selected: a key, or a
 * field that a join requires. And it merges what a join made of the null there, as if it were right. Here each error
 * gets a place in the client's query, and a join whose requirements failed becomes null.
 */

/** The operation whose errors are placed. */
interface ErrorContext {
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
  /** The operation as it was planned, with private names and without named fragments. */
  readonly operation: OperationDefinitionNode;
  readonly supergraph: SupergraphMap;
  readonly names: PrivateNames;
}

interface PlacedError {
  readonly error: GraphQLError;
  /** Whether it was moved to a field that requires the failed one. */
  readonly moved: boolean;
}

/**
 * Moves the errors of a plan to paths of the client's query, with the client's names, without duplicates, and at most
 * as many as a response lists. Only `code`, `service`, `retryAfterSeconds`, `argument` and `ownCallsFollow` remain as extensions.
 * In the data, nulls the joined fields that errors were moved to: next to its error, a value that the join produced from
 * incomplete requirements would look like a valid one.
 */
export function placeErrors(
  errors: readonly GraphQLError[],
  data: Data | null,
  { operation, supergraph, names, omissions }: ErrorContext,
): readonly GraphQLError[] {
  const places = findErrorPlaces(operation, supergraph);
  const reported = new Map<string, PlacedError>();
  for (const error of errors) {
    const subgraph = subgraphOf(error);
    if (reported.size >= MAX_ERRORS) {
      omissions.add(error.path, subgraph);
      continue;
    }
    const paths = error.path === undefined ? [undefined] : places(error.path, subgraph);
    for (const path of paths) {
      const placed = toReportedError(error, path, names);
      const key = JSON.stringify([placed.path, placed.message, placed.extensions['code']]);
      if (!reported.has(key)) reported.set(key, { error: placed, moved: !isPrefix(path, error.path) });
    }
  }
  const placed = withoutFollowing([...reported.values()]);
  for (const { error, moved } of placed) if (moved && error.path) nullAt(data, error.path);
  for (const place of omissions.read()?.places ?? [])
    for (const path of placesMovedTo(place, places, names)) nullAt(data, path);
  return placed.slice(0, MAX_ERRORS).map(({ error }) => error);
}

/**
 * A field that an error was moved to has that error alone, and none below: as long as what it requires is unknown,
 * nothing resolves it.
 */
function withoutFollowing(placed: readonly PlacedError[]): readonly PlacedError[] {
  const failed = new Map<string, PlacedError>();
  for (const one of placed) {
    const key = keyOf(one.error.path);
    if (one.moved && !failed.has(key)) failed.set(key, one);
  }
  if (failed.size === 0) return placed;
  return placed.filter((one) => {
    const { path = [] } = one.error;
    const first = failed.get(keyOf(path)) ?? one;
    return first === one && !path.some((_, end) => failed.has(keyOf(path.slice(0, end))));
  });
}

function keyOf(path: ResponsePath = []): string {
  return JSON.stringify(path);
}

/**
 * The joined fields that errors beyond the limit belong to. It is unknown which rows failed, so the field becomes null
 * in all of them: a value that may be a guess must not be shown.
 */
function placesMovedTo({ path, subgraph }: OmittedPlace, places: ErrorPlaces, names: PrivateNames): ResponsePath[] {
  const positions = path.map((step) => (step === '@' ? 0 : step));
  return places(positions, subgraph)
    .filter((place) => !isPrefix(place, positions))
    .map((place) => place.map((step) => (typeof step === 'number' ? '@' : names.restoreName(step))));
}

function subgraphOf({ extensions }: GraphQLError): string | undefined {
  const name = extensions['serviceName'];
  return typeof name === 'string' ? name : undefined;
}

function isPrefix(path: ResponsePath = [], of: ResponsePath = []): boolean {
  return path.every((part, index) => part === of[index]);
}

/** Nulls the value at a path; `@` stands for every index of a list. */
function nullAt(value: unknown, [step, ...below]: ResponsePath): void {
  if (step === undefined || typeof value !== 'object' || value === null) return;
  const container = value as Record<string | number, unknown>;
  if (step === '@') for (const item of Array.isArray(value) ? value : []) nullAt(item, below);
  else if (below.length === 0) container[step] = null;
  else nullAt(container[step], below);
}

function toReportedError(error: GraphQLError, path: ResponsePath | undefined, names: PrivateNames): GraphQLError {
  const { code = 'INTERNAL', service, retryAfterSeconds, argument, ownCallsFollow } = error.extensions;
  return withoutStack(
    () =>
      new GraphQLError(names.restoreText(error.message), {
        path: path?.map((key) => (typeof key === 'string' ? names.restoreName(key) : key)) ?? null,
        nodes: (path === undefined ? error.nodes : null) ?? null,
        extensions: { code, service, retryAfterSeconds, argument, ownCallsFollow },
      }),
  );
}

/** The paths in the client's query at which to report an error that a subgraph reported at `path`. */
type ErrorPlaces = (path: ResponsePath, subgraph: string | undefined) => readonly ResponsePath[];

/**
 * The error places of a planned operation that still has private names. An error on a selected field stays there; one
 * on a field that joins require is also reported at those joins, whose values would otherwise look valid.
 */
function findErrorPlaces(operation: OperationDefinitionNode, supergraph: SupergraphMap): ErrorPlaces {
  const root = placeFields(operation.selectionSet, supergraph.rootType(operation.operation), supergraph);
  const known = new Map<string, readonly ResponsePath[]>();

  function find(path: ResponsePath, subgraph: string | undefined): readonly ResponsePath[] {
    const walk = walkSelected(path, root, supergraph);
    const joined = placesOfJoins(path, walk);
    if (walk.found.length === path.length) return [walk.found, ...joined];
    return joined.length > 0 ? joined : placesOfKey(path, walk, subgraph);
  }

  return (path, subgraph) => {
    // All rows of a list share their fields, so one lookup serves them all.
    const key = `${subgraph}:${path.map((step) => (typeof step === 'number' ? '@' : step)).join('.')}`;
    const found = known.get(key) ?? find(path, subgraph);
    known.set(key, found);
    return found.map((place) => place.map((step, index) => (typeof step === 'number' ? (path[index] ?? step) : step)));
  };
}

/** A selected field with its supergraph metadata. */
interface PlacedField {
  readonly key: string;
  readonly node: FieldNode;
  readonly type: string;
  readonly requires: RequiredFields | null;
  readonly subgraphs: ReadonlySet<string>;
}

/** How far a path follows selected fields. */
interface Walk {
  /** The part of the path that is selected. */
  readonly found: ResponsePath;
  /** The fields selected at each level from the root, and the length of the path to it. */
  readonly levels: readonly { readonly depth: number; readonly fields: readonly PlacedField[] }[];
}

function walkSelected(path: ResponsePath, root: readonly PlacedField[], supergraph: SupergraphMap): Walk {
  const found: (string | number)[] = [];
  const levels = [{ depth: 0, fields: root }];
  let fields = root;
  for (const part of path) {
    const key = typeof part === 'number' ? part : selectedKey(part, fields);
    if (key === null) break;
    found.push(key);
    if (typeof key === 'number') continue;
    fields = fields
      .filter((field) => field.key === key)
      .flatMap(({ node, type }) => placeFields(node.selectionSet, type, supergraph));
    levels.push({ depth: found.length, fields });
  }
  return { found, levels };
}

/** Every selected field that requires the failed one, on the nearest object that has any. */
function placesOfJoins(path: ResponsePath, { found, levels }: Walk): ResponsePath[] {
  for (const { depth, fields } of levels.toReversed()) {
    const missing = path.slice(depth).filter((part) => typeof part === 'string');
    const joined = fields.filter(({ requires }) => isRequired(missing, requires));
    if (joined.length > 0) return pathsTo(joined, objectAt(found, depth));
  }
  return [];
}

/** A path neither selected nor required is a key's: the fields resolved by it, or the nearest selected parent. */
function placesOfKey(path: ResponsePath, { found, levels }: Walk, subgraph: string | undefined): ResponsePath[] {
  const here = levels.at(-1)?.fields ?? [];
  const byKey = here.filter(({ subgraphs }) => subgraphs.size > 0 && !subgraphs.has(subgraph ?? ''));
  if (byKey.length > 0) return pathsTo(byKey, found);
  return [found.length > 0 ? found : path];
}

function pathsTo(fields: readonly PlacedField[], parent: ResponsePath): ResponsePath[] {
  return [...new Set(fields.map(({ key }) => key))].map((key) => [...parent, key]);
}

/** The path of the object at a level: the level's keys and the list indexes that follow them. */
function objectAt(found: ResponsePath, depth: number): ResponsePath {
  let end = depth;
  while (typeof found[end] === 'number') end += 1;
  return found.slice(0, end);
}

/** The planner adds aliases to fields that conflict within a fetch: `city__alias_0` is `city` in the response. */
const PLANNER_ALIAS = /__alias_\d+$/;

function selectedKey(key: string, fields: readonly PlacedField[]): string | null {
  const candidates = [key, key.replace(PLANNER_ALIAS, '')];
  return candidates.find((candidate) => fields.some((field) => field.key === candidate)) ?? null;
}

function isRequired([name, ...below]: readonly string[], required: RequiredFields | null): boolean {
  if (required === null || name === undefined) return false;
  const found = required.get(name.replace(PLANNER_ALIAS, ''));
  return found !== undefined && (below.length === 0 || isRequired(below, found));
}

/** The fields of a selection set, including those of its fragments, whatever their type conditions. */
function placeFields(set: SelectionSetNode | undefined, parent: string, supergraph: SupergraphMap): PlacedField[] {
  const fields: PlacedField[] = [];
  if (set === undefined) return fields;
  const walk = { findFragment: () => null };
  walkFields([set], walk, (node, type = parent) => fields.push(placeField(node, type, supergraph)));
  return fields;
}

function placeField(node: FieldNode, parent: string, supergraph: SupergraphMap): PlacedField {
  const key = node.alias?.value ?? node.name.value;
  const { type = '', requires = null, subgraphs = new Set<string>() } = supergraph.field(parent, node.name.value) ?? {};
  return { key, node, type, requires, subgraphs };
}
