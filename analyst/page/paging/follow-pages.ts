import { type GraphQLSchema, parse } from 'graphql';
import { allPages } from '../../../rows/all-pages.js';
import { countsOf, lackOf, limitsOf, objectsAt } from '../../../rows/extent.js';
import { type Page, type PagedQuery, readPage, toPagedQuery, withRows } from '../../../rows/page-query.js';
import { isList, isObject, type Json, type JsonObject, readPath, type Step } from '../../../rows/path.js';
import { describeError } from '../request/error-codes.js';
import { sendQuery } from '../request/send-query.js';
import { countInEnglish, countInFrench, defineTexts, language, textsNow } from '../state/language.js';
import { changePage, notify, type Progress, page, resultOf, setResult } from '../state/page-state.js';
import {
  combine,
  type FollowedPages,
  type GraphqlRequest,
  type QueryResult,
  type ResponseError,
} from '../state/query-result.js';

/** The pages to follow, and how to send requests. */
interface Following {
  readonly first: QueryResult;
  readonly paged: PagedQuery;
  /** Rows to stop at. */
  readonly cap: number;
  progress(progress: Progress): void;
  readonly signal: AbortSignal;
  send(request: GraphqlRequest, signal: AbortSignal): Promise<QueryResult>;
}

/** The result with the rows of all pages received, and why there are no more. */
interface Followed extends FollowedPages {
  readonly result: QueryResult;
}

/** The limit of rows, as what ends the pages. */
const CAP = 'cap';

/**
 * Follows the pages of a list until the end, the cap, a failure, pages without new rows or the signal, and returns what
 * has arrived by then, with all errors.
 */
export async function followPages({ first, paged, cap, signal, progress, send }: Following): Promise<Followed> {
  const list = `${[...paged.connection, paged.list].join('.')}[]`;
  const rows: Json[] = [];
  const errors: ResponseError[] = [];
  let [result, latest] = [first, first];
  let page: Page | null = null;
  const pages = allPages(first.response, {
    ...{ paged, path: list, language: language.get() },
    isLater: Boolean(paged.startOf(first.request.variables ?? {})),
    limit: () => (rows.length < cap ? null : CAP),
    async fetchAfter(cursor) {
      latest = await send(nextPageOf(first, paged, cursor), signal);
      result = combine(result, latest);
      refuseGaps(latest, paged);
      return latest.response;
    },
  });
  let [end, message]: [Followed['end'], string | null] = ['failed', null];
  // There is no cursor within a page, nor after the last one.
  let hasCursor = true;
  try {
    let step = await pages.next();
    for (; step.done !== true; step = await pages.next()) {
      page = step.value;
      errors.push(...(latest.response.errors ?? []).map((error) => shifted(error, paged, rows.length)));
      rows.push(...page.rows);
      const of = page.totalCount === null ? null : Math.min(page.totalCount, cap);
      progress({ rows: rows.length, of, calls: result.trace?.totals.callsMade ?? 0 });
    }
    if (rows.length > cap || step.value === CAP) end = 'cap';
    else if (step.value === null) end = 'all';
    else message = step.value;
    hasCursor = rows.length <= cap && message === null;
  } catch (error) {
    if (signal.aborted) end = 'cancelled';
    else if (error instanceof Error) message = error.message || null;
  }
  const endCursor = hasCursor ? (page?.ownEnd ?? null) : null;
  const last = { hasNextPage: end !== 'all', endCursor, complete: page?.complete ?? null };
  const { data } = first.response;
  const response = {
    ...first.response,
    ...(data && { data: withRows(data, paged, rows.slice(0, cap), last) }),
    ...(errors.length > 0 && { errors }),
  };
  const ended = { end, list, rows: Math.min(rows.length, cap), message };
  const { request, asked } = first;
  return { ...ended, result: { ...result, request, response, pages: ended, ...(asked && { asked }) } };
}

/** Throws for a page without its list, and for what a spent quota left out: after its reset, it goes on from here. */
function refuseGaps({ response: { data, errors = [] } }: QueryResult, paged: PagedQuery): void {
  const spent = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED');
  if (spent === undefined && readPage(data, paged) !== null) return;
  const why = spent ?? errors[0];
  throw new Error(why && describeError(why));
}

