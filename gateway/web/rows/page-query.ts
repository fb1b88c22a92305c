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
import { isObject, type Json, type JsonObject, readPath } from './path.js';

/** A query that can be run page by page. */
export interface PagedQuery {
  /** The query with a variable for the cursor. */
  readonly query: string;
  readonly variable: string;
  /** Where the query itself begins, when it says so outside of a variable. */
  readonly start: string | null;
  /** Keys of the connection in the answer. */
  readonly connection: readonly string[];
  readonly list: 'nodes' | 'edges';
}

const CURSOR = 'passerelleAfter';

/**
 * Rewrites a query so that the list's connection takes its cursor from a variable and returns where the page ends.
 * Null when the list is no connection, or lies below another list: then there is no one next page. With `asksTotal`
 * the number of rows is selected too.
 */
export function pagedQuestion(
  query: string,
  operationName: string | undefined,
  listPath: string,
  asksTotal = false,
): PagedQuery | null {
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
    // On its way out of the visit the field may be a copy already: its place in the text identifies it.
    Field: {
      leave: (node) => (node.loc?.start === field.loc?.start ? paged(node, own ?? CURSOR, asksTotal) : undefined),
    },
  });
  return { query: print(rewritten), variable: own ?? CURSOR, start: writtenCursor(field), connection, list };
}

/** A connection in an answer: its rows and where the next page begins. */
export interface Page {
  readonly rows: readonly Json[];
  /** Where the next page begins; null on the last page. */
  readonly endCursor: string | null;
  /** Whether it says that nothing follows. */
  readonly isLast: boolean;
  /** The end of this page, as it says itself, the last one's too. */
  readonly ownEnd: string | null;
  readonly totalCount: number | null;
}

/** Reads the page of an answer; null when the connection is not there. */
export function readPage(
  data: JsonObject | null | undefined,
  { connection, list }: Pick<PagedQuery, 'connection' | 'list'>,
): Page | null {
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
    isLast: isObject(pageInfo) && pageInfo['hasNextPage'] === false,
    ownEnd: typeof cursor === 'string' ? cursor : null,
    totalCount: typeof total === 'number' ? total : null,
  };
}

/**
 * The response with other rows in its connection, which end where `last` says; what the query does not select of the
 * page's end stays out.
 */
export function withRows(
  data: JsonObject,
  { connection, list }: Pick<PagedQuery, 'connection' | 'list'>,
  rows: readonly Json[],
  last: { readonly hasNextPage: boolean; readonly endCursor: string | null },
): JsonObject {
  const [key, ...rest] = connection;
  if (key === undefined) {
    const { pageInfo } = data;
    if (!isObject(pageInfo)) return { ...data, [list]: rows };
    const ends = Object.entries(last).filter(([name]) => Object.hasOwn(pageInfo, name));
    return { ...data, [list]: rows, pageInfo: { ...pageInfo, ...Object.fromEntries(ends) } };
  }
  const inner = data[key];
  return isObject(inner) ? { ...data, [key]: withRows(inner, { connection: rest, list }, rows, last) } : data;
}

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

/** The variable that the query itself declares for the cursor; null when it has none. */
function ownCursor(field: FieldNode): string | null {
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  return value?.kind === Kind.VARIABLE ? value.name.value : null;
}

function writtenCursor(field: FieldNode): string | null {
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  return value?.kind === Kind.STRING ? value.value : null;
}

function withVariable(operation: OperationDefinitionNode): OperationDefinitionNode {
  const model = parseOperation(`query ($${CURSOR}: String) { _ }`);
  return {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), ...(model.variableDefinitions ?? [])],
  };
}

function paged(field: FieldNode, variable: string, asksTotal: boolean): FieldNode {
  const parts = `pageInfo { hasNextPage endCursor }${asksTotal ? ' totalCount' : ''}`;
  const [model] = parseOperation(`{ _(after: $${variable}) { ${parts} } }`).selectionSet.selections;
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
