import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { isObject, type Json, type JsonObject, readPath } from '../../rows/path.js';

/** A question that can be asked page by page. */
export interface PagedQuestion {
  /** The question with a variable for the cursor. */
  readonly query: string;
  readonly variable: string;
  /** Keys of the connection in the answer. */
  readonly connection: readonly string[];
  readonly list: 'nodes' | 'edges';
}

const CURSOR = 'passerelleAfter';

/**
 * Rewrites a question so that the list's connection takes its cursor from a variable and tells where the page ends.
 * Null when the list is no connection, or lies below another list: then there is no one next page.
 */
export function pagedQuestion(
  query: string,
  operationName: string | undefined,
  listPath: string,
): PagedQuestion | null {
  const steps = readPath(listPath).flatMap((step) => ('key' in step ? [step.key] : ['[]']));
  const list = steps.at(-2);
  if (steps.filter((step) => step === '[]').length !== 1 || steps.at(-1) !== '[]') return null;
  if (list !== 'nodes' && list !== 'edges') return null;
  const connection = steps.slice(0, -2);
  const document = parse(query);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (operation === undefined || operation.operation !== 'query') return null;
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const field = fieldAt(operation.selectionSet, connection, fragments);
  if (field === null) return null;
  const own = ownCursor(field);
  const rewritten = visit(document, {
    OperationDefinition: (node) => (node === operation && own === null ? withVariable(node) : undefined),
    // On its way out of the visit the field may be a copy already: its place in the text tells.
    Field: { leave: (node) => (node.loc?.start === field.loc?.start ? paged(node, own ?? CURSOR) : undefined) },
  });
  return { query: print(rewritten), variable: own ?? CURSOR, connection, list };
}

/** A connection in an answer: its rows and where the next page begins. */
export interface Page {
  readonly rows: readonly Json[];
  /** Null on the last page. */
  readonly endCursor: string | null;
  readonly totalCount: number | null;
}

/** Reads the page of an answer; null when the connection is not there. */
export function readPage(data: JsonObject | null | undefined, { connection, list }: PagedQuestion): Page | null {
  let value: Json | undefined = data ?? undefined;
  for (const key of connection) value = isObject(value) ? value[key] : undefined;
  if (!isObject(value)) return null;
  const rows = value[list];
  const pageInfo = value['pageInfo'];
  const total = value['totalCount'];
  const hasNext = isObject(pageInfo) && pageInfo['hasNextPage'] === true;
  const cursor = isObject(pageInfo) ? pageInfo['endCursor'] : null;
  return {
    rows: Array.isArray(rows) ? rows : [],
    endCursor: hasNext && typeof cursor === 'string' ? cursor : null,
    totalCount: typeof total === 'number' ? total : null,
  };
}

/** The answer with other rows in its connection. */
export function withRows(data: JsonObject, { connection, list }: PagedQuestion, rows: readonly Json[]): JsonObject {
  const [key, ...rest] = connection;
  if (key === undefined) return { ...data, [list]: rows };
  const inner = data[key];
  return isObject(inner) ? { ...data, [key]: withRows(inner, { ...NOWHERE, connection: rest, list }, rows) } : data;
}

const NOWHERE = { query: '', variable: '' } as const;

/** The field at the keys of an answer, however deep in fragments it is written. */
function fieldAt(
  selectionSet: SelectionSetNode | undefined,
  keys: readonly string[],
  fragments: readonly FragmentDefinitionNode[],
): FieldNode | null {
  const [key, ...rest] = keys;
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      if ((selection.alias ?? selection.name).value !== key) continue;
      return rest.length === 0 ? selection : fieldAt(selection.selectionSet, rest, fragments);
    }
    const inside =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : fragments.find(({ name }) => name.value === selection.name.value);
    const found = fieldAt(inside?.selectionSet, keys, fragments);
    if (found !== null) return found;
  }
  return null;
}

/** The variable that the question itself declares for the cursor; null when it has none. */
function ownCursor(field: FieldNode): string | null {
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : null;
}

function withVariable(operation: OperationDefinitionNode): OperationDefinitionNode {
  const model = parseOperation(`query ($${CURSOR}: String) { _ }`);
  return {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), ...(model.variableDefinitions ?? [])],
  };
}

function paged(field: FieldNode, variable: string): FieldNode {
  const [model] = parseOperation(`{ _(after: $${variable}) { pageInfo { hasNextPage endCursor } } }`).selectionSet
    .selections;
  if (model?.kind !== Kind.FIELD) return field;
  const others = field.arguments?.filter(({ name }) => name.value !== 'after') ?? [];
  return {
    ...field,
    arguments: [...others, ...(model.arguments ?? [])],
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: [...(field.selectionSet?.selections ?? []), ...(model.selectionSet?.selections ?? [])],
    },
  };
}

function parseOperation(text: string): OperationDefinitionNode {
  const [operation] = parse(text, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('Not an operation.');
  return operation;
}