/** An error of a later page, with the index of its row among all rows. */
function shifted(error: ResponseError, { connection, list }: PagedQuery, by: number): ResponseError {
  const { path = [] } = error;
  const at = connection.length + 1;
  const row = path[at];
  if (typeof row !== 'number' || [...connection, list].some((key, index) => path[index] !== key)) return error;
  return { ...error, path: [...path.slice(0, at), row + by, ...path.slice(at + 1)] };
}

/** Follows the pages of the active tab's list and stores all rows. A new response in the tab cancels it. */
export async function startFollowing(first: QueryResult, paged: PagedQuery, cap: number): Promise<void> {
  const tab = page.get().tab;
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  const progress = (now: Progress): void => changePage({ following: { tab, progress: now, cancel } });
  const isCurrent = (): boolean => resultOf(tab) === first;
  const unwatch = page.watch(() => isCurrent() || cancel());
  progress({ rows: 0, of: null, calls: 0 });
  const { signal } = stop;
  const followed = await followPages({
    ...{ first, paged, cap, signal, progress },
    send: (request) => sendQuery(request, { signal, headers: first.headers }),
  });
  unwatch();
  changePage({ following: null });
  if (!isCurrent()) return;
  setResult(tab, followed.result);
  notify(() => describeEnd(followed), tab);
}

function describeEnd({ rows, end, list, message, result }: Followed): string {
  const texts = textsNow(PAGING_TEXTS);
  const all = texts.rows(rows);
  switch (end) {
    case 'all':
      return lackOf(result.response.data, list) === null ? texts.all(all) : texts.allGiven(all);
    case 'cap':
      return texts.stoppedAt(all);
    case 'cancelled':
      return texts.cancelledAfter(all);
    case 'failed':
      return texts.stoppedAfter(all, message);
  }
}

/** Whether the further pages of a list can be followed. */
type Paging =
  | { readonly kind: 'can'; readonly paged: PagedQuery }
  /** Why not, and the query that would make it possible, if there is one. */
  | { readonly kind: 'cannot'; readonly why: string; readonly mended?: string };

/**
 * How to follow the pages of a list; null if there are no further ones, or it is not a connection. With the graph, each
 * page reports how many rows there are.
 */
export function pagingOf(
  { request, response, pages }: QueryResult,
  path: string,
  schema: GraphQLSchema | null = null,
): Paging | null {
  const steps = readPath(path);
  const connection = steps.slice(0, -2);
  const list = steps.at(-2);
  if (list === undefined || !('key' in list) || !/^(nodes|edges)$/.test(list.key) || response.data == null) return null;
  const connections = [...objectsAt(response.data, connection)];
  if (!connections.some(([object]) => hasFurtherPage(object))) return null;
  const texts = textsNow(PAGING_TEXTS);
  const outer = connection.findLastIndex((step) => 'each' in step);
  if (outer >= 0)
    return { kind: 'cannot', why: describeNested(connection.slice(0, outer), connection.slice(outer + 1)) };
  const document = parse(request.query);
  const counts = countsOf(limitsOf({ ...request, document }, path, schema));
  const paged = toPagedQuery(document, request.operationName ?? undefined, path, counts);
  if (paged === null) return { kind: 'cannot', why: texts.onlyQueries };
  if (readPage(response.data, paged)?.endCursor != null) return { kind: 'can', paged };
  if (pages !== undefined) return { kind: 'cannot', why: texts.withinPage };
  return { kind: 'cannot', why: texts.noPageInfo(END, list.key), mended: paged.query };
}

const END = 'pageInfo { hasNextPage endCursor }';

/** Whether a connection reports a next page, or counts more rows than it lists. */
function hasFurtherPage({ pageInfo, totalCount, nodes, edges }: JsonObject): boolean {
  if (isObject(pageInfo) && typeof pageInfo['hasNextPage'] === 'boolean') return pageInfo['hasNextPage'];
  const rows = isList(nodes) ? nodes : edges;
  return isList(rows) && rows.length > 0 && (typeof totalCount !== 'number' || totalCount > rows.length);
}

