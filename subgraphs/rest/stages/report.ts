import type { Call, Stage } from '../call/call.js';
import type { Dialect } from '../call/dialect.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBoard } from '../report/quota-board.js';
import type { RecentResponses } from '../report/recent-responses.js';

/** Counts how each request was answered in the end. Writes and the like, which are never cached, are left out. */
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
      // What was refused before it was sent is not a request to the service.
      if (call.trail.sent > 0) note(call, false);
      throw error;
    }
  };
}

/** Writes down what each response's headers say of the key's quota. */
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
