import { AuthorizationResponseError, type AuthorizationServer, type Client, validateAuthResponse } from 'oauth4webapi';
import { CodedError } from '../../../kernel/errors.js';

/** Parameters that a callback may have; the platform sends the first three (waste-identity 3.4). */
const SINGLE = ['code', 'state', 'error', 'error_description', 'iss'];

/**
 * The parameters of a callback that belongs to this login, in the form that the exchange needs; `denied` when the user
 * refused. Throws `BAD_USER_INPUT` for a callback that is forged, stale or of another login, and
 * `UPSTREAM_REFUSED_INPUT` for any other error that it reports (waste-identity 10.2).
 */
export function readCallback(
  callback: string,
  login: { readonly server: AuthorizationServer; readonly client: Client; readonly state: string },
): URLSearchParams | 'denied' {
  const parameters = new URLSearchParams(callback);
  if (!isWellFormed(parameters)) throw notOurs();
  try {
    return validateAuthResponse(login.server, login.client, parameters, login.state);
  } catch (error) {
    // The library verifies the state before it reads the error.
    if (!(error instanceof AuthorizationResponseError)) throw notOurs();
    if (error.error === 'access_denied') return 'denied';
    throw new CodedError('UPSTREAM_REFUSED_INPUT', 'The waste platform ended the login with an error.', {
      service: 'waste-identity',
    });
  }
}

/** Printable text. The code has 16 characters and our state 43, so the limit is generous. */
const SANE = /^[\x20-\x7e\u00a0-\uffff]{0,1000}$/;

/** The library accepts a repeated `code`, and has no limit on lengths. */
function isWellFormed(parameters: URLSearchParams): boolean {
  const isSingle = SINGLE.every((name) => parameters.getAll(name).length <= 1);
  const isSane = SINGLE.every((name) => SANE.test(parameters.get(name) ?? ''));
  return isSingle && isSane && parameters.has('code') !== parameters.has('error') && parameters.get('code') !== '';
}

function notOurs(): CodedError {
  return new CodedError('BAD_USER_INPUT', 'This is not the response to the login that was started here.');
}
