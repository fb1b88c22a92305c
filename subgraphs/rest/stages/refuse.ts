import type { Credential } from '../../../schema/operation.js';
import type { ServiceName, UpstreamMode } from '../../../schema/services.js';
import type { Call, Stage } from '../call.js';
import { credentialsRequired, deadlineExceeded, otherRoute, sourceOff } from '../errors.js';
import type { KeyOf } from '../upstream.js';
import { queryText } from './send.js';

export interface RefuseOptions {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
}

/**
 * Turns away what needs no call: a source that is off, an id that is none, a key that is missing, a caller who is gone.
 * Picks the key.
 */
export function refuse({ service, mode, operatorKey }: RefuseOptions): Stage {
  return (next) => async (call) => {
    if (mode === 'off') throw sourceOff(service);
    if (call.signal.aborted || call.deadline.remainingMs() <= 0) throw deadlineExceeded(service, call.signal.reason);
    if (call.request.path.split('/').some(isDots)) throw otherRoute();
    const { key } = call.request;
    const credential = pick(key, call.operation.credential, operatorKey);
    if (credential === null && key !== 'none') {
      throw key === 'operator' ? sourceOff(service) : credentialsRequired(service);
    }
    const partition = key === 'operator' ? 'shared' : (credential?.fingerprint ?? 'none');
    return next({ ...call, credential, partition, identity: identityOf(call, partition) });
  };
}

/** Percent-encoding leaves dots alone, and in an address they would lead to another route. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

function pick(key: KeyOf, own: Credential | null, operators: Credential | null): Credential | null {
  switch (key) {
    case 'operator':
      return operators;
    case 'caller-or-operator':
      return own ?? operators;
    case 'caller':
      return own;
    case 'none':
      return null;
  }
}

/** Parameters may come in any order; the order of one name's values counts. */
function identityOf({ request }: Call, partition: string): string {
  const query = [...(request.query ?? [])].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const digest = request.digest === undefined ? '' : ` ${request.digest.name}`;
  return `${partition} ${request.method} ${request.path}${queryText(query)}${digest}`;
}
