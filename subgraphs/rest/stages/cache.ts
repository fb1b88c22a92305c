import { isGoodUntil } from '../cache/response-cache.js';
import type { Stage } from '../call.js';
import { isWrite } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Serves fresh cache entries from memory first, without waiting unless replicas share a store, then from the store. */
export function cache({ cache, clock }: ServiceParts): Stage {
  return (next) => async (incoming) => {
    if (incoming.request.cache === 'never') return next(incoming);
    const placed = cache.place(incoming);
    const call = placed instanceof Promise ? await placed : placed;
    let entry = cache.get(call.identity);
    if (entry === undefined) {
      const loading = cache.load(call);
      if (loading !== null) entry = await loading;
    }
    const nowMs = clock.wallMs();
    if (entry !== undefined && isGoodUntil(entry.freshUntilMs, entry.storedAtMs, nowMs)) {
      call.trail.cache = 'HIT';
      call.trail.freshMs = entry.freshUntilMs - nowMs;
      call.trail.storedAtMs = entry.storedAtMs;
      return entry.response;
    }
    return next(entry === undefined ? call : { ...call, entry });
  };
}

/** Stores successful responses as their class says. A write invalidates all entries of its key. */
export function store({ cache }: ServiceParts): Stage {
  return (next) => async (call) => {
    try {
      const response = await next(call);
      cache.put(call, response);
      return response;
    } finally {
      // Even after a failure: the service may have done what it could not confirm.
      if (isWrite(call.request) && call.trail.sent > 0) await cache.invalidate(call.partition);
    }
  };
}
