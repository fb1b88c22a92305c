import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import { isRecord } from '../../../kernel/json.js';
import type { Origin } from '../../rest/responses/shape.js';
import { dataShape, type ResponseData } from './shapes.js';

/**
 * The data of a GraphQL response. The platform sends everything with status 200, even for a revoked or unknown token,
 * so only the code of an error decides, never the status or the message (waste-identity 5.2).
 */
export function readGraphqlResponse(json: unknown, origin: Origin): ResponseData {
  if (!isRecord(json)) throw refusal('UPSTREAM_INVALID_RESPONSE', origin);
  const { data, errors } = json;
  // All documents select fields that are never null, so with an error there are no data worth showing.
  if (Array.isArray(errors) && errors.length > 0) throw refusal(codeOf(errors), origin);
  return dataShape.view(data, origin);
}

/** Meaning of the platform's codes (waste-identity 5.2, 5.3). */
const MEANING: Readonly<Record<string, ErrorCode>> = {
  UNAUTHENTICATED: 'RECONNECT_REQUIRED',
  FORBIDDEN: 'PERMISSION_DENIED',
  INTERNAL_SERVER_ERROR: 'UPSTREAM_UNAVAILABLE',
  BAD_USER_INPUT: 'UPSTREAM_REFUSED_INPUT',
};

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  RECONNECT_REQUIRED: 'The waste platform no longer accepts the token: log in again.',
  PERMISSION_DENIED: 'The waste platform knows the token, but it lacks this permission.',
  UPSTREAM_UNAVAILABLE: 'The waste platform responded with an error of its own.',
};

function codeOf(errors: readonly unknown[]): ErrorCode {
  const codes = errors.map((error) =>
    isRecord(error) && isRecord(error['extensions']) ? String(error['extensions']['code']) : '',
  );
  // A document may fail for several reasons at once; a refused token explains all others.
  const [code = ''] = codes.includes('UNAUTHENTICATED') ? ['UNAUTHENTICATED'] : codes;
  return Object.hasOwn(MEANING, code) ? (MEANING[code] ?? 'UPSTREAM_INVALID_RESPONSE') : 'UPSTREAM_INVALID_RESPONSE';
}

function refusal(code: ErrorCode, { service }: Origin): CodedError {
  return new CodedError(code, MESSAGES[code] ?? 'The waste platform sent a response in an undocumented form.', {
    service,
  });
}
