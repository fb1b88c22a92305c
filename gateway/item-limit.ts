import type { ApolloServerPlugin } from '@apollo/server';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { fragmentsOf } from './fragments.js';

/**
 * Items of pages within pages that one operation may ask for. Depth alone does not bound them: four pages of 25 in each
 * other are 400,000 rows, which keep the process longer than any deadline (the largest single page has 10,000).
 */
export const MOST_ITEMS = 50_000;

/** The largest page of any source (volunteering 3.1). */
const LARGEST_PAGE = 10_000;

/** Items of a page whose `first` neither the query nor the schema tells. */
const PAGE = 25;

/** Refuses an operation that asks for too many items before anything is planned or called. */
export const itemLimit: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ schema, document, operation, request }) {
        // A name that the document does not have is told later.
        if (operation === undefined) return;
        const fragments = fragmentsOf(document);
        const items = countItems(operation, { schema, fragments, variables: request.variables ?? {} });
        if (items <= MOST_ITEMS) return;
        const message = `This operation asks for up to ${items} items in pages within pages; at most ${MOST_ITEMS} are allowed. Ask for fewer with \`first\`.`;
        throw new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
      },
    };
  },
};

type Values = Readonly<Record<string, unknown>>;

interface Question {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Values;
}

function countItems(operation: OperationDefinitionNode, { schema, fragments, variables }: Question): number {
  const values = { ...defaultsOf(operation), ...variables };
  const counted = new Map<string, number>();

  /** Items below one object of this type. */
  function below(set: SelectionSetNode | undefined, type: string): number {
    let items = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const parent = schema.getType(type);
        const field =
          isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[selection.name.value] : undefined;
        if (field === undefined) continue;
        const inner = below(selection.selectionSet, getNamedType(field.type).name);
        const size = pageSize(field, selection, values);
        items += size === null ? inner : size * (1 + inner);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        items += below(selection.selectionSet, selection.typeCondition?.name.value ?? type);
      } else {
        items += ofFragment(selection.name.value);
      }
    }
    return items;
  }

  /** Each fragment is counted once, however often it is spread. */
  function ofFragment(name: string): number {
    const known = counted.get(name);
    if (known !== undefined) return known;
    const fragment = fragments.get(name);
    const items = fragment === undefined ? 0 : below(fragment.selectionSet, fragment.typeCondition.name.value);
    counted.set(name, items);
    return items;
  }

  return below(operation.selectionSet, schema.getRootType(operation.operation)?.name ?? '');
}

/**
 * Items that a field asks for; null for a field without pages. A page that no source serves is refused by its own
 * resolver, at its own path and without a call, so it counts for nothing here.
 */
function pageSize(field: GraphQLField<unknown, unknown>, node: FieldNode, values: Values): number | null {
  const byDefault = field.args.find(({ name }) => name === 'first');
  if (byDefault === undefined) return null;
  const given = node.arguments?.find(({ name }) => name.value === 'first');
  const first: unknown = given === undefined ? undefined : valueFromASTUntyped(given.value, values);
  const size = Number(first ?? byDefault.defaultValue ?? PAGE);
  return size >= 0 && size <= LARGEST_PAGE ? size : 0;
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Values {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}
