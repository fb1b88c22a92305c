import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { CACHES, type WatchCache } from '../../kernel/caches.js';
import { isRouteScope } from '../../kernel/price.js';
import { SERVICES } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { ResolvedOperation } from '../request/context.js';
import type { GatewayRequest } from '../request/request.js';
import type { FieldCalls } from './declared-price.js';

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
  const known = new LRUCache<string, Needs>({
    maxSize: CACHES['known-needs'].boundBytes,
    sizeCalculation: ({ routes }) => ENTRY_BYTES + ROUTE_BYTES * routes.size,
  });
  watchCache('known-needs', () => known.calculatedSize);
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
  const routes = new Map<string, { service: string; route: string; lookups: number; uncached: number }>();
  let freshFromMs = 0;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  let isWhole = true;
  return {
    count({ service, method, path, cache, freshMs, error }: UpstreamCall): void {
      if (error !== undefined) isWhole = false;
      if (cache === 'COALESCED') return;
      const route = `${method} ${path}`;
      const name = `${service} ${route}`;
      const found = routes.get(name) ?? { service, route, lookups: 0, uncached: 0 };
      routes.set(name, found);
      found.lookups += 1;
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
