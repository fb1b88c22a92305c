import { instantOf } from '../../../kernel/dates.js';
import type { Trace } from '../../../kernel/trace.js';
import { isList, isObject, type Json, type JsonObject } from '../../../rows/path.js';
import type { Condition } from '../../../rows/row-choice.js';
import type { Question } from '../../questions/question.js';

/** A GraphQL request of the page. */
export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | null | undefined;
}

/** The headers of a tab: sent with its request and what follows from it, never part of a link. */
export type TabHeaders = Readonly<Record<string, string>>;

/** A place in a query, counted from 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** An error in a response, as far as the page reads it. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly Location[];
  readonly extensions?: { readonly code?: string; readonly service?: string; readonly retryAfterSeconds?: number };
}

/** A GraphQL response without its extensions. */
export interface GraphqlResponse {
  readonly data?: JsonObject | null;
  readonly errors?: readonly ResponseError[];
}

/** How following the pages of a list ended. */
export interface FollowedPages {
  readonly end: 'all' | 'cap' | 'cancelled' | 'failed';
  /** The path of that list. */
  readonly list: string;
  readonly rows: number;
  readonly message: string | null;
}

/** A request with its response, and how the response arrived. */
export interface QueryResult {
  readonly request: GraphqlRequest;
  readonly response: GraphqlResponse;
  readonly trace: Trace | null;
  readonly status: number;
  /** Milliseconds until the last byte, measured in the browser. */
  readonly ms: number;
  readonly bytes: number;
  readonly receivedAt: Date;
  readonly headers?: TabHeaders;
  /** Present if the response includes the rows of further pages. */
  readonly pages?: FollowedPages;
  /** The services of all its requests; present if there were several, since the trace is that of the last. */
  readonly services?: readonly string[];
  /** The question that it answers, if it is one, with conditions on its rows that the graph does not know. */
  readonly asked?: { readonly question: Question; readonly where: readonly Condition[] };
}

/** The services that a response comes from, called now or earlier; null if it was not traced. */
export function servicesOf({ services, trace }: QueryResult): readonly string[] | null {
  if (services !== undefined || trace === null) return services ?? null;
  return [...new Set([...trace.calls, ...(trace.stored ?? [])].map(({ service }) => service))];
}

/** When the oldest part of a response was sent by its service, as far as its trace tells. */
export function dateOf({ receivedAt, trace }: Pick<QueryResult, 'receivedAt' | 'trace'>): Date {
  const ages = trace?.calls.map(({ stale }) => stale?.ageSeconds ?? 0) ?? [];
  const stored = trace?.stored?.map(({ asOf }) => instantOf(asOf)) ?? [];
  return new Date(Math.min(receivedAt.getTime() - 1000 * Math.max(0, ...ages), ...stored));
}

/** What errors left of a response: all of it if there are none, some values, or none. */
export function outcomeOf({ response: { data, errors = [] } }: QueryResult): 'whole' | 'incomplete' | 'failed' {
  if (errors.length === 0) return 'whole';
  return hasValue(data ?? null) ? 'incomplete' : 'failed';
}

function hasValue(json: Json): boolean {
  if (isList(json)) return json.some(hasValue);
  return isObject(json) ? Object.values(json).some(hasValue) : json !== null;
}

/**
 * Combines two results: the sums of times, bytes and calls, and the services of both, with the data and plan of the
 * second.
 */
export function combine(before: QueryResult, next: QueryResult): QueryResult {
  const ms = before.ms + next.ms;
  const bytes = before.bytes + next.bytes;
  if (before.trace === null || next.trace === null) return { ...next, ms, bytes };
  const [one, other] = [before.trace.totals, next.trace.totals];
  const totals = {
    callsMade: one.callsMade + other.callsMade,
    savedByCache: one.savedByCache + other.savedByCache,
    savedBySharing: one.savedBySharing + other.savedBySharing,
  };
  const services = [...new Set([before, next].flatMap((result) => servicesOf(result) ?? []))];
  return { ...next, ms, bytes, trace: { ...next.trace, totals }, services };
}

/** Limit on the total size of results in memory, in bytes of JSON, besides the text in GraphiQL's own editor. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The results of tabs, the oldest first. */
export type Results = ReadonlyMap<string, QueryResult>;

/** The results with a new one. The oldest are dropped first; the newest, whatever its size, and that of `kept` stay. */
export function withResult(results: Results, tab: string, result: QueryResult, kept?: string): Results {
  const others = [...results].filter(([other]) => other !== tab);
  const all = new Map([...others, [tab, result]]);
  let bytes = [...all.values()].reduce((sum, one) => sum + one.bytes, 0);
  for (const [oldest, one] of others) {
    if (bytes <= MAX_BYTES) break;
    if (oldest === kept) continue;
    all.delete(oldest);
    bytes -= one.bytes;
  }
  return all;
}
