import { isRecord } from '../../kernel/text.js';
import { isPage } from '../rest/failures.js';
import type { Dialect, FailedResponse, FailureReading, Probe } from '../rest/upstream.js';
import { HOST } from './viewer/client.js';

/** Involves no account and no login: an account that the platform cannot read must not look like an outage. */
const HOST_PROBE: Probe = {
  method: 'POST',
  write: false,
  template: '/',
  path: '/',
  body: { query: '{ __typename }' },
};

/** Whom the platform blocks may try again after a window of its other limits. */
const BLOCKED_SECONDS = 60;

/**
 * How the waste platform takes credentials and reports failures (waste-identity 4 and 5). The operator's key is that of
 * the client application, `id:secret`; a caller's is their access token. A refused token is no failure on the wire:
 * `readGraphqlResponse` finds it in a response with status 200.
 */
export const wasteIdentityDialect: Dialect = {
  headers: (secret, { key }) => ({
    // Unlike in the standard, not percent-encoded first, because the platform does not decode (waste-identity 4.1).
    authorization: key === 'operator' ? `Basic ${Buffer.from(secret).toString('base64')}` : `Bearer ${secret}`,
  }),
  // One counter for all calls from our address to the host; a share is reserved for logins (waste-identity 8).
  scopes: () => [{ kind: 'window', name: HOST, limit: 1000, windowMs: 60_000, headroomForWrites: 0.05 }],
  probes: { '/': HOST_PROBE, '/oauth2/token': HOST_PROBE },
  // The standard refuses a token with 401 (RFC 6750 3). The platform does not (waste-identity 5.2), so that a single one
  // may be of something before it, and must log nobody out.
  isAmbiguousRefusal: (failure, { key }) => key === 'caller' && isRefusal(failure),
  doubtsUnseenKeys: true,
  readFailure: (failure, { key }) => {
    // A user whom the platform blocks, for how long it does not say (waste-identity 5.3).
    if (failure.status === 200 && failure.text.trim() === 'Too Many Requests')
      return { code: 'RATE_LIMITED', retryAfterSeconds: BLOCKED_SECONDS };
    if (key === 'caller') return isRefusal(failure) ? { code: 'RECONNECT_REQUIRED' } : undefined;
    return isRecord(failure.json) ? readTokenFailure(failure.json['error']) : undefined;
  },
};

function isRefusal(failure: FailedResponse): boolean {
  return failure.status === 401 && !isPage(failure);
}

/** Goes by the error's code, because the statuses are 403 and 501 where the standard has 400 (waste-identity 4.3). */
function readTokenFailure(error: unknown): FailureReading | undefined {
  switch (error) {
    case 'invalid_grant':
      return { code: 'RECONNECT_REQUIRED', message: 'The login took too long or was used before: start it again.' };
    case 'invalid_client':
    case 'unauthorized_client':
      return { code: 'SOURCE_OFF' };
    case 'invalid_request':
    case 'unsupported_grant_type':
      return { code: 'UPSTREAM_REFUSED_INPUT', message: 'The waste platform refused the form of the login.' };
    default:
      return undefined;
  }
}
