import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type VariableNode,
  visit,
} from 'graphql';
import { defaultsOf, fragmentsOf, type SelectedField, selectFields } from '../../kernel/selections.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import type { FetchRequest } from '../graph/graphql-server.js';

type Values = Readonly<Record<string, unknown>>;

/** Texts of one operation that are known, by the values of its flags: everything attached to a document needs a bound. */
const MAX_TEXTS = 4;
const known = new WeakMap<OperationDefinitionNode, Map<string, string | null>>();

/**
 * What subgraphs are asked for a valid operation, for one choice of its `@skip` and `@include`, as a text by which its
 * plan is known; null if it selects nothing that a subgraph answers. The planner answers some operations wrongly, and
 * without an error (architecture 5), so it never sees what misleads it:
 *
 * - *Conditions* are decided. A set that they empty gets a `__typename`.
 * - *Fragments* are gone, except one for each type of an interface: fields of a mutation run in the order of the client.
 * - *Aliases* and *variables* have private names: plans have a variable `$representations` of their own.
 * - *Names* of operations are gone, so that equal ones have one plan.
 * - *Introspection* is gone: the library's own model of it is older than graphql-js, which answers it.
 */
export async function prepareOperation({ document, operation, schema, request }: FetchRequest): Promise<string | null> {
  const values: Values = { ...defaultsOf(operation), ...request.variables };
  const texts = known.get(operation) ?? new Map<string, string | null>();
  known.set(operation, texts);
  const flags =
    operation.variableDefinitions?.map(({ variable }) => Number(values[variable.name.value] === true)) ?? [];
  const before = texts.get(flags.join(''));
  if (before !== undefined) return before;
  // A large document takes milliseconds.
  await laterTurn();
  const text = rewrite(document, operation, schema, values);
  const [oldest] = texts.keys();
  if (oldest !== undefined && texts.size >= MAX_TEXTS) texts.delete(oldest);
  texts.set(flags.join(''), text);
  return text;
}

/** The variables of an operation under the names that its prepared text has for them. */
export function privateVariables(sent: Values = {}): Values {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [PRIVATE + name, value]));
}

function rewrite(
  document: DocumentNode,
  { name: _, directives: __, ...operation }: OperationDefinitionNode,
  schema: GraphQLSchema,
  flags: Values,
): string | null {
  const fragments = fragmentsOf(document);

  function fieldsOf(sets: readonly SelectionSetNode[], type: GraphQLObjectType): FieldNode[] {
    return selectFields(sets, type, { schema, fragments, flags }).map((field) => mergeField(field, type));
  }

  function mergeField({ node, name, sets }: SelectedField, parent: GraphQLObjectType): FieldNode {
    const { directives: _, alias: __, selectionSet: ___, ...field } = node;
    const key = keyOf(node);
    const named = key === name ? field : { ...field, alias: nameOf(key) };
    const type = getNamedType(parent.getFields()[name]?.type);
    return isCompositeType(type) ? { ...named, selectionSet: mergeSets(sets, type) } : named;
  }

  function mergeSets(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): SelectionSetNode {
    if (!isAbstractType(type)) return setOf(fieldsOf(sets, type));
    const byType = schema.getPossibleTypes(type).flatMap((possible): SelectionNode[] => {
      const selections = fieldsOf(sets, possible);
      const typeCondition = { kind: Kind.NAMED_TYPE, name: nameOf(possible.name) } as const;
      const fragment = { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: setOf(selections) } as const;
      return selections.length === 0 ? [] : [fragment];
    });
    return setOf(byType);
  }

  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The graph has no ${operation.operation}s.`);
  const all = fieldsOf([operation.selectionSet], root);
  const selected = all.filter(({ name }) => name.value !== '__schema' && name.value !== '__type');
  if (selected.every(({ name }) => name.value === '__typename')) return null;
  const Variable = ({ kind, name }: VariableNode) => ({ kind, name: nameOf(PRIVATE + name.value) });
  return print(visit({ ...operation, selectionSet: setOf(selected) }, { Variable }));
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  const none: SelectionNode = { kind: Kind.FIELD, name: nameOf('__typename') };
  return { kind: Kind.SELECTION_SET, selections: selections.length > 0 ? selections : [none] };
}

function nameOf(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

/**
 * Begins all names of ours in what is planned; no field of a supergraph may begin so. The planner silently mistakes an
 * alias that equals another field of the same type, `{ city: title }`, for the field that a join requires (architecture
 * 5, federation#3036), so it gets none of the client's.
 */
export const PRIVATE = 'private_';

/** The key of a selected field in what subgraphs answer: its name, or a private name for its alias. */
export function keyOf({ alias, name }: FieldNode): string {
  const isOwn = alias === undefined || alias.value === name.value || name.value === '__typename';
  return isOwn ? name.value : PRIVATE + alias.value;
}

/** A text, or a name in it, with the client's names instead of the private ones. */
export function restoreNames(text: string): string {
  return text.replace(/\bprivate_(?=\w)/g, '');
}
