import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  separateOperations,
  type VariableNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { defaultsOf, type FieldWalk, fragmentsOf, walkFields } from '../kernel/selections.js';
import { isObject, type Json, type JsonObject, readPath } from './path.js';

/** Rows of all pages together that the analyst page follows, and that a file may hold. */
export const MAX_ROWS = 100_000;

/** A query that can be executed page by page. */
export interface PagedQuery {
  /** The query with a variable for the cursor. */
  readonly query: string;
  readonly variable: string;
  /** The cursor that the original query gives with these variables; null or undefined if none. */
  startOf(variables: Readonly<Record<string, unknown>>): unknown;
  /** Keys of the connection in the response. */
  readonly connection: readonly string[];
  readonly list: 'nodes' | 'edges';
  /** Key of the identifier in the records of the list; null if it is not selected. */
  readonly id: string | null;
}

/** The cursor variable for a query that has none, or uses its own for other lists too. */
const CURSOR = 'passerelleAfter';

/**
 * Rewrites a query so that the list's connection takes its cursor from a variable and returns its `pageInfo` and the
 * `further` fields. Null if the list is not a connection's, or is below another list, where there is no single next
 * page.
 */
export function toPagedQuery(
  query: DocumentNode,
  operationName: string | undefined,
  listPath: string,
  further: readonly string[] = [],
): PagedQuery | null {
  const steps = readPath(listPath).flatMap((step) => ('key' in step ? [step.key] : ['[]']));
  const list = steps.at(-2);
  if (steps.filter((step) => step === '[]').length !== 1 || steps.at(-1) !== '[]') return null;
  if (list !== 'nodes' && list !== 'edges') return null;
  const connection = steps.slice(0, -2);
  const operations = separateOperations(query);
  // With its own copies of fragments, as other operations may spread them without the cursor variable.
  const document = operations[operationName ?? ''] ?? Object.values(operations)[0];
  const operation = document && getOperationAST(document);
  if (document === undefined || operation?.operation !== 'query') return null;
  const fields = selectedAt(document, connection);
  const [field] = fields;
  if (field === undefined) return null;
  const after = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  const own = after?.kind === Kind.VARIABLE && usesOf(after, document) === fields.length ? after.name.value : null;
  const variable = own ?? unusedName(operation);
  const model = parseOperation(
    `query ($${variable}: String) { _(after: $${variable}) { pageInfo { hasNextPage endCursor } ${further.join(' ')} } }`,
  );
  const rewritten = visit(document, {
    OperationDefinition: ({ variableDefinitions = [], ...node }) =>
      own === null
        ? { ...node, variableDefinitions: [...variableDefinitions, ...(model.variableDefinitions ?? [])] }
        : undefined,
    Field: (node) => (fields.includes(node) ? paged(node, model) : undefined),
  });
  const defaults = defaultsOf(operation);
  const startOf = (variables: Readonly<Record<string, unknown>>): unknown =>
    after && valueFromASTUntyped(after, { ...defaults, ...variables });
  const record = [...connection, list, ...(list === 'edges' ? ['node'] : []), null];
  const id = selectedAt(rewritten, record).findLast(({ name }) => name.value === 'id');
  const idKey = id === undefined ? null : (id.alias ?? id.name).value;
  return { query: print(rewritten), variable, startOf, connection, list, id: idKey };
}

/** A connection in a response. */
export interface Page {
  readonly rows: readonly Json[];
  /** Cursor of the next page; null on the last page, and if the response has none. */
  readonly endCursor: string | null;
  /** Whether `pageInfo` reports a next page; null if it does not say. */
  readonly hasNext: boolean | null;
  /** The `endCursor` as sent, on the last page too. */
  readonly ownEnd: string | null;
  readonly totalCount: number | null;
  /** Whether the pages up to the last one gave every row; null if that is not known. */
  readonly complete: boolean | null;
}

/** Reads the page in a response; null if the connection is missing. */
export function readPage(
  data: JsonObject | null | undefined,
  { connection, list }: Pick<PagedQuery, 'connection' | 'list'>,
): Page | null {
  let value: Json | undefined = data ?? undefined;
  for (const key of connection) value = isObject(value) ? value[key] : undefined;
  return isObject(value) ? pageOf(value, list) : null;
}

