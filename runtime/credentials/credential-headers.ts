import type { Credential } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, type ServiceName } from '../../kernel/services.js';
import { oneHeader, type RequestHeaders } from '../http/request-headers.js';

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
