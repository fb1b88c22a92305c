import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { CACHES, type WatchCache } from '../../kernel/caches.js';
import { SERVICES } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { ResolvedOperation } from '../request/context.js';
import type { GatewayRequest } from '../request/request.js';

/** What an operation needed when it was last executed, whether it was cached or called. */
export interface Needs {
  /** Look-ups by service and route. */
  readonly routes: ReadonlyMap<string, RouteNeeds>;
  /** From when until when everything that may be cached is fresh, in milliseconds since 1970. */
  readonly freshFromMs: number;
  readonly freshUntilMs: number;
}

/** Look-ups of one route of a service. */
export interface RouteNeeds {
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
