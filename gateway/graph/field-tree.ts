import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isListType,
  OperationTypeNode,
} from 'graphql';
import {
  fragmentsOf,
  objectTypesOf,
  type SelectedField,
  type SelectionContext,
  selectFields,
} from '../../kernel/selections.js';
import type { PlanNode } from '../../kernel/trace.js';
import type { ResolvedOperation } from '../request/request.js';
import { ownedField } from './executable-schema.js';

/**
 * The fields of an operation whose resolvers may make calls, as a tree: what is below a field waits for its value, what
 * is beside it does not. `Field`: answered by the subgraph that its object comes from; `Join`: by another one. The
 * schema is the executable one.
 */
export function describeJoins({ schema, document, operation, variables }: ResolvedOperation): PlanNode {
  const root = schema.getRootType(operation.operation);
  const selection = { schema, fragments: fragmentsOf(document), flags: variables };
  const kind = operation.operation === OperationTypeNode.MUTATION ? 'Sequence' : 'Parallel';
  return { kind, children: root ? below([operation.selectionSet], root, '', selection) : [] };
}

type Sets = SelectedField['sets'];

function below(sets: Sets, type: GraphQLObjectType, place: string, selection: SelectionContext): PlanNode[] {
  return selectFields(sets, type, selection).flatMap((selected) => describe(selected, type, place, selection));
}

function describe(
  { key, name, sets }: SelectedField,
  parent: GraphQLObjectType,
  above: string,
  selection: SelectionContext,
): PlanNode[] {
  const field = parent.getFields()[name];
  if (field === undefined) return [];
  const { owner, declared, represent } = ownedField(field);
  const path = above === '' ? key : `${above}.${key}`;
  const children = objectTypesOf(field.type, selection.schema).flatMap((type) =>
    below(sets, type, `${path}${itemsOf(field.type)}`, selection),
  );
  if (declared.price === null && represent === null) return children;
  const kind = represent === null ? 'Field' : 'Join';
  return [{ kind, service: owner.name, path, ...(children.length > 0 && { children: unique(children) }) }];
}

/** `.@` for each list around the type. */
function itemsOf(type: GraphQLOutputType): string {
  const nullable = getNullableType(type);
  return isListType(nullable) ? `.@${itemsOf(nullable.ofType)}` : '';
}

/** The objects of an interface may have one field in common. */
function unique(nodes: readonly PlanNode[]): PlanNode[] {
  const byPlace = new Map(nodes.map((node) => [`${node.kind} ${node.service} ${node.path}`, node]));
  return [...byPlace.values()];
}
