import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { operationNameOf } from '../requests/operation-name.js';
import type { GraphqlRequest, ResponseError } from '../responses/query-result.js';

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
  const fragments = new Map(fragmentsOf(document).map((fragment) => [fragment.name.value, fragment]));
  const found = new Set<Wanted>();
  const wanted = treeOf(paths);
  const selectionSet = pruned(operation.selectionSet, wanted, { fragments, found, keepsLeaves: false });
  if (leavesOf(wanted).some((leaf) => !found.has(leaf))) return null;
  const query = printed({ ...operation, selectionSet }, fragments);
  if (query === printed(operation, fragments)) return null;
  const names = new Set(variablesIn(query));
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

function fragmentsOf({ definitions }: DocumentNode): FragmentDefinitionNode[] {
  return definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
}

/** An operation with only the fragments and variables that it uses. */
function printed(operation: OperationDefinitionNode, fragments: Fragments): string {
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void =>
    void visit(node, {
      FragmentSpread({ name: { value: name } }) {
        const fragment = fragments.get(name);
        if (fragment === undefined || used.has(name)) return;
        used.set(name, fragment);
        collect(fragment);
      },
    });
  collect(operation);
  const parts = [...used.values()].map(print);
  const body = [print({ ...operation, variableDefinitions: [] }), ...parts].join('\n\n');
  const names = new Set(variablesIn(body));
  const variableDefinitions = operation.variableDefinitions?.filter(({ variable }) => names.has(variable.name.value));
  return [print({ ...operation, variableDefinitions: variableDefinitions ?? [] }), ...parts].join('\n\n');
}

function variablesIn(query: string): string[] {
  const names: string[] = [];
  visit(parse(query, { noLocation: true }), { Variable: ({ name }) => void names.push(name.value) });
  return names;
}
