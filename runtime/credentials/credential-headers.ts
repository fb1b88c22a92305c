import type { Credential } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../http/request-headers.js';

/** Wraps a secret so that only the code that writes a service's headers can read it. */
export type MintCredential = (secret: string) => Credential;

/** The header in which a caller sends each service's credential, and in which it is forwarded to that subgraph only. */
const HEADERS = {
  'work-study': 'x-work-study-key',
  'waste-identity': 'authorization',
  volunteering: 'x-volunteering-key',
} as const satisfies Record<ServiceName, string>;

/**
 * The caller's own credential for one service; null when they sent none, or one that is malformed for its header.
 */
export function readCredential(service: ServiceName, headers: RequestHeaders, mint: MintCredential): Credential | null {
  const value = oneHeader(headers, HEADERS[service]);
  if (value === undefined) return null;
  const secret = service === 'waste-identity' ? bearerToken(value) : value.trim();
  return secret === null || secret === '' ? null : mint(secret);
}

/** The header that carries a credential to its own subgraph. */
export function credentialHeader(service: ServiceName, credential: Credential): Readonly<Record<string, string>> {
  const secret = credential.reveal();
  return { [HEADERS[service]]: service === 'waste-identity' ? `Bearer ${secret}` : secret };
}

/** The token of `Authorization: Bearer T`; the case of the scheme does not matter (RFC 9110, 11.1). */
function bearerToken(value: string): string | null {
  return /^bearer +(\S+)\s*$/i.exec(value)?.[1] ?? null;
}
