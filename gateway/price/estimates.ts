import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import { declaredField } from '../../kernel/declared-field.js';
import { type FieldArguments, type FieldPrice, isRouteScope } from '../../kernel/price.js';
import {
  defaultsOf,
  fragmentsOf,
  objectTypesOf,
  type SelectedField,
  type SelectionScope,
  selectFields,
} from '../../kernel/selections.js';
import { SERVICES } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { pageSize } from '../limits/operation-cost.js';
import type { GatewayRequest, ResolvedOperation } from '../request/request.js';

/*
 * What operations are priced by without running them: what their fields declare, and what they needed when they were
 * last executed.
 */

/** What an estimate rests on: all fields if nothing is cached, what the operation needed before, or a dry run. */
export type EstimateBasis = 'declared' | 'known' | 'dry-run';

/** Calls that one field or look-up of an operation would make. */
export interface FieldCalls {
  /** The field's path in the response, without indexes; for a look-up, its place in the plan and its route. */
  readonly cause: string;
  readonly service: string;
  readonly scope: string;
  readonly calls: number;
}

/** Where a selection is. */
interface Place {
  readonly path: string;
  /** Number of objects that it selects from. */
  readonly times: number;
  /** Size of the page above, for the list directly below it. */
  readonly page: number | null;
}

/** The path to a field whose value is missing. */
interface Missed {
  readonly path: readonly string[];
  readonly times: number;
  readonly page: number | null;
  /** How many of its own calls have already been counted, each time. */
  readonly counted: number;
}

/** A selected field of an object type. */
interface PlacedField extends Omit<SelectedField, 'name'> {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
}

type Sets = SelectedField['sets'];

/** Prices the fields of a validated operation as declared, as if none of them were cached. */
export class FieldPrices {
  readonly #root: GraphQLObjectType | null;
  readonly #sets: Sets;
  readonly #scope: SelectionScope;
  readonly #list: PriceList;
  #calls: FieldCalls[] = [];

  constructor({ schema, document, operation, variables }: ResolvedOperation, list: PriceList) {
    this.#root = schema.getRootType(operation.operation) ?? null;
    this.#sets = [operation.selectionSet];
    // Without a prototype, since a variable may be called `toString`.
    const flags = { __proto__: null, ...defaultsOf(operation), ...variables };
    this.#scope = { schema, fragments: fragmentsOf(document), flags };
    this.#list = list;
  }

