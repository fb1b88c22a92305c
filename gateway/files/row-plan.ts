import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isListType,
  isObjectType,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  NoFragmentCyclesRule,
  type OperationDefinitionNode,
  parse,
  ScalarLeafsRule,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { defaultsOf, fragmentsOf, type SelectionContext, selectFields } from '../../kernel/selections.js';
import type { Cell } from '../../rows/cells.js';
import { countsOf, type ListLimit, limitsOf, withMissing } from '../../rows/extent.js';
import { type ColumnType, type Layout, layoutOf, type PlacedColumn, shapesOf } from '../../rows/layout.js';
import { type Choice, chooseList, findLists, omittedLists, pagedListIn } from '../../rows/lists.js';
import { type PagedQuery, toPagedQuery } from '../../rows/page-query.js';
import { type Json, type JsonObject, readPath, writePath } from '../../rows/path.js';
import { namesColumns, pickRows } from '../../rows/row-choice.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import type { GraphqlParameters } from '../../runtime/http/parameters.js';
import { DOCUMENT_BOUNDS } from '../../runtime/http/request-body.js';
import { documentLimits } from '../limits/operation-limits.js';
import type { RowRequest } from './row-request.js';

/** What is known about the rows before the query runs. */
export interface RowPlan {
  /** The paged list that a request without `path` gets; null if the query has none, or the request names a list. */
  readonly pagedList: string | null;
  /** The layout of a list in any response to the query. */
  layoutAt(path: string): Layout;
  /** What the query says of how many rows the lists on a path have. */
  limitsAt(path: string): ListLimit[];
  /** The query with the fields by which its list tells whether it is whole; null if it has them all. */
  readonly asking: GraphqlParameters | null;
  /** How to fetch all pages; null if only the query's own page is requested. */
  readonly pages: PagePlan | null;
}

/** How to fetch all pages of a list. */
export interface PagePlan {
  readonly path: string;
  readonly layout: Layout;
  /** Names of the lists that have no columns in it. */
  readonly omitted: readonly string[];
  readonly limits: readonly ListLimit[];
  readonly paged: PagedQuery;
  /** The field that is the list's connection. */
  readonly field: { readonly type: string; readonly name: string };
  /** The query for the page after a cursor, or for the first page. */
  parametersAfter(cursor: string | null): GraphqlParameters;
}

/**
 * Plans the rows before an upstream call is made. Null if the text of the query is not known, or the query is invalid,
 * which its execution reports. If the request chooses nothing, the query is read only when its layout is needed.
 * Rejects with `BAD_USER_INPUT` for columns that no response has, and for pages that cannot be followed.
 */
export async function planRows(
  parameters: GraphqlParameters,
  request: RowRequest,
  schema: GraphQLSchema,
): Promise<RowPlan | null> {
  const { allPages, choice, path } = request;
  const isPlain = !allPages && !namesColumns(choice);
  const { query: text } = parameters;
  if (text === undefined) {
    if (isPlain) return null;
    throw new CodedError('BAD_USER_INPUT', 'With `pages`, `columns`, `where` or `order`, send the `query` itself.');
  }
  const read = await readSample(text, parameters, schema);
  if (read === null) return null;
  const { query, sample, layoutAt } = read;
  await laterTurn();
  const pagedList = path === undefined ? pagedListIn(sample) : null;
  const chosen = path === undefined ? pagedList : chosenList(chooseList(sample, path), isPlain);
  const { operationName } = parameters;
  const limitsAt = (at: string): ListLimit[] => limitsOf({ ...query, operationName }, at, schema);
  const pages = allPages ? planPages(chosen, query, parameters) : null;
  if (chosen !== null) pickRows(layoutAt(chosen), choice);
  const lists = chosen === null ? findLists(sample).map((list) => list.path) : [chosen];
  const asking = allPages ? null : withMissing(query.document, lists.flatMap(limitsAt));
  return {
    pagedList,
    layoutAt,
    limitsAt,
    // A hash of the client's text no longer matches.
    asking: asking === null ? null : { ...parameters, query: asking, extensions: undefined },
    pages: pages && { ...pages, layout: layoutAt(pages.path), omitted: omittedIn(sample, pages.path, path) },
  };
}

/** The list that a caller names. A plain request without such a list learns it from its response: null. */
function chosenList(choice: Choice, isPlain: boolean): string | null {
  return isPlain && !('path' in choice) ? null : pathOf(choice, 'query');
}

