import { callerOf } from '../../../runtime/event-loop/turn-queue.js';
import type { TurnOf } from '../quota/fair-queue.js';
import type { Call } from './call.js';

/** Without a gateway that says who its caller is, that is told by their key, and else each request is one of its own. */
export function turnOf({ operation: { request, credential } }: Call): TurnOf {
  return { caller: callerOf(request) ?? credential?.fingerprint ?? request, request };
}
