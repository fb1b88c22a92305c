import type { Call, Stage } from '../call/call.js';
import type { Dialect } from '../call/dialect.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaBoard } from '../report/quota-board.js';
import type { RecentAnswers } from '../report/recent-answers.js';

/** Counts how each request was answered in the end. Writes and the like, which are never cached, are left out. */
export function reportAnswer({ answers, clock }: { answers: RecentAnswers; clock: Clock }): Stage {
  const note = ({ request, trail }: Call, isReference: boolean) => {
    if (request.cache === 'never') return;
    const kept = trail.cache === 'HIT' || trail.cache === 'STALE';
    answers.note({ kept, referenceMs: isReference ? (trail.storedAtMs ?? clock.wallMs()) : null });
  };
  return (next) => async (call) => {
    try {
      const answer = await next(call);
      note(call, call.request.cache === 'reference' && !answer.unknown);
      return answer;
    } catch (error) {
      // What was refused before it was sent is not a request to the service.
      if (call.trail.sent > 0) note(call, false);
      throw error;
    }
  };
}

/** Writes down what each answer's headers say of the key's quota. */
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
