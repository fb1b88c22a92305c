import type { Call, Stage } from '../call/call.js';
import type { Dialect } from '../call/dialect.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBoard } from '../report/quota-board.js';
import type { RecentResponses } from '../report/recent-responses.js';

/** Counts how each request was finally answered, except those that are never cached, such as writes. */
export function reportServed({ responses, clock }: { responses: RecentResponses; clock: Clock }): Stage {
  const note = ({ request, trail }: Call, isReference: boolean) => {
    if (request.cache === 'never') return;
    const isHit = trail.cache === 'HIT' || trail.cache === 'STALE';
    responses.note({ isHit, referenceMs: isReference ? (trail.storedAtMs ?? clock.wallMs()) : null });
  };
  return (next) => async (call) => {
    try {
      const response = await next(call);
      note(call, call.request.cache === 'reference' && !response.unknown);
      return response;
    } catch (error) {
      // A call refused before it was sent is no request to the service.
      if (call.trail.sent > 0) note(call, false);
      throw error;
    }
  };
}

/** Records what each response's headers say about the key's quota. */
export function reportQuota({ board, dialect }: { board: QuotaBoard; dialect: Dialect }): Stage {
  return (next) => async (call) => {
    const { trail, credential, request } = call;
    const sentBefore = trail.sent;
    try {
      return await next(call);
    } finally {
      const answered = trail.sent > sentBefore && trail.head !== null;
      const fingerprint = credential?.fingerprint ?? 'none';
      for (const scope of answered ? (dialect.scopes?.(request, fingerprint) ?? []) : []) {
        if (scope.kind === 'window' && trail.quota !== null) board.note(scope, fingerprint, trail.quota);
      }
    }
  };
}
