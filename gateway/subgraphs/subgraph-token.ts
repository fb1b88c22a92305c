import type { Secret } from '../../runtime/credentials/secret.js';

/** The header by which a subgraph of ours knows its gateway; none without a token. */
export function tokenHeader(token: Secret | null): Readonly<Record<string, string>> {
  return token === null ? {} : { 'x-passerelle-subgraph-token': token.reveal() };
}

/** Whether a response says that the token is not the subgraph's: it has no other use for this status. */
export function refusesToken(status: number, token: Secret | null): boolean {
  return status === 401 && token !== null;
}
