import type { Dialect } from '../rest/dialect.js';

/**
 * How the waste platform takes tokens and tells failures (waste-identity 4 and 5). A refused token is no failure on
 * the wire: `readGraphqlAnswer` finds it in an answer of status 200.
 */
export const wasteIdentityDialect: Dialect = {
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  // What the standard asks for and the platform does not do (RFC 6750 3): the token is refused all the same.
  readFailure: ({ status }, { key }) =>
    status === 401 && key === 'caller' ? { code: 'RECONNECT_REQUIRED' } : undefined,
};