function omittedIn(sample: JsonObject, path: string, wanted: string | undefined): string[] {
  return omittedLists(findLists(sample), { path, isNamed: wanted !== undefined });
}

/** A query with a sample of its responses; null for an invalid one. */
async function readSample(text: string, parameters: GraphqlParameters, schema: GraphQLSchema) {
  await laterTurn();
  const query = parseQuery(text, parameters, schema);
  if (query === null) return null;
  await laterTurn();
  const sample = sampleResponse(query);
  if (sample === null) return null;
  const layouts = new Map<string, Layout>();
  const layoutAt = (path: string): Layout => {
    const steps = readPath(path);
    const layout = layouts.get(path) ?? asPlanned(layoutOf(steps, shapesOf(sample, steps)), sample);
    layouts.set(path, layout);
    return layout;
  };
  return { query, sample, layoutAt };
}

/**
 * The layout of a sample. Columns of objects may be chosen: in a response with only nulls, they are cells. The type of
 * a column is that of its value in the sample.
 */
function asPlanned(layout: Layout, sample: JsonObject): Layout {
  const [row] = layout.rowsOf(sample);
  const column = (name: string): PlacedColumn | null => {
    // How many keys groups have, the sample does not say.
    const found = layout.column(name) ?? layout.column(name.replace(/\b(key|label|value)\.\d$/, '$1'));
    if (found === null) return null;
    const type = found.isDate === true ? 'date' : typeOf(row?.cell(found) ?? null);
    return { ...found, holdsObjects: false, ...(type !== null && { type }) };
  };
  return { ...layout, column };
}

function typeOf(cell: Cell): ColumnType | null {
  const type = typeof cell;
  return type === 'number' || type === 'boolean' ? type : null;
}

/** A parsed query with its variables. */
interface ParsedQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What its fields are selected with. */
  readonly selection: SelectionContext;
}

function parseQuery(
  query: string,
  { operationName, variables = {} }: GraphqlParameters,
  schema: GraphQLSchema,
): ParsedQuery | null {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: DOCUMENT_BOUNDS.tokens });
  } catch {
    return null;
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const flags = { ...defaultsOf(operation), ...variables };
  return { document, operation, variables, selection: { schema, fragments: fragmentsOf(document), flags } };
}

/** Lists are recognized by these names. */
const KEEP_NAMES = 'Select `nodes` or `edges` without an alias.';

/** `path` is null if none is named, and the query has no list with pages. */
function planPages(
  path: string | null,
  query: ParsedQuery,
  parameters: GraphqlParameters,
): Omit<PagePlan, 'layout' | 'omitted'> {
  if (path === null) {
    const hint = `This query has no list with pages. ${KEEP_NAMES}`;
    throw new CodedError('BAD_USER_INPUT', `\`pages=all\` follows the pages of one list. ${hint}`);
  }
  const steps = readPath(path);
  const connection = writePath(steps.slice(0, steps.findIndex((step) => 'each' in step) + 1));
  const keys = readPath(connection).flatMap((step) => ('key' in step ? [step.key] : []));
  const limits = limitsOf({ ...query, operationName: parameters.operationName }, path, query.selection.schema);
  const field = fieldAt(keys.slice(0, -1), query);
  const further = [...countsOf(limits), ...identifiersOf(keys, query)];
  const asking = withMissing(query.document, limits.slice(1));
  const document = asking === null ? query.document : parse(asking);
  const paged = toPagedQuery(document, parameters.operationName, connection, further);
  if (paged === null) {
    throw new CodedError(
      'BAD_USER_INPUT',
      `\`pages=all\` follows the pages of one connection of a query: ${path || 'this response'} is not such a list. ${KEEP_NAMES}`,
    );
  }
  return {
    path,
    limits,
    paged,
    field: { type: field?.parent.name ?? '', name: field?.name ?? '' },
    parametersAfter: (cursor) => {
      const { variables: own = {} } = parameters;
      const after = cursor ?? paged.startOf(own) ?? undefined;
      const variables = { ...own, ...(after !== undefined && { [paged.variable]: after }) };
      // The query was rewritten, so a hash of the client's text no longer matches.
      return { ...parameters, query: paged.query, variables, extensions: undefined };
    },
  };
}

