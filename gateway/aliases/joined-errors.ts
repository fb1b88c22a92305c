import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { RequiredFields, SupergraphMap } from '../supergraph-map.js';

/** Path of an error in the answer. */
export type ErrorPath = readonly (string | number)[];

/**
 * Where the errors of an answer belong in the client's query. An error on a selected field stays where it is. An error
 * on a field that only a join asked for goes to each selected field that requires it; where none does, to the fields
 * that another subgraph resolves by that key; else to the nearest selected parent.
 */
export interface ErrorPlaces {
  of(path: ErrorPath, subgraph: string | undefined): ErrorPath[];
}

/** Reads the places from a planned operation: private names must still stand in it and in the paths. */
export function findErrorPlaces(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  supergraph: SupergraphMap,
): ErrorPlaces {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const root: Placed[] = placedFields(operation.selectionSet, supergraph.rootType(operation.operation), fragments);

  function of(path: ErrorPath, subgraph: string | undefined): ErrorPath[] {
    const found: (string | number)[] = [];
    const levels: Level[] = [{ depth: 0, fields: root }];
    for (const key of path) {
      const fields = levels.at(-1)?.fields ?? [];
      if (typeof key === 'number') {
        found.push(key);
        continue;
      }
      const selected = selectedKey(key, fields);
      if (selected === null) return placesOfUnselected(path, levels, found, subgraph);
      found.push(selected);
      levels.push({ depth: found.length, fields: fieldsBelow(selected, fields) });
    }
    return [found];
  }

  function placesOfUnselected(
    path: ErrorPath,
    levels: readonly Level[],
    found: ErrorPath,
    subgraph: string | undefined,
  ): ErrorPath[] {
    for (const { depth, fields } of levels.toReversed()) {
      const missing = path.slice(depth).filter((key) => typeof key === 'string');
      const parent = found.slice(0, parentEnd(found, depth));
      const joined = fields.filter((field) => requires(field.requires, missing));
      if (joined.length > 0) return distinctKeys(joined).map((key) => [...parent, key]);
    }
    const here = levels.at(-1)?.fields ?? [];
    const byKey = here.filter(
      ({ subgraphs }) => subgraph !== undefined && !subgraphs.has(subgraph) && subgraphs.size > 0,
    );
    if (byKey.length > 0) return distinctKeys(byKey).map((key) => [...found, key]);
    return found.length > 0 ? [found] : [path];
  }

  function fieldsBelow(key: string, fields: readonly Placed[]): Placed[] {
    return fields
      .filter((field) => field.key === key)
      .flatMap(({ node, type }) => placedFields(node.selectionSet, type, fragments));
  }

  function placedFields(
    set: SelectionSetNode | undefined,
    parent: string,
    spreads: ReadonlyMap<string, FragmentDefinitionNode>,
  ): Placed[] {
    return (set?.selections ?? []).flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? spreads.get(selection.name.value) : selection;
        return placedFields(fragment?.selectionSet, fragment?.typeCondition?.name.value ?? parent, spreads);
      }
      const mapped = supergraph.field(parent, selection.name.value);
      const { type = '', requires: required = null, subgraphs = new Set<string>() } = mapped ?? {};
      return [
        { key: selection.alias?.value ?? selection.name.value, node: selection, type, requires: required, subgraphs },
      ];
    });
  }

  return { of };
}

interface Level {
  /** How many keys of the path lead here. */
  readonly depth: number;
  readonly fields: readonly Placed[];
}

interface Placed {
  readonly key: string;
  readonly node: FieldNode;
  readonly type: string;
  readonly requires: RequiredFields | null;
  readonly subgraphs: ReadonlySet<string>;
}

/** The planner gives a field of two meanings an alias of its own in a fetch: `city__alias_0` is `city` in the answer. */
const PLANNER_ALIAS = /__alias_\d+$/;

function selectedKey(key: string, fields: readonly Placed[]): string | null {
  const candidates = [key, key.replace(PLANNER_ALIAS, '')];
  return candidates.find((candidate) => fields.some((field) => field.key === candidate)) ?? null;
}

/** The object at a level of the path: the level's keys and the list positions that follow them. */
function parentEnd(path: ErrorPath, depth: number): number {
  let end = depth;
  while (typeof path[end] === 'number') end += 1;
  return end;
}

function requires(tree: RequiredFields | null, [name, ...below]: readonly string[]): boolean {
  if (tree === null || name === undefined) return false;
  const found = tree.get(name.replace(PLANNER_ALIAS, ''));
  return found !== undefined && (below.length === 0 || requires(found, below));
}

function distinctKeys(fields: readonly Placed[]): string[] {
  return [...new Set(fields.map(({ key }) => key))];
}
