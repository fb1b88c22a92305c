import type { Secret } from '../../runtime/credentials/secret.js';

/** The header by which one of our subgraphs recognizes its gateway; none without a token. */
export function tokenHeader(token: Secret | null): Readonly<Record<string, string>> {
  return token === null ? {} : { 'x-passerelle-subgraph-token': token.reveal() };
}

/** Whether a response says that the token is wrong; our subgraphs use this status for nothing else. */
export function refusesToken(status: number, token: Secret | null): boolean {
  return status === 401 && token !== null;
}