/** The path of the chosen list. Throws `BAD_USER_INPUT`, with the known ones, if there is no such list. */
export function pathOf(choice: Choice, where: 'query' | 'response'): string {
  if ('path' in choice) return choice.path;
  const lists = choice.known.length === 0 ? 'It has none.' : `It has ${choice.known.slice(0, 20).join(', ')}.`;
  throw new CodedError('BAD_USER_INPUT', `\`path\` is not a list in this ${where}. ${lists}`);
}

/** Selects which rows the list at these keys has; empty if the query does so, or if they have no identifier. */
function identifiersOf(keys: readonly string[], query: ParsedQuery): string[] {
  const isEdges = keys.at(-1) === 'edges';
  const { type = null, sets = [] } = fieldAt(isEdges ? [...keys, 'node'] : keys, query) ?? {};
  if (type === null || !Object.hasOwn(type.getFields(), 'id')) return [];
  if (selectFields(sets, type, query.selection).some(({ name }) => name === 'id')) return [];
  return [isEdges ? `edges { node { ${ID} } }` : `nodes { ${ID} }`];
}

/** A field of a query. */
interface FieldOfQuery {
  readonly parent: GraphQLObjectType;
  readonly name: string;
  /** Its type; null if that is no object. */
  readonly type: GraphQLObjectType | null;
  readonly sets: readonly SelectionSetNode[];
}

/** The field at these keys of the response; null if there is none. */
function fieldAt(keys: readonly string[], { operation, selection }: ParsedQuery): FieldOfQuery | null {
  let parent: GraphQLObjectType | null = selection.schema.getRootType(operation.operation) ?? null;
  let sets: readonly SelectionSetNode[] = [operation.selectionSet];
  let found: FieldOfQuery | null = null;
  for (const key of keys) {
    if (parent === null) return null;
    const selected = selectFields(sets, parent, selection).find((field) => field.key === key);
    const named = getNamedType(parent.getFields()[selected?.name ?? '']?.type);
    const type = isObjectType(named) ? named : null;
    sets = selected?.sets ?? [];
    found = { parent, name: selected?.name ?? '', type, sets };
    parent = type;
  }
  return found;
}

/** The identifier of a row whose query does not select it. */
const ID = 'passerelleId: id';

/**
 * Full validation happens later, with its errors. These rules bound the walk below, and refuse selections whose columns
 * would be wrong.
 */
const RULES = [
  ...[NoFragmentCyclesRule, documentLimits],
  ...[FieldsOnCorrectTypeRule, ScalarLeafsRule, KnownFragmentNamesRule, KnownTypeNamesRule],
];

/**
 * A response to the query with one item in each list and a value for each leaf. It has the lists and columns of every
 * response, however many nulls that contains. Null for a document whose selections are invalid or beyond the limits.
 */
function sampleResponse({ document, operation, selection }: ParsedQuery): JsonObject | null {
  const root = selection.schema.getRootType(operation.operation);
  if (!root || validate(selection.schema, document, RULES, { maxErrors: 1 }).length > 0) return null;
  return objectOf([operation.selectionSet], root, selection);
}

function objectOf(sets: readonly SelectionSetNode[], type: GraphQLObjectType, selection: SelectionContext): JsonObject {
  const known = type.getFields();
  return Object.fromEntries(
    selectFields(sets, type, selection).flatMap(({ key, name, sets: inner }): [string, Json][] => {
      const field = known[name];
      if (name === '__typename') return [[key, type.name]];
      if (field === undefined) return [];
      if (name === 'lonlat') return [[key, [0, 0]]];
      if (type.name === POINT) return [[key, name === 'type' ? 'Point' : [0, 0]]];
      return [[key, sampleValue(field.type, inner, selection)]];
    }),
  );
}

/** The type whose `coordinates` are a longitude and a latitude. */
const POINT = 'GeoPoint';
/** Values of scalars that are no text, and of dates. */
const SAMPLES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['DateTime', '2026-01-01T00:00:00Z'],
  ['Int', 0],
  ['Float', 0],
  ['Boolean', false],
]);

function sampleValue(type: GraphQLOutputType, sets: readonly SelectionSetNode[], selection: SelectionContext): Json {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [sampleValue(nullable.ofType, sets, selection)];
  const named = getNamedType(nullable);
  if (isObjectType(named)) return objectOf(sets, named, selection);
  if (!isAbstractType(named)) return SAMPLES.get(named.name) ?? '';
  const kinds = selection.schema.getPossibleTypes(named).map((kind) => objectOf(sets, kind, selection));
  return Object.assign({}, ...kinds);
}
