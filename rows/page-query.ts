import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
import { defaultsOf, fragmentsOf, walkFields } from '../kernel/selections.js';
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
  const document = alone(query, operationName);
  const operation = document?.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (document === null || operation === undefined || operation.operation !== 'query') return null;
  const fields = fieldsAt([operation.selectionSet], connection, fragmentsOf(document));
  const [field] = fields;
  if (field === undefined) return null;
  const after = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  const own = after?.kind === Kind.VARIABLE && usesOf(after, document) === fields.length ? after.name.value : null;
  const variable = own ?? unusedName(operation);
  const starts = new Set(fields.map(({ loc }) => loc?.start));
  const rewritten = visit(document, {
    OperationDefinition: (node) => (node === operation && own === null ? withVariable(node, variable) : undefined),
    // On leaving, a field may be a copy: its location in the source identifies it.
    Field: {
      leave: (node) => (starts.has(node.loc?.start) ? paged(node, variable, further) : undefined),
    },
  });
  const defaults = defaultsOf(operation);
  const startOf = (variables: Readonly<Record<string, unknown>>): unknown =>
    after && valueFromASTUntyped(after, { ...defaults, ...variables });
  return { query: print(rewritten), variable, startOf, connection, list, id: idIn(rewritten, connection, list) };
}

/** The response key of the records' identifier in a document of one operation. */
function idIn(document: DocumentNode, connection: readonly string[], list: PagedQuery['list']): string | null {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const record = list === 'edges' ? [...connection, list, 'node'] : [...connection, list];
  const sets = operation === undefined ? [] : [operation.selectionSet];
  const id = fieldsAt(sets, [...record, null], fragmentsOf(document)).findLast(({ name }) => name.value === 'id');
  return id === undefined ? null : (id.alias ?? id.name).value;
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

/** One operation with its own copies of fragments, as other operations may spread them without the cursor variable. */
function alone(document: DocumentNode, operationName: string | undefined): DocumentNode | null {
  const operations = separateOperations(document);
  return operations[operationName ?? ''] ?? Object.values(operations)[0] ?? null;
}

/** Every place where the field at these response keys is written, including in fragments; null stands for any key. */
function fieldsAt(
  sets: readonly SelectionSetNode[],
  [key, ...rest]: readonly (string | null)[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  const found: FieldNode[] = [];
  walkFields(sets, { findFragment: (name) => fragments.get(name) }, (field) => {
    if (key === null || (field.alias ?? field.name).value === key) found.push(field);
  });
  if (rest.length === 0) return found;
  return fieldsAt(
    found.flatMap(({ selectionSet }) => selectionSet ?? []),
    rest,
    fragments,
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

function withVariable(operation: OperationDefinitionNode, name: string): OperationDefinitionNode {
  const model = parseOperation(`query ($${name}: String) { _ }`);
  return {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), ...(model.variableDefinitions ?? [])],
  };
}

function paged(field: FieldNode, variable: string, further: readonly string[]): FieldNode {
  const parts = ['pageInfo { hasNextPage endCursor }', ...further].join(' ');
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