/** Reads the page that a connection is, with its rows under a key. */
export function pageOf(value: JsonObject, list: string): Page {
  const rows = value[list];
  const pageInfo = value['pageInfo'];
  const totalCount = typeof value['totalCount'] === 'number' ? value['totalCount'] : null;
  const hasNext = isObject(pageInfo) ? pageInfo['hasNextPage'] : null;
  const cursor = isObject(pageInfo) ? pageInfo['endCursor'] : null;
  return {
    rows: Array.isArray(rows) ? rows : [],
    endCursor: hasNext === true && typeof cursor === 'string' ? cursor : null,
    hasNext: typeof hasNext === 'boolean' ? hasNext : null,
    ownEnd: typeof cursor === 'string' ? cursor : null,
    totalCount,
    complete: typeof value['complete'] === 'boolean' ? value['complete'] : null,
  };
}

/** Whether a list has rows beyond a page, as far as the response tells. */
export function goesOn({ hasNext, totalCount, rows }: Page): boolean {
  return hasNext ?? (totalCount ?? 0) > rows.length;
}

/** What a connection says at its end. */
export interface PageEnd {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
  readonly complete: boolean | null;
}

/** The response with other rows in its connection, and those parts of `last` that the query selects. */
export function withRows(
  data: JsonObject,
  { connection, list }: Pick<PagedQuery, 'connection' | 'list'>,
  rows: readonly Json[],
  last: PageEnd,
): JsonObject {
  const [key, ...rest] = connection;
  if (key === undefined) {
    const { pageInfo, complete } = data;
    const ended = { ...data, [list]: rows, ...(complete !== undefined && { complete: last.complete }) };
    if (!isObject(pageInfo)) return ended;
    const ends = Object.entries(last).filter(([name]) => Object.hasOwn(pageInfo, name));
    return { ...ended, pageInfo: { ...pageInfo, ...Object.fromEntries(ends) } };
  }
  const inner = data[key];
  return isObject(inner) ? { ...data, [key]: withRows(inner, { connection: rest, list }, rows, last) } : data;
}

/** Every place in the only operation of a document where the field at these response keys is written. */
function selectedAt(document: DocumentNode, keys: readonly (string | null)[]): FieldNode[] {
  const operation = getOperationAST(document);
  const fragments = fragmentsOf(document);
  return operation ? fieldsAt([operation.selectionSet], keys, { findFragment: (name) => fragments.get(name) }) : [];
}

/** Every place where the field at these response keys is written, including in fragments; null stands for any key. */
export function fieldsAt(
  sets: readonly SelectionSetNode[],
  [key, ...rest]: readonly (string | null)[],
  walk: FieldWalk,
): FieldNode[] {
  const found: FieldNode[] = [];
  walkFields(sets, walk, (field) => {
    if (key === null || (field.alias ?? field.name).value === key) found.push(field);
  });
  if (rest.length === 0) return found;
  return fieldsAt(
    found.flatMap(({ selectionSet }) => selectionSet ?? []),
    rest,
    walk,
  );
}

/** How often a variable is used, not counting its definition. */
function usesOf({ name: { value } }: VariableNode, document: DocumentNode): number {
  let uses = 0;
  visit(document, {
    VariableDefinition: () => false,
    Variable({ name }) {
      if (name.value === value) uses += 1;
    },
  });
  return uses;
}

function unusedName({ variableDefinitions = [] }: OperationDefinitionNode): string {
  const used = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  let name = CURSOR;
  while (used.has(name)) name += '_';
  return name;
}

/** A field with the cursor and the selections of the only field of a model. */
function paged(field: FieldNode, { selectionSet }: OperationDefinitionNode): FieldNode {
  const [model] = selectionSet.selections;
  if (model?.kind !== Kind.FIELD) return field;
  const others = field.arguments?.filter(({ name }) => name.value !== 'after') ?? [];
  const selections = [field, model].flatMap((one) => one.selectionSet?.selections ?? []);
  return {
    ...field,
    arguments: [...others, ...(model.arguments ?? [])],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
}

/** The operation of a text that has one. */
export function parseOperation(text: string): OperationDefinitionNode {
  const operation = getOperationAST(parse(text, { noLocation: true }));
  if (!operation) throw new TypeError('Not an operation.');
  return operation;
}
