import type { Credential } from '../../../schema/operation.js';
import type { ServiceName, UpstreamMode } from '../../../schema/services.js';
import { identityIn, keyFor, partitionOf } from '../cache/identity.js';
import type { Stage } from '../call/call.js';
import { credentialsRequired, deadlineExceeded, otherRoute, sourceOff } from '../failures/errors.js';

interface AuthorizeOptions {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
}

/**
 * Refuses calls that must not be made (the source is off, an id is made of dots, the arguments form no address, a key
 * is missing, the caller has gone), and chooses the key of all others.
 */
export function authorize({ service, mode, operatorKey }: AuthorizeOptions): Stage {
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
