import { callerOf } from '../../../runtime/event-loop/turn-queue.js';
import type { TurnOf } from '../quota/fair-queue.js';
import type { Call } from './call.js';

/** Where no gateway names the caller, their key identifies them; without a key, each request is its own caller. */
export function turnOf({ operation: { request, credential } }: Call): TurnOf {
  return { caller: callerOf(request) ?? credential?.fingerprint ?? request, request };
}