function describeNested(outer: readonly Step[], inner: readonly Step[]): string {
  const [parents, field] = [outer, inner].map((steps) => steps.flatMap((step) => ('key' in step ? [step.key] : [])));
  return textsNow(PAGING_TEXTS).nested(parents?.join('.') ?? '', field?.join('.') ?? '');
}

/** The request of the page after the current one. */
export function nextPageOf({ request }: QueryResult, { query, variable }: PagedQuery, after: string): GraphqlRequest {
  return { ...request, query, variables: { ...request.variables, [variable]: after } };
}

/** How many further pages there are up to the cap; null if the source does not report how many rows there are. */
export function furtherPages({ response }: QueryResult, paged: PagedQuery, cap: number): number | null {
  const page = readPage(response.data, paged);
  if (page === null || page.totalCount === null || page.rows.length === 0) return null;
  return Math.max(0, Math.ceil(Math.min(page.totalCount, cap) / page.rows.length) - 1);
}

/** Texts of following the pages of a list. */
export const PAGING_TEXTS = defineTexts({
  en: {
    allPages: 'All pages …',
    following: 'All pages',
    loading: 'Loading …',
    rows: (count: number) => countInEnglish(count, 'row'),
    calls: (count: number) => countInEnglish(count, 'call'),
    cancel: 'Cancel',
    atMost: 'at most',
    rowsUnit: 'rows',
    start: 'Start',
    busy: 'The pages of another tab are still loading.',
    addPageInfo: 'Add pageInfo',
    pagesUnknown: 'The source does not report how many rows there are. Each page costs:',
    pages: (count: number) =>
      `${countInEnglish(count, 'more page')}. When a quota is spent, loading stops; started again later, it goes on. Each costs:`,
    all: (rows: string) => `all ${rows}`,
    allGiven: (rows: string) => `${rows}: all that the source returns; it may have more`,
    stoppedAt: (rows: string) => `stopped at ${rows}`,
    cancelledAfter: (rows: string) => `cancelled after ${rows}`,
    stoppedAfter: (rows: string, why: string | null) => `stopped after ${rows}: ${why ?? 'no response'}`,
    onlyQueries: 'Only the lists of a query have pages.',
    withinPage: 'Loading stopped in the middle of a page. Run the query again to load all pages.',
    noPageInfo: (end: string, list: string) =>
      `The query does not select where the page ends: ${end} is missing beside ${list}.`,
    nested: (parents: string, field: string) =>
      `Each row of ${parents} has its own pages of ${field}, but a query has only one cursor. Query just one of these rows, or larger pages (first).`,
  },
  fr: {
    allPages: 'Toutes les pages …',
    following: 'Toutes les pages',
    loading: 'Chargement …',
    rows: (count) => countInFrench(count, 'ligne'),
    calls: (count) => countInFrench(count, 'appel'),
    cancel: 'Annuler',
    atMost: 'au plus',
    rowsUnit: 'lignes',
    start: 'Commencer',
    busy: 'Les pages d’un autre onglet sont encore en cours.',
    addPageInfo: 'Ajouter pageInfo',
    pagesUnknown: 'La source ne dit pas combien de lignes il y a. Chaque page coûte :',
    pages: (count) =>
      `${countInFrench(count, 'page')} de plus. Un quota épuisé arrête la lecture ; relancée plus tard, elle continue. Chacune coûte :`,
    all: (rows) => `en tout ${rows}`,
    allGiven: (rows) => `${rows} : tout ce que donne la source, qui en a peut-être d’autres`,
    stoppedAt: (rows) => `arrêté à ${rows}`,
    cancelledAfter: (rows) => `annulé après ${rows}`,
    stoppedAfter: (rows, why) => `arrêté après ${rows} : ${why ?? 'pas de réponse'}`,
    onlyQueries: 'Seules les listes d’une requête de lecture ont des pages.',
    withinPage: 'L’arrêt est tombé au milieu d’une page. Relancez la requête pour suivre toutes les pages.',
    noPageInfo: (end, list) => `La requête ne dit pas où finit la page : ${end} manque à côté de ${list}.`,
    nested: (parents, field) =>
      `Chaque ligne de ${parents} a ses propres pages de ${field}, et une requête n’a qu’un curseur. Interrogez une seule de ces lignes, ou de plus grandes pages (first).`,
  },
});
