import type { StoredData } from './trace.js';

/** Coerced arguments of a field. */
export type FieldArguments = Readonly<Record<string, unknown>>;

/** What a field costs in upstream calls when none of it is cached, declared beside the resolver that makes the calls. */
export interface FieldPrice {
  /** The counter that the calls fall under, by its name in `sources { quotas { scope } }`. */
  readonly scope: string;
  /** Calls for one parent, or for so many that share them. Default 1. */
  readonly calls?: number | ((args: FieldArguments, parents: number) => number);
  /** How many parents share these calls, where a loader batches them. Default 1. */
  readonly together?: number;
  /** Further calls, one for each parent, but at most so many for all of them. */
  readonly furtherCalls?: number;
  /**
   * A number: how many items the field's list, or the lists in its object, usually have; for lists without `first`. A
   * function: at most how many distinct items the arguments allow, even with `first`; undefined if they set no limit.
   */
  readonly rows?: number | ((args: FieldArguments) => number | undefined);
  /** Calls for the rows that follow the first page of a list, by pages of its size. Default: one for each page. */
  readonly furtherPages?: (size: number, rows: number) => number;
}

/** Whether a scope counts the calls of one route and bears its name (`GET /job/v1/search`); others count several. */
export function isRouteScope(scope: string): boolean {
  return /^[A-Z]+ \//.test(scope);
}

/** Calls of one counter. */
export interface PricedCalls {
  readonly service: string;
  readonly scope: string;
  /** Calls that would be made. */
  readonly estimated: number;
  /** Calls that the cache would save. */
  readonly saved: number;
  /** What the service last reported as left for this caller's key; null before its first report. */
  readonly quotaLeft: number | null;
}

/** What an operation would cost: `extensions.passerelle.price` of a dry run. */
export interface Price {
  readonly calls: readonly PricedCalls[];
  /** All calls that would be made: at most, as far as they follow from values that are not cached. */
  readonly total: number;
  /** For a request for all pages: the number of pages; null if it is not yet known, when one page is priced. */
  readonly pages?: number | null;
  /** What would be read without a call; absent if nothing would. */
  readonly stored?: readonly StoredData[];
}
