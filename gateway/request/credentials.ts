import { type MintCredential, readCredential } from '../../runtime/credentials/credential-headers.js';
import type { RequestHeaders } from '../../runtime/http/request-headers.js';
import type { Credential } from '../../schema/operation.js';
import { SERVICES, type ServiceName } from '../../schema/services.js';

/** The keys and tokens that a caller sent, by service; null if none. */
export type CallerCredentials = Readonly<Record<ServiceName, Credential | null>>;

/** Reads the caller's credentials from the request headers. */
export function readCredentials(headers: RequestHeaders, mint: MintCredential): CallerCredentials {
  return Object.fromEntries(
    SERVICES.map((service) => [service, readCredential(service, headers, mint)]),
  ) as CallerCredentials;
}
