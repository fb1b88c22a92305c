import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { ResponsePath } from '../../../runtime/errors/error-list.js';
import type { RequiredFields, SupergraphMap } from '../../../schema/supergraph-map.js';
import { fragmentsOf } from '../../graph/fragments.js';
import { walkFields } from '../../graph/walk-fields.js';

/** Maps paths of a subgraph's errors to paths of the client's query. */
export interface ErrorPlaces {
  /** The paths at which to report an error that a subgraph reported at `path`. */
  of(path: ResponsePath, subgraph: string | undefined): readonly ResponsePath[];
}

/**
 * The error places of a planned operation that still has private names. An error on a selected field stays there; one
 * on a field that joins require is also reported at those joins, whose values would otherwise look valid.
 */
export function findErrorPlaces(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  supergraph: SupergraphMap,
): ErrorPlaces {
  const scope: Scope = { supergraph, fragments: fragmentsOf(document) };
  const root = placeFields(operation.selectionSet, supergraph.rootType(operation.operation), scope);
  const known = new Map<string, readonly ResponsePath[]>();

  function find(path: ResponsePath, subgraph: string | undefined): readonly ResponsePath[] {
    const walk = walkSelected(path, root, scope);
    const joined = placesOfJoins(path, walk);
    if (walk.found.length === path.length) return [walk.found, ...joined];
    return joined.length > 0 ? joined : placesOfKey(path, walk, subgraph);
  }

  return {
    of(path, subgraph) {
      // All rows of a list share their fields, so one lookup serves them all.
      const key = `${subgraph}:${path.map((step) => (typeof step === 'number' ? '@' : step)).join('.')}`;
      const found = known.get(key) ?? find(path, subgraph);
      known.set(key, found);
      return found.map((place) =>
        place.map((step, index) => (typeof step === 'number' ? (path[index] ?? step) : step)),
      );
    },
  };
}

interface Scope {
  readonly supergraph: SupergraphMap;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
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

function walkSelected(path: ResponsePath, root: readonly PlacedField[], scope: Scope): Walk {
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
      .flatMap(({ node, type }) => placeFields(node.selectionSet, type, scope));
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
function placeFields(set: SelectionSetNode | undefined, parent: string, scope: Scope): PlacedField[] {
  const fields: PlacedField[] = [];
  if (set === undefined) return fields;
  const findFragment = (name: string) => scope.fragments.get(name);
  walkFields([set], { findFragment }, (node, type = parent) => fields.push(placeField(node, type, scope)));
  return fields;
}

function placeField(node: FieldNode, parent: string, { supergraph }: Scope): PlacedField {
  const key = node.alias?.value ?? node.name.value;
  const { type = '', requires = null, subgraphs = new Set<string>() } = supergraph.field(parent, node.name.value) ?? {};
  return { key, node, type, requires, subgraphs };
}
