import { createLru, unwatched } from '../../../kernel/caches.js';
import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { Call, CallResponse, Stage } from '../call.js';
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

/** An operator's key that has been refused for this long is tried only this often: the operator has to fix it. */
const LONG_MS = 60_000;

/** How long a caller's refused key is not sent again. */
const REMEMBERED_MS = 60_000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its refusal. */
const ENTRY_BYTES = 1000;

/** Errors by which a service refuses a caller's key or token. A proxy's 401 in HTML is not among them. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['CREDENTIALS_REJECTED', 'RECONNECT_REQUIRED']);

/** The refusals since the service last accepted the key. */
interface Refused {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly message: string;
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

/**
 * An operator's key that the service has refused for a minute is sent only once a minute, because each such call is
 * wasted and logs an error. A caller's own key is not sent for a minute after it was refused.
 */
export function refusedKey(parts: ServiceParts): Stage {
  const { service, operatorKey, clock, health } = parts;
  const withOwnKey = refusedOwnKey(parts);
  let refused: Refused | null = null;
  return (next) => {
    const ownKey = withOwnKey(next);
    return async (call) => {
      if (operatorKey === null || call.credential !== operatorKey) return ownKey(call);
      if (health.hasKeyEnded()) throw keyExpired(service);
      const nowMs = clock.monotonicMs();
      if (refused !== null && nowMs - refused.sinceMs >= LONG_MS && nowMs - refused.lastMs < LONG_MS) {
        throw new CodedError('SOURCE_OFF', refused.message, { service });
      }
      try {
        const response = await next(call);
        refused = null;
        health.recordOperatorKey('accepted');
        return response;
      } catch (error) {
        if (isRefusal(error, call)) {
          const lastMs = clock.monotonicMs();
          refused = { sinceMs: refused?.sinceMs ?? lastMs, lastMs, message: error.message };
          health.recordOperatorKey('refused');
        } else if (call.trail.head !== null && !call.trail.isAmbiguous) {
          refused = null;
          health.recordOperatorKey('accepted');
        }
        throw error;
      }
    };
  };
}

/**
 * Callers' keys that were recently refused get the same error without a call: if a service counts by our address, calls
 * with an invented key use up everybody's quota. Also notes when the service accepts a key.
 */
function refusedOwnKey({ service, clock, keyDoubts, watchCache = unwatched }: ServiceParts): Stage {
  const perf = { now: () => clock.monotonicMs() };
  const refused = createLru<Pick<CodedError, 'code' | 'message'>>(MAX_KEYS, { ttl: REMEMBERED_MS, perf });
  watchCache('refused-keys', () => ENTRY_BYTES * refused.size + keyDoubts.bytes);
  return (next) =>
    async (call): Promise<CallResponse> => {
      const { credential, trail } = call;
      if (credential === null) return next(call);
      const known = refused.get(credential.fingerprint);
      if (known !== undefined) throw new CodedError(known.code, known.message, { service });
      try {
        const response = await next(call);
        refused.delete(credential.fingerprint);
        trail.tookOwnKey = true;
        return response;
      } catch (error) {
        if (error instanceof CodedError && REFUSALS.has(error.code) && trail.head !== null) {
          refused.set(credential.fingerprint, { code: error.code, message: error.message });
        }
        throw error;
      }
    };
}

function isRefusal(error: unknown, { trail }: Call): error is CodedError {
  return error instanceof CodedError && error.code === 'SOURCE_OFF' && trail.head?.status === 401;
}
