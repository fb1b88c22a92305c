import {
  type DocumentNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** What Relay's compiler makes of an operation without variables, as far as its store reads it. */
export function compileForRelay(schema: GraphQLSchema, document: DocumentNode, text: string) {
  const [operation] = document.definitions as readonly OperationDefinitionNode[];
  if (operation === undefined) throw new Error('The document has no operation.');
  const selections = selectionsOf(operation.selectionSet, 'Query');
  const common = { argumentDefinitions: [], name: text, selections };
  return {
    fragment: { ...common, kind: 'Fragment', metadata: null, type: 'Query', abstractKey: null },
    kind: 'Request',
    operation: { ...common, kind: 'Operation' },
    params: { cacheID: text, id: null, metadata: {}, name: text, operationKind: 'query', text },
  };

  function selectionsOf({ selections }: SelectionSetNode, parent: string): object[] {
    const typename = { alias: null, args: null, kind: 'ScalarField', name: '__typename', storageKey: null };
    const own = selections.map((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const type = selection.typeCondition?.name.value ?? parent;
        return {
          kind: 'InlineFragment',
          type,
          abstractKey: null,
          selections: selectionsOf(selection.selectionSet, type),
        };
      }
      if (selection.kind !== Kind.FIELD) throw new Error('No spreads here.');
      const type = schema.getType(parent);
      const field = type !== undefined && 'getFields' in type ? type.getFields()[selection.name.value] : undefined;
      const of = field === undefined || !('args' in field) ? undefined : (field.type as GraphQLOutputType);
      const named = getNamedType(of);
      const args = selection.arguments?.map(({ name, value }) => ({
        kind: 'Literal',
        name: name.value,
        value: valueFromASTUntyped(value),
      }));
      const base = {
        alias: selection.alias?.value ?? null,
        args: args?.length ? args : null,
        name: selection.name.value,
        storageKey: null,
      };
      if (selection.selectionSet === undefined || !isCompositeType(named)) return { ...base, kind: 'ScalarField' };
      return {
        ...base,
        kind: 'LinkedField',
        concreteType: isAbstractType(named) ? null : named.name,
        plural: isListType(getNullableType(of)),
        selections: selectionsOf(selection.selectionSet, named.name),
      };
    });
    return parent === 'Query' ? own : [typename, ...own];
  }
}