  /** All calls of the operation. */
  ofOperation(): readonly FieldCalls[] {
    this.#calls = [];
    if (this.#root !== null) this.#visit(this.#root, this.#sets, { path: '', times: 1, page: null });
    return this.#calls;
  }

  /**
   * Calls of what is selected below a field whose value is missing `times` times. Its own first call is left out,
   * unless that call is still to follow what is missing.
   */
  below(path: readonly string[], times: number, ownCallsFollow: boolean): readonly FieldCalls[] {
    this.#calls = [];
    const counted = ownCallsFollow ? 0 : 1;
    if (this.#root !== null) this.#follow(this.#root, this.#sets, { path, times, page: null, counted });
    return this.#calls;
  }

  #fieldsOf(parent: GraphQLObjectType, sets: Sets): PlacedField[] {
    const known = parent.getFields();
    const fields: PlacedField[] = [];
    for (const { key, name, node, sets: below } of selectFields(sets, parent, this.#scope)) {
      const field = known[name];
      if (field !== undefined) fields.push({ parent, field, key, node, sets: below });
    }
    return fields;
  }

  #visit(parent: GraphQLObjectType, sets: Sets, place: Place): void {
    for (const one of this.#fieldsOf(parent, sets)) {
      const path = place.path === '' ? one.key : `${place.path}.${one.key}`;
      this.#add(one, path, place.times);
      this.#descend(one, { ...place, path });
    }
  }

  /** Prices what is selected below a field, for each of its items. */
  #descend(one: PlacedField, { path, times, page }: Place): void {
    if (one.sets.length === 0) return;
    const own = this.#sizeOf(one);
    const isList = isListType(getNullableType(one.field.type));
    const items = isList ? times * (own ?? page ?? 1) : times;
    for (const type of objectTypesOf(one.field.type, this.#scope.schema))
      this.#visit(type, one.sets, { path, times: items, page: isList ? null : own });
  }

  /** Walks to the field at a path and prices what is below it. */
  #follow(parent: GraphQLObjectType, sets: Sets, { path, times, page, counted }: Missed, at = 0): void {
    const one = this.#fieldsOf(parent, sets).find(({ key }) => key === path[at]);
    if (one === undefined) return;
    if (at === path.length - 1) {
      const name = path.join('.');
      this.#add(one, name, times, counted);
      this.#descend(one, { path: name, times, page });
      return;
    }
    const isList = isListType(getNullableType(one.field.type));
    const below = { path, times, page: isList ? null : this.#sizeOf(one), counted };
    for (const type of objectTypesOf(one.field.type, this.#scope.schema)) this.#follow(type, one.sets, below, at + 1);
  }

  #add(one: PlacedField, path: string, times: number, counted = 0): void {
    const price = this.#list(one.parent.name, one.field.name);
    if (price === undefined) return;
    const { together = 1, furtherCalls = 0 } = price;
    const own = this.#callsOf(price, one, Math.min(times, together)) - counted;
    const calls = Math.ceil(times / together) * own + Math.min(times, furtherCalls);
    if (calls > 0) this.#calls.push({ cause: path, service: price.service, scope: price.scope, calls });
  }

  #callsOf({ calls = 1 }: ListedPrice, one: PlacedField, parents: number): number {
    if (typeof calls === 'number') return calls;
    const args = this.#argumentsOf(one);
    // Arguments that do not fit are refused without a call.
    return args === null ? 0 : calls(args, parents);
  }

  #argumentsOf({ field, node }: PlacedField): FieldArguments | null {
    try {
      return getArgumentValues(field, node, this.#scope.flags);
    } catch {
      return null;
    }
  }

  /** Size of the page that a field requests, or the usual length of its list; null if neither is known. */
  #sizeOf(one: PlacedField): number | null {
    const { parent, field, node } = one;
    const rows = this.#list(parent.name, field.name)?.rows;
    const usual = typeof rows === 'function' ? rows(this.#argumentsOf(one) ?? {}) : rows;
    const isPage = field.args.some(({ name }) => name === 'first');
    if (!isPage) return usual ?? null;
    const page = pageSize(field, node, this.#scope.flags, false);
    return typeof rows === 'function' && usual !== undefined ? Math.min(page, usual) : page;
  }
}

/** What a field of the graph costs, and at which service. */
interface ListedPrice extends FieldPrice {
  readonly service: string;
}

/** Prices by type and field; undefined for a field that makes no call. */
export type PriceList = (type: string, field: string) => ListedPrice | undefined;

/** How many calls it takes to read the rows of a list that follow its first page, by pages of that size. */
export function callsOfFurther(
  list: PriceList,
  { type, name }: { readonly type: string; readonly name: string },
  { size, rows }: { readonly size: number; readonly rows: number },
): number {
  return list(type, name)?.furtherPages?.(size, rows) ?? Math.ceil(rows / size);
}

/**
 * Collects what our subgraphs declare: at the start, because the first request would keep others waiting where their
 * schemas are made for this alone.
 */
export function createPriceList(schemas: ReadonlyMap<string, () => GraphQLSchema>): PriceList {
  const prices = new Map<string, ListedPrice>();
  for (const [service, schema] of schemas) {
    for (const type of Object.values(schema().getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        const { price } = declaredField(field);
        if (price !== null) prices.set(`${type.name}.${field.name}`, { ...price, service });
      }
    }
  }
  return (type, field) => prices.get(`${type}.${field}`);
}

/** What an operation needed when it was last executed, whether it was cached or called. */
export interface Needs {
  /** Look-ups by service and route. */
  readonly routes: ReadonlyMap<string, RouteNeeds>;
  /** From when until when everything that may be cached is fresh, in milliseconds since 1970. */
  readonly freshFromMs: number;
  readonly freshUntilMs: number;
}

/** Look-ups of one route of a service. */
interface RouteNeeds {
  readonly service: string;
  /** Method and path template. */
  readonly route: string;
  readonly lookups: number;
  /** What they count as in what a request and its caller may make. */
  readonly weight: number;
  /** How many of them are never cached. */
  readonly uncached: number;
}

/** Remembers what operations needed, by their text, variables and caller. */
export interface KnownNeeds {
  /** Null for an operation that was not executed lately. */
  of(operation: ResolvedOperation, gatewayRequest: GatewayRequest): Needs | null;
  /** Watches an execution. Call the returned function once the whole response has been received. */
  watch(operation: ResolvedOperation, gatewayRequest: GatewayRequest): () => void;
}

/** Bytes of heap of an entry with its key, and of a route in it: two strings of some 60 characters and two counts. */
const ENTRY_BYTES = 500;
const ROUTE_BYTES = 300;

/** Creates an empty memory. */
export function createKnownNeeds(watchCache: WatchCache): KnownNeeds {
  const known = createCache<Needs>('known-needs', watchCache, {
    sizeCalculation: ({ routes }) => ENTRY_BYTES + ROUTE_BYTES * routes.size,
  });
  const keyOf = createKeys();
  return {
    of: (operation, gatewayRequest) => known.get(keyOf(operation, gatewayRequest)) ?? null,
    watch(operation, gatewayRequest) {
      const counted = countNeeds();
      gatewayRequest.recorder.watch(counted.count);
      return () => {
        const needs = counted.needs();
        if (needs !== null && !gatewayRequest.signal.aborted) known.set(keyOf(operation, gatewayRequest), needs);
      };
    },
  };
}

/** Counts the look-ups of one execution; `needs` returns null if any of them failed. */
function countNeeds() {
  const routes = new Map<string, { -readonly [Name in keyof RouteNeeds]: RouteNeeds[Name] }>();
  let freshFromMs = 0;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  let isWhole = true;
  return {
    count({ service, method, path, cache, freshMs, error, weight = 1 }: UpstreamCall): void {
      if (error !== undefined) isWhole = false;
      if (cache === 'COALESCED') return;
      const route = `${method} ${path}`;
      const name = `${service} ${route}`;
      const found = routes.get(name) ?? { service, route, lookups: 0, weight: 0, uncached: 0 };
      routes.set(name, found);
      found.lookups += 1;
      found.weight += weight;
      if (cache === 'BYPASS') {
        found.uncached += 1;
        return;
      }
      freshFromMs = Math.max(freshFromMs, Date.now());
      freshUntilMs = Math.min(freshUntilMs, Date.now() + (freshMs ?? 0));
    },
    needs: (): Needs | null => (isWhole ? { routes, freshFromMs, freshUntilMs } : null),
  };
}

/** Keys are hashes. The text is hashed once; variables and the fingerprints of the caller's keys each time. */
function createKeys(): (operation: ResolvedOperation, gatewayRequest: GatewayRequest) => string {
  const texts = new WeakMap<DocumentNode, string>();
  return ({ text, document, operation, variables }, gatewayRequest) => {
    const textHash = texts.get(document) ?? hash(text);
    texts.set(document, textHash);
    const fingerprints = SERVICES.map(
      (service) => gatewayRequest.operationOf(service, '').credential?.fingerprint ?? '',
    );
    return hash(JSON.stringify([textHash, operation.name?.value, variables, fingerprints]));
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The look-ups of a dry run under one counter. */
export interface ScopeLookups {
  readonly service: string;
  readonly scope: string;
  /** Calls that would be made. */
  estimated: number;
  /** Look-ups of cached responses. */
  saved: number;
}

/** What a dry run has looked up. */
interface LookedUp {
  readonly scopes: readonly ScopeLookups[];
  /** Look-ups of what could have been cached, and was not. */
  readonly missed: number;
}

/**
 * Prices of fields below missing values, made to add up to what the operation needed when it was last executed, less
 * what its dry run has already looked up. While all of that is fresh, only what is never cached is called again.
 */
export function fitToNeeds(
  below: readonly FieldCalls[],
  { scopes, missed }: LookedUp,
  needs: Needs,
  nowMs: number,
): FieldCalls[] {
  const counters = new Set([...below, ...scopes].map(counterOf));
  // Before it was stored is where the clock was set back.
  const isFresh = needs.freshFromMs <= nowMs && nowMs < needs.freshUntilMs && missed === 0;
  const left = new Map<string, number>();
  const add = (counter: string, calls: number) => left.set(counter, (left.get(counter) ?? 0) + calls);
  for (const { service, route, lookups, uncached } of needs.routes.values()) {
    const own = counterOf({ service, scope: route });
    add(counters.has(own) ? own : counterOf({ service, scope: '' }), isFresh ? uncached : lookups);
  }
  for (const scope of scopes) add(counterOf(scope), isFresh ? -scope.estimated : -scope.estimated - scope.saved);
  return [...counters].flatMap((counter) => {
    const fields = below.filter((field) => counterOf(field) === counter);
    return scaled(fields, Math.max(0, left.get(counter) ?? 0));
  });
}

/** All counters of a service that are not those of a route count as one. */
function counterOf({ service, scope }: Pick<FieldCalls, 'service' | 'scope'>): string {
  return isRouteScope(scope) ? `${service} ${scope}` : `${service} `;
}

/** The calls scaled to another sum, in the same proportions, in whole calls. */
function scaled(fields: readonly FieldCalls[], sum: number): FieldCalls[] {
  let before = fields.reduce((all, { calls }) => all + calls, 0);
  let left = sum;
  return fields.map((field) => {
    const calls = before === 0 ? 0 : Math.round((left * field.calls) / before);
    before -= field.calls;
    left -= calls;
    return { ...field, calls };
  });
}
