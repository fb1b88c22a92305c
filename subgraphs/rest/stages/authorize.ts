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
 * Turns away what needs no call: a source that is off, an id that is none, arguments that make no address, a key that
 * is missing, a caller who is gone. Picks the key.
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

/** Percent-encoding does not touch dots, and in an address they would lead to another route. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}
