import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { Call, Stage } from '../call.js';
import { credentialsRequired, deadlineExceeded, doubtfulKey, keyExpired, otherRoute, sourceOff } from '../failures.js';
import { identityIn, keyFor, partitionOf } from '../keys.js';
import type { ServiceParts } from './service-parts.js';

/**
 * Refuses calls that must not be made (the source is off, an id is made of dots, the arguments form no address, a key
 * is missing, the caller has gone), and chooses the key of all others.
 */
export function authorize({ service, mode, operatorKey }: ServiceParts): Stage {
  return (next) => async (call) => {
    if (mode === 'off') throw sourceOff(service);
    if (call.signal.aborted || call.deadline.remainingMs() <= 0) throw deadlineExceeded(service, call.signal.reason);
    // Percent-encoding leaves dots alone, and in an address they would lead to another route.
    if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(call.request.path)) throw otherRoute();
    const { key } = call.request;
    const credential = keyFor(key, call.operation.credential, operatorKey);
    if (credential === null && key !== 'none') {
      throw key === 'operator' ? sourceOff(service) : credentialsRequired(service);
    }
    const partition = partitionOf(key, credential);
    return next({ ...call, credential, partition, identity: identityIn(partition, call.request) });
  };
}

/** Sends no key that the service refuses, or doubts of every few seconds only, and learns what it says of each. */
export function refusedKey({ service, operatorKey, clock, health, groups: { keys } }: ServiceParts): Stage {
  return (next) => async (call) => {
    const { credential: key, trail } = call;
    if (key === null) return next(call);
    const isOperators = key === operatorKey;
    if (isOperators && health.hasKeyEnded()) throw keyExpired(service);
    const held = keys.held(key);
    if (held?.fault) throw new CodedError(held.fault.code, held.fault.message, { service });
    if (held !== null) throw doubtfulKey(service);
    const sentMs = clock.monotonicMs();
    try {
      const response = await next(call);
      keys.accept(key, sentMs);
      trail.tookOwnKey = !isOperators;
      return response;
    } catch (error) {
      const { isAmbiguous, head } = trail;
      const isRefused = isRefusal(error, call, isOperators);
      if (isRefused && keys.refuse(key, error, { isAmbiguous, isOperators })) throw doubtfulKey(service, error);
      if (!isRefused && isOperators && head !== null) keys.answer(key);
      throw error;
    }
  };
}

/** Errors by which a service refuses a caller's key or token. A proxy's 401 in HTML is not among them. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['CREDENTIALS_REJECTED', 'RECONNECT_REQUIRED']);

function isRefusal(error: unknown, { trail: { head } }: Call, isOperators: boolean): error is CodedError {
  if (!(error instanceof CodedError) || head === null) return false;
  return isOperators ? error.code === 'SOURCE_OFF' && head.status === 401 : REFUSALS.has(error.code);
}
