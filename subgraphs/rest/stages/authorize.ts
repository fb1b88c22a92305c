import { createHash } from 'node:crypto';
import type { Credential } from '../../../schema/operation.js';
import type { ServiceName, UpstreamMode } from '../../../schema/services.js';
import type { Call, Stage } from '../call/call.js';
import type { KeyOf } from '../call/upstream.js';
import { credentialsRequired, deadlineExceeded, noAddress, otherRoute, sourceOff } from '../failures/errors.js';
import { queryText } from './send.js';

interface AuthorizeOptions {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
}

/**
 * Longest query string in bytes, the question mark included: servers on the way refuse addresses from about here on.
 */
const LONGEST_QUERY = 8192;

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
    const credential = pick(key, call.operation.credential, operatorKey);
    if (credential === null && key !== 'none') {
      throw key === 'operator' ? sourceOff(service) : credentialsRequired(service);
    }
    const partition = key === 'operator' ? 'shared' : (credential?.fingerprint ?? 'none');
    return next({ ...call, credential, partition, identity: identityOf(call, partition) });
  };
}

/** Percent-encoding does not touch dots, and in an address they would lead to another route. */
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

/** Longest identity that is used verbatim. Longer ones are hashed: every map of responses has them as keys. */
const LONGEST_IDENTITY = 256;

/** Parameters may come in any order; the order of one name's values counts. */
function identityOf({ request }: Call, partition: string): string {
  const query = [...(request.query ?? [])].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const digest = request.digest === undefined ? '' : ` ${request.digest.name}`;
  const identity = `${request.method} ${request.path}${sendable(query)}${digest}`;
  const isShort = identity.length <= LONGEST_IDENTITY;
  return `${partition} ${isShort ? identity : createHash('sha256').update(identity).digest('base64url')}`;
}

/**
 * The query as text. Half of a surrogate pair has no encoding, and a NUL is an error of every database behind a route.
 */
function sendable(query: readonly (readonly [name: string, value: string])[]): string {
  const text = encoded(query);
  if (text.length > LONGEST_QUERY) throw noAddress(`make an address of more than ${LONGEST_QUERY} bytes: request less`);
  if (text.includes('%00')) throw noAddress('hold a NUL character');
  return text;
}

function encoded(query: readonly (readonly [name: string, value: string])[]): string {
  try {
    return queryText(query);
  } catch (error) {
    if (error instanceof URIError) throw noAddress('hold text that is not Unicode');
    throw error;
  }
}
