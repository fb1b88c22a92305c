import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { isRecord, ownValue } from '../../../kernel/text.js';
import { createSingleLoader } from '../../graph/loader.js';
import type { QuotaScope } from '../../rest/quota/scopes.js';
import { list, object, type Sender, type Shape, wrongType } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';

/* What calls to the source have in common: routes and queries, the pages of its lists, and the counters they fall under. */

/** A route of the source, with an identifier in the place of the variable part. */
export function route<M extends UpstreamRequest<unknown>['method']>(method: M, template: string, id = '') {
  return { method, template, path: template.replace(/\{\w+\}/, () => encodeURIComponent(id)) } as const;
}

/** What searches and single records have in common: they are cached briefly, and a key of the caller's own is used. */
export const SEARCHED = { cache: 'search', key: 'caller-or-operator' } as const;
/** What all callers share is fetched with the operator's key, and cached for a day. */
export const REFERENCE = { cache: 'reference', key: 'operator' } as const;
/** The service forwards some routes and gives up after 10 s, so we wait a little longer (work-study 5.3). */
export const FORWARDED = { attemptMs: 12_000 } as const;

type Value = string | number | null | undefined;

/** Query parameters in the order of their names, an item of a list each; those without a value are left out. */
export function queryOf(values: Readonly<Record<string, Value | readonly string[]>>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
}

/** A page of a list that the source serves by `page_index` and `page_size` (work-study 7.8 and 7.13). */
export interface SourcePage<V> {
  readonly items: readonly (V | null)[];
  /** Whether the source says that pages follow. */
  readonly hasNext: boolean;
}

/** Largest `page_size` of the source (work-study 7.8 and 7.13). */
export const MAX_PAGE_SIZE = 1000;

/** Query parameters of one page. */
export function pageQuery(pageIndex: number, pageSize: number): [string, string][] {
  return queryOf({ page_size: pageSize, page_index: pageIndex });
}

/** The page in a response `{ data, pagination }`. Without a readable page count, assumes that more follow any items. */
export function parsePage<V>(of: Shape<V>, json: unknown, sender: Sender): SourcePage<V> {
  if (!isRecord(json)) throw wrongType('an object', `${of.name} page`, sender);
  const items = parseList(of, json['data'], sender);
  const { page_count: count, page_index: index } = isRecord(json['pagination']) ? json['pagination'] : {};
  if (typeof count === 'number' && typeof index === 'number') return { items, hasNext: index + 1 < count };
  sender.drift(`${of.name} page.pagination`, 'form');
  return { items, hasNext: items.length > 0 };
}

/** An empty page, for one that was not found. */
const NO_PAGE: SourcePage<never> = { items: [], hasNext: false };

/** Consecutive items of the whole list. */
export interface Stretch {
  readonly offset: number;
  readonly size: number;
}

/**
 * Reads a stretch of the list from the pages that cover it: one page if it starts at a page boundary, as it does while
 * callers do not change their page size, else two. For size 0 the next item is read, to find out whether pages follow.
 */
export function readStretch<V>(
  { offset, size }: Stretch,
  readPage: (pageIndex: number, pageSize: number) => Awaitable<SourcePage<V>>,
): Awaitable<SourcePage<V>> {
  if (size === 0) {
    return whenThere(readPage(offset, 1), ({ items }) => ({ items: [], hasNext: items.length > 0 }));
  }
  const skipped = offset % size;
  const index = (offset - skipped) / size;
  return whenThere(readPage(index, size), (first): Awaitable<SourcePage<V>> => {
    if (skipped === 0 || !first.hasNext) return { items: first.items.slice(skipped), hasNext: first.hasNext };
    return whenThere(readPage(index + 1, size), (second) => ({
      items: [...first.items.slice(skipped), ...second.items.slice(0, skipped)],
      hasNext: second.hasNext || second.items.length > skipped,
    }));
  });
}

