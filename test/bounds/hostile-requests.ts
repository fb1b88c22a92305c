import type { Sent } from './support/send.js';

/** A request that was made to hurt, and the answer that it gets. */
export interface HostileRequest {
  readonly name: string;
  readonly sent: Sent;
  readonly status: number;
  /** The code of the first error; null where the question is answered. */
  readonly code: string | null;
  /** At most so many bytes are answered; enough for a refusal when left out. */
  readonly bytes?: number;
  /** At most so many errors are told; one when left out. */
  readonly errors?: number;
}

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  {
    name: 'a query that is no percent-encoding',
    sent: { method: 'GET', path: '/graphql?query=%ZZ' },
    status: 400,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'a GET that another site makes a browser send',
    sent: { method: 'GET', path: '/graphql?query={__typename}', headers: { 'sec-fetch-site': 'cross-site' } },
    status: 403,
    code: 'BAD_REQUEST',
  },
];
