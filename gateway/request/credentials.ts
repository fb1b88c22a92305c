import type { Credential } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import { type MintCredential, readCredential } from '../../runtime/credentials/credential-headers.js';
import type { RequestHeaders } from '../../runtime/http/request-headers.js';

/** The keys and tokens that a caller sent, by service; null if none. */
export type CallerCredentials = Readonly<Record<ServiceName, Credential | null>>;

/** Reads the caller's credentials from the request headers. */
export function readCredentials(headers: RequestHeaders, mint: MintCredential): CallerCredentials {
  return {
    'work-study': readCredential('work-study', headers, mint),
    'waste-identity': readCredential('waste-identity', headers, mint),
    volunteering: readCredential('volunteering', headers, mint),
  };
}
