import { oneHeader, type RequestHeaders } from '../http/request-headers.js';
import { equalInConstantTime, type Secret } from './secret.js';

const HEADER = 'x-passerelle-subgraph-token';

/** The scheme by which a subgraph's 401 is told from that of a proxy in front of it (RFC 9110, 11.6.1). */
const CHALLENGE = 'PasserelleSubgraphToken';

/** Header of a 401 that is about the token. */
export const TOKEN_CHALLENGE = { 'www-authenticate': CHALLENGE } as const;

/** The header by which one of our subgraphs recognizes its gateway: empty without a token, unlike that of a balancer. */
export function tokenHeader(token: Secret | null): Readonly<Record<string, string>> {
  return { [HEADER]: token?.reveal() ?? '' };
}

/** Checks the token of a request. A subgraph without a token treats any given one as none. */
export function readToken(headers: RequestHeaders, token: Secret | null): 'right' | 'wrong' | 'none' {
  const given = oneHeader(headers, HEADER);
  if (given === undefined || token === null) return 'none';
  return equalInConstantTime(given, token.reveal()) ? 'right' : 'wrong';
}

/** Whether a response says that the gateway's token is not the subgraph's, or that it has none. */
export function refusesToken(
  { statusCode, headers }: { readonly statusCode: number; readonly headers: RequestHeaders },
  token: Secret | null,
): boolean {
  return statusCode === 401 && (token !== null || headers['www-authenticate'] === CHALLENGE);
}
