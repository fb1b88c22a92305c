import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** A response of the resource API before it is sent. */
export interface Result {
  readonly status: number;
  readonly body: object;
}

/** Most root selections of a document, and most operations of a batch (waste-identity 5.3). */
export const MAX_OPERATIONS = 5;
const MAX_DEPTH = 10;

/** The refusal of too many root selections over all operations, or of too deep an operation; null for neither (5.3). */
export function excessOf(document: DocumentNode): Result | null {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const roots = operations.reduce((sum, { selectionSet }) => sum + selectionSet.selections.length, 0);
  if (roots > MAX_OPERATIONS)
    return failed(
      400,
      'GRAPHQL_MAX_OPERATIONS_ERROR',
      `Batching is limited to ${MAX_OPERATIONS} operations per request.`,
    );
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const tooDeep = operations.find(({ selectionSet }) => depthOf(selectionSet, fragments) > MAX_DEPTH);
  if (tooDeep === undefined) return null;
  const message = `'${tooDeep.name?.value ?? ''}' exceeds maximum operation depth of ${MAX_DEPTH}`;
  return failed(400, 'GRAPHQL_VALIDATION_FAILED', message);
}

function depthOf(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  const depths = set.selections.map((selection) => {
    if (selection.kind === Kind.FIELD) return depthOfField(selection, fragments);
    if (selection.kind === Kind.INLINE_FRAGMENT) return depthOf(selection.selectionSet, fragments);
    const fragment = fragments.get(selection.name.value);
    return fragment === undefined ? 0 : depthOf(fragment.selectionSet, fragments);
  });
  return Math.max(0, ...depths);
}

function depthOfField(field: FieldNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): number {
  // Introspection is open and not counted.
  if (field.name.value.startsWith('__')) return 0;
  return field.selectionSet === undefined ? 0 : 1 + depthOf(field.selectionSet, fragments);
}

/** A refusal in the form of a GraphQL error. */
export function failed(status: number, code: string, message: string): Result {
  return { status, body: { errors: [{ message, extensions: { code } }] } };
}
