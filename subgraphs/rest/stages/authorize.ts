import { createLru, unwatched } from '../../../kernel/caches.js';
import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { Call, Stage } from '../call.js';
import { credentialsRequired, deadlineExceeded, keyExpired, otherRoute, sourceOff } from '../failures.js';
import { doubtfulKey, identityIn, keyFor, partitionOf } from '../keys.js';
import type { ServiceParts } from './service-parts.js';

/**
 * Refuses calls that must not be made (the source is off, an id is made of dots, the arguments form no address, a key
 * is missing, the caller has gone), and chooses the key of all others.
 */
export function authorize({ service, mode, operatorKey }: ServiceParts): Stage {
  return (next) => async (call) => {
    if (mode === 'off') throw sourceOff(service);
    if (call.signal.aborted || call.deadline.remainingMs() <= 0) throw deadlineExceeded(service, call.signal.reason);
    if (call.request.path.split('/').some(isDots)) throw otherRoute();
    const { key } = call.request;
    const credential = keyFor(key, call.operation.credential, operatorKey);
    if (credential === null && key !== 'none') {
      throw key === 'operator' ? sourceOff(service) : credentialsRequired(service);
    }
    const partition = partitionOf(key, credential);
    return next({ ...call, credential, partition, identity: identityIn(partition, call.request) });
  };
}

/** Percent-encoding leaves dots alone, and in an address they would lead to another route. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

/**
 * A key that the service accepted lately, and refuses in words that its own outage has too, is no refused key but an
 * outage. It is sent every few seconds; other calls fail unsent.
 */
export function doubtedKey({ service, clock, keyDoubts, health }: ServiceParts): Stage {
  return (next) => async (call) => {
    const { credential, operation, trail } = call;
    if (credential === null) return next(call);
    const { fingerprint } = credential;
    if (keyDoubts.waitMs(fingerprint) > 0) throw doubtfulKey(service);
    const sentMs = clock.monotonicMs();
    try {
      const response = await next(call);
      keyDoubts.accepted(fingerprint, sentMs);
      return response;
    } catch (error) {
      if (!trail.isAmbiguous || !keyDoubts.refused(fingerprint)) throw error;
      if (credential !== operation.credential) health.recordOperatorKey('doubtful');
      throw doubtfulKey(service, error);
    }
  };
}

/** How long a refused key is not sent again. */
const HELD_MS = 60_000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its refusal. */
const ENTRY_BYTES = 1000;

/** The refusals of a key since the service last accepted it. */
interface Refused extends Pick<CodedError, 'code' | 'message'> {
  readonly sinceMs: number;
  readonly lastMs: number;
}

/**
 * A key that was refused is not sent for a minute: if a service counts by our address, calls with an invented key use up
 * everybody's quota. The operator's, which the operator has to mend, only once it was refused for a minute.
 */
export function refusedKey(parts: ServiceParts): Stage {
  const { service, operatorKey, clock, health, keyDoubts, watchCache = unwatched } = parts;
  const refusals = createLru<Refused>(MAX_KEYS);
  watchCache('refused-keys', () => ENTRY_BYTES * refusals.size + keyDoubts.bytes);
  return (next) => async (call) => {
    const { credential, trail } = call;
    if (credential === null) return next(call);
    const { fingerprint } = credential;
    const isOperators = credential === operatorKey;
    if (isOperators && health.hasKeyEnded()) throw keyExpired(service);
    const known = refusals.get(fingerprint);
    if (known !== undefined && isHeld(known, isOperators, clock.monotonicMs()))
      throw new CodedError(known.code, known.message, { service });
    const accept = () => {
      refusals.delete(fingerprint);
      if (isOperators) health.recordOperatorKey('accepted');
    };
    try {
      const response = await next(call);
      accept();
      trail.tookOwnKey = !isOperators;
      return response;
    } catch (error) {
      if (isRefusal(error, call, isOperators)) {
        const lastMs = clock.monotonicMs();
        const { sinceMs } = refusals.get(fingerprint) ?? { sinceMs: lastMs };
        refusals.set(fingerprint, { sinceMs, lastMs, code: error.code, message: error.message });
        if (isOperators) health.recordOperatorKey('refused');
      } else if (isOperators && trail.head !== null && !trail.isAmbiguous) accept();
      throw error;
    }
  };
}

function isHeld({ sinceMs, lastMs }: Refused, isOperators: boolean, nowMs: number): boolean {
  return nowMs - lastMs < HELD_MS && (!isOperators || nowMs - sinceMs >= HELD_MS);
}

/** Errors by which a service refuses a caller's key or token. A proxy's 401 in HTML is not among them. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['CREDENTIALS_REJECTED', 'RECONNECT_REQUIRED']);

function isRefusal(error: unknown, { trail: { head } }: Call, isOperators: boolean): error is CodedError {
  if (!(error instanceof CodedError) || head === null) return false;
  return isOperators ? error.code === 'SOURCE_OFF' && head.status === 401 : REFUSALS.has(error.code);
}
