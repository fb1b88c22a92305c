import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import {
  createProgramCache,
  type Flags,
  flagsOf,
  fragmentsOf,
  type SelectedField,
  type SelectionContext,
  selectFields,
} from '../../kernel/selections.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { sha256 } from '../limits/safelist.js';

/** What subgraphs are asked for an operation of a client, for one choice of its `@skip` and `@include`. */
export interface PlannedOperation {
  readonly text: string;
  /** The hash of the text, by which its plan is known. */
  readonly key: string;
  /** The variables under the names that it uses. */
  readonly variables: Flags;
}

/** Plans an operation with these variables; null if it selects nothing that a subgraph answers. */
export type PrepareOperation = (variables: Flags) => PlannedOperation | null;

/**
 * Prepares a valid operation for the planner, once for each choice of its conditions, of which a few are cached. The
 * planner answers some operations wrongly, and without an error (architecture 5), so it never sees what misleads it:
 *
 * - *Conditions* are decided. A set that they empty gets a `__typename`.
 * - *Fragments* are gone, except one for each type of an interface: fields of a mutation run in the order of the client.
 * - *Aliases* are private names, and so are the variables where one is called `$representations`, as plans call theirs.
 * - *Names* of operations are gone, so that equal ones have one plan.
 * - *Introspection* is gone: the library's own model of it is older than graphql-js, which answers it.
 */
export function prepareOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  names: PrivateNames,
): PrepareOperation {
  const fragments = fragmentsOf(document);
  const renames = operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'representations');
  const planFor = createProgramCache(flagsOf(document, operation), (flags) => {
    const fields = mergeSelections(operation, { schema, fragments, flags }, names);
    if (fields.every(({ name }) => name.value.startsWith('__'))) return null;
    const { name: _, directives: __, ...unnamed } = operation;
    const planned = { ...unnamed, selectionSet: setOf(fields) };
    const text = print(renames ? renameVariables(planned, names) : planned);
    return { text, key: sha256(text) };
  });
  return (sent) => {
    const planned = planFor(sent);
    const named = () => Object.fromEntries(Object.entries(sent).map(([name, value]) => [names.of(name), value]));
    return planned && { ...planned, variables: renames ? named() : sent };
  };
}

function renameVariables(operation: OperationDefinitionNode, names: PrivateNames): OperationDefinitionNode {
  return visit(operation, { Variable: ({ name, ...rest }) => ({ ...rest, name: nameOf(names.of(name.value)) }) });
}

/** The root fields with what is selected below them. */
function mergeSelections(
  { operation, selectionSet }: OperationDefinitionNode,
  selection: SelectionContext,
  names: PrivateNames,
): readonly FieldNode[] {
  const { schema } = selection;

  function mergeField({ node, name, sets }: SelectedField, parent: GraphQLCompositeType): FieldNode {
    const { directives: _, alias: __, selectionSet: ___, ...field } = node;
    const key = names.keyOf(node);
    const named = key === name ? field : { ...field, alias: nameOf(key) };
    const type = isUnionType(parent) ? undefined : getNamedType(parent.getFields()[name]?.type);
    return isCompositeType(type) ? { ...named, selectionSet: setOf(mergeSets(sets, type)) } : named;
  }

  function mergeSets(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): readonly SelectionNode[] {
    const merged = isAbstractType(type) && hasTypeConditions(sets) ? mergeByType(sets, type) : mergeFields(sets, type);
    return merged.length > 0 ? merged : [{ kind: Kind.FIELD, name: nameOf('__typename') }];
  }

  function mergeFields(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): FieldNode[] {
    return selectFields(sets, type, selection).map((field) => mergeField(field, type));
  }

  function mergeByType(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): SelectionNode[] {
    if (!isAbstractType(type)) return [];
    return schema.getPossibleTypes(type).flatMap((possible) => {
      const selections = mergeFields(sets, possible);
      if (selections.length === 0) return [];
      const typeCondition = { kind: Kind.NAMED_TYPE, name: nameOf(possible.name) } as const;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: setOf(selections) } as const;
    });
  }

  const root = schema.getRootType(operation);
  if (!root) throw new Error(`The graph has no ${operation}s.`);
  return mergeFields([selectionSet], root).filter(({ name }) => name.value !== '__schema' && name.value !== '__type');
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}

function nameOf(value: string) {
  return { kind: Kind.NAME, value } as const;
}

/** Whether an object's type decides which of these selections apply to it. */
function hasTypeConditions(sets: readonly SelectionSetNode[]): boolean {
  return sets.some(({ selections }) =>
    selections.some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return true;
      if (selection.kind === Kind.FIELD) return false;
      return selection.typeCondition !== undefined || hasTypeConditions([selection.selectionSet]);
    }),
  );
}

/**
 * Names that no field of the supergraph has. The planner silently mistakes an alias that equals another field of the same
 * type, `{ city: title }`, for the field that a join requires (architecture 5, federation#3036), so it gets none of the
 * client's.
 */
export interface PrivateNames {
  /** The private name for a name of the client. */
  of(name: string): string;
  /** The key of a selected field in what subgraphs answer: its name, or a private name for its alias. */
  keyOf(field: FieldNode): string;
  /** The client's name for a name in a plan. */
  restoreName(name: string): string;
  /** A text with private names replaced by the client's. */
  restoreText(text: string): string;
}

/** Private names for one supergraph, with a prefix that none of its fields has. */
export function createPrivateNames(supergraph: SupergraphMap): PrivateNames {
  let prefix = 'private_';
  while (supergraph.hasFieldPrefix(prefix)) prefix += '_';
  return {
    of: (name) => prefix + name,
    keyOf({ alias, name }) {
      const isOwn = alias === undefined || alias.value === name.value || name.value === '__typename';
      return isOwn ? name.value : prefix + alias.value;
    },
    restoreName: (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name),
    restoreText: (text) => text.replaceAll(prefix, ''),
  };
}