/** Declares a list of a path, read for one request by what it returns: equal pages share one call. */
export function pagedList<V>(of: Shape<V>, path: string) {
  const list = { ...route('GET', path), ...SEARCHED };
  const parse = ({ json, sender }: UpstreamResponse) => parsePage(of, json, sender);
  return (upstream: Upstream) => {
    const page = createSingleLoader(
      ([query, index, size]: readonly [readonly [string, string][], number, number], operation) => {
        const request = { ...list, query: [...query, ...pageQuery(index, size)], rows: size, parse };
        return whenThere(upstream.read(request, operation), (found): SourcePage<V> => found ?? NO_PAGE);
      },
      JSON.stringify,
    );
    return (query: readonly [string, string][], stretch: Stretch, operation: OperationContext) =>
      readStretch(stretch, (index, size) => page([query, index, size], operation));
  };
}

/**
 * The objects of a response that is a list. An item that is not an object is an error at its own index, for GraphQL to
 * report there. Throws `UPSTREAM_INVALID_RESPONSE` when the response is not a list.
 */
export function parseList<V>(of: Shape<V>, json: unknown, sender: Sender): (V | null)[] {
  const place = `${of.name}[]`;
  if (!Array.isArray(json)) throw wrongType('a list', place, sender);
  return list(object(of)).read(json, place, sender);
}

/** A parser like `parseList` that throws for an empty list, which would be served to everybody while it is cached. */
export function wholeListOf<V>(of: Shape<V>) {
  return ({ json, sender }: UpstreamResponse): (V | null)[] => {
    const items = parseList(of, json, sender);
    if (items.length === 0) throw wrongType('a list with items', `${of.name}[]`, sender);
    return items;
  };
}

/** The readable items of a parsed list: an error in one item does not matter when another is looked up. */
export function readableItems<V>(items: readonly (V | null)[]): V[] {
  return items.filter((item): item is NonNullable<typeof item> => item !== null && !(item instanceof Error)) as V[];
}

const MINUTE_MS = 60_000;

/** The counter of job searches, by its name in `figures().quotas`, and its limit until the service reports one. */
export const JOB_SEARCHES = { scope: 'GET /job/v1/search', limit: 60 } as const;

/** Calls per minute, key and counted route (work-study 4.1). Response headers override them. */
const CALLS_A_MINUTE = {
  [JOB_SEARCHES.scope]: JOB_SEARCHES.limit,
  'GET /job/v1/offer/{id}': 120,
  'GET /job/v1/offer/{id}/publishing-informations': 120,
  'GET /job/v1/export': 2,
  'POST /job/v1/offer': 30,
  'PUT /job/v1/offer/{id}': 30,
} as const;
/** The other write routes: applications, whose path is configured, and appointments. */
const OTHER_WRITES_A_MINUTE = 10;

/**
 * The proxy in front of the service counts all calls from an address: 40 a second, with a burst of 100. Staying a
 * little below avoids refusals (work-study 4.2, reliability 1).
 */
const PROXY = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 } as const satisfies QuotaScope;

/** The price of a field that makes one call of a route that the service does not count. */
export const ONE_CALL = { scope: PROXY.name } as const;

/** Calls of a field of a commune that needs the commune's position first. */
export const AFTER_COMMUNE = 2;

/** The price of a field that makes one call of a counted route. */
export function callOf(route: keyof typeof CALLS_A_MINUTE): FieldPrice {
  return { scope: route };
}

/** The counters that a call falls under: one for key, route and method if the service counts it; the proxy's always. */
export function workStudyScopes({ method, template }: UpstreamRequest<unknown>, fingerprint: string): QuotaScope[] {
  const name = `${method} ${template}`;
  const counted: Readonly<Record<string, number>> = CALLS_A_MINUTE;
  const limit = ownValue(counted, name) ?? (method === 'GET' ? null : OTHER_WRITES_A_MINUTE);
  if (limit === null) return [PROXY];
  return [{ kind: 'window', name: `${name} ${fingerprint}`, limit, windowMs: MINUTE_MS }, PROXY];
}
