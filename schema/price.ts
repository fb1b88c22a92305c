import type { GraphQLField } from 'graphql';
import { directField } from './direct-field.js';

/** Coerced arguments of a field. */
export type FieldArguments = Readonly<Record<string, unknown>>;

/** What a field costs in upstream calls while nothing of it is cached, declared beside the code that makes the calls. */
export interface FieldPrice {
  /** The counter that the calls fall under, as `sources { quotas { scope } }` names it. */
  readonly scope: string;
  /** Calls for one parent. Default 1. */
  readonly calls?: number | ((args: FieldArguments) => number);
  /**
   * Items that the field's list usually has, or the lists of its object: for lists without `first`. As a function, the
   * different ones that its arguments leave, for lists with `first` too; undefined where they leave any number.
   */
  readonly rows?: number | ((args: FieldArguments) => number | undefined);
}

/** Whether a scope counts the calls of one route, whose name it has (`GET /job/v1/search`): any other counts several. */
export function isRouteScope(scope: string): boolean {
  return /^[A-Z]+ \//.test(scope);
}

const PRICES = new WeakMap<object, FieldPrice>();

/** Declares what a resolver's field costs. A dry run shows it, and it is compared with what was called. */
export function priced<F extends object>(price: FieldPrice, resolve: F): F {
  PRICES.set(resolve, price);
  return resolve;
}

/** A resolver around another has its price. */
export function pricedLike<F extends object>(resolve: object, around: F): F {
  const price = PRICES.get(resolve);
  return price === undefined ? around : priced(price, around);
}

/** The declared price of a field of one of our subgraphs; null for one that makes no call. */
export function priceOf(field: GraphQLField<unknown, unknown>): FieldPrice | null {
  const resolve = directField(field)?.resolve ?? null;
  return resolve === null ? null : (PRICES.get(resolve) ?? null);
}

/** Calls of one counter. */
export interface PricedCalls {
  readonly service: string;
  readonly scope: string;
  /** Calls that would be made. */
  readonly estimated: number;
  /** Calls that the cache would save. */
  readonly kept: number;
  /** What the service last said is left to this caller's key; null before it said anything. */
  readonly quotaLeft: number | null;
}

/** What an operation would cost: `extensions.passerelle.price` of a dry run. */
export interface Price {
  readonly calls: readonly PricedCalls[];
  /** All calls that would be made, those that follow from values that are not cached included. */
  readonly total: number;
  /** How many of them are made in any case. */
  readonly certain: number;
  /** Of a request for all pages: how many they are; null where that is not known yet, and one is priced. */
  readonly pages?: number | null;
}
