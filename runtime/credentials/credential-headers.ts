import type { Credential } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, type ServiceName } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../http/request-headers.js';
import { equalInConstantTime, type Secret } from './secret.js';

/** Wraps a secret so that only the code that writes a service's headers can read it. */
export type MintCredential = (secret: string) => Credential;

/**
 * The caller's own credential for one service; null when they sent none, or one that is malformed for its header.
 */
export function readCredential(service: ServiceName, headers: RequestHeaders, mint: MintCredential): Credential | null {
  const { header, kind } = SERVICE_ENTRIES[service].credential;
  const value = oneHeader(headers, header);
  if (value === undefined) return null;
  const secret = kind === 'token' ? bearerToken(value) : value.trim();
  return secret === null || secret === '' ? null : mint(secret);
}

/** The header that carries a credential to its own subgraph, and to no other. */
export function credentialHeader(service: ServiceName, credential: Credential): Readonly<Record<string, string>> {
  const { header, kind } = SERVICE_ENTRIES[service].credential;
  const secret = credential.reveal();
  return { [header]: kind === 'token' ? `Bearer ${secret}` : secret };
}

/** The token of `Authorization: Bearer T`; the case of the scheme does not matter (RFC 9110, 11.1). */
function bearerToken(value: string): string | null {
  return /^bearer +(\S+)\s*$/i.exec(value)?.[1] ?? null;
}

const HEADER = 'x-passerelle-subgraph-token';

/** The scheme by which a subgraph's 401 is told from that of a proxy in front of it (RFC 9110, 11.6.1). */
const CHALLENGE = 'PasserelleSubgraphToken';

/** Header of a 401 that is about the token. */
export const TOKEN_CHALLENGE = { 'www-authenticate': CHALLENGE } as const;

/** The header by which one of our subgraphs recognizes its gateway: empty without a token, unlike that of a balancer. */
export function tokenHeader(token: Secret | null): Readonly<Record<string, string>> {
  return { [HEADER]: token?.reveal() ?? '' };
}

/** Checks the token of a request, which may be any of these. A subgraph without tokens treats any given one as none. */
export function readToken(headers: RequestHeaders, tokens: readonly Secret[]): 'right' | 'wrong' | 'none' {
  const given = oneHeader(headers, HEADER);
  if (given === undefined || tokens.length === 0) return 'none';
  return tokens.some((token) => equalInConstantTime(given, token.reveal())) ? 'right' : 'wrong';
}

/** Whether a response says that the gateway's token is not the subgraph's, or that it has none. */
export function refusesToken(
  { statusCode, headers }: { readonly statusCode: number; readonly headers: RequestHeaders },
  token: Secret | null,
): boolean {
  return statusCode === 401 && (token !== null || headers['www-authenticate'] === CHALLENGE);
}
