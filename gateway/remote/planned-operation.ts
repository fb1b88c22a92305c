import {
  type ASTNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  print,
  type SelectionSetNode,
  type VariableNode,
  visit,
} from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { defaultsOf, fragmentsOf, selectFields } from '../../kernel/selections.js';
import { PLANNED_BOUNDS } from '../../runtime/http/request-body.js';
import type { FetchRequest } from '../graph/graphql-server.js';

type Values = Readonly<Record<string, unknown>>;

/** Less than a subgraph takes: a plan writes it somewhat longer. */
const MAX_BYTES = 0.8 * PLANNED_BOUNDS.bytes;
const TOO_LONG =
  'This operation is too long with its fragments spread: send long values as variables, or its parts one by one.';

/**
 * What subgraphs are asked for a valid operation, for one choice of its `@skip` and `@include`, as a text by which its
 * plan is known; null if it selects nothing that a subgraph answers. Throws `BAD_USER_INPUT` for one that is longer than
 * what a subgraph takes, as a literal in a fragment is written wherever that is spread. The planner answers some
 * operations wrongly, and without an error (architecture 5), so it never sees what misleads it:
 *
 * - *Conditions* are decided. A set that they empty gets a `__typename`.
 * - *Fragments* are gone, except one for each type of an interface: fields of a mutation run in the order of the client.
 * - *Aliases* and *variables* have private names: plans have a variable `$representations` of their own.
 * - *Names* of operations are gone, so that equal ones have one plan.
 * - *Introspection* is gone: the library's own model of it is older than graphql-js, which answers it.
 */
export function prepareOperation({ document, operation, schema, request }: FetchRequest): string | null {
  const flags: Values = { ...defaultsOf(operation), ...request.variables };
  const fragments = fragmentsOf(document);
  const Variable = ({ kind, name }: VariableNode) => ({ kind, name: { ...name, value: PRIVATE + name.value } });
  let bytes = 0;
  const inBrackets = (nodes: readonly ASTNode[] = []) =>
    nodes.length === 0 ? '' : `(${nodes.map((node) => print(visit(node, { Variable }))).join(', ')})`;

  function fieldsOf(sets: readonly SelectionSetNode[], type: GraphQLObjectType): string[] {
    const all = selectFields(sets, type, { schema, fragments, flags });
    const fields = all.filter(({ name }) => name !== '__schema' && name !== '__type');
    return fields.map(({ node, name, sets: below }) => {
      const key = keyOf(node);
      const field = `${key === name ? '' : `${key}: `}${name}${inBrackets(node.arguments)}`;
      bytes += Buffer.byteLength(field);
      if (bytes > MAX_BYTES) throw new CodedError('BAD_USER_INPUT', TOO_LONG);
      const named = getNamedType(type.getFields()[name]?.type);
      return isCompositeType(named) ? `${field} ${setOf(below, named)}` : field;
    });
  }

  function setOf(sets: readonly SelectionSetNode[], type: GraphQLCompositeType): string {
    const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    const byType = types.map((possible) => ({ name: possible.name, fields: fieldsOf(sets, possible).join(' ') }));
    const selected = byType.filter(({ fields }) => fields !== '');
    const parts = selected.map(({ name, fields }) => (name === type.name ? fields : `... on ${name} { ${fields} }`));
    return `{ ${parts.join(' ') || '__typename'} }`;
  }

  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`The graph has no ${operation.operation}s.`);
  const selected = fieldsOf([operation.selectionSet], root);
  if (selected.every((field) => field === '__typename')) return null;
  return `${operation.operation}${inBrackets(operation.variableDefinitions)} { ${selected.join(' ')} }`;
}

/** The variables of an operation under the names that its prepared text has for them. */
export function privateVariables(sent: Values = {}): Values {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [PRIVATE + name, value]));
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
