import {
  Environment,
  type GraphQLResponse,
  Network,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime';
import type { GatewayError } from '../../shared/errors.js';
import { GATEWAY } from '../../shared/session.js';

/** Sends the hash of an operation: the gateway has the manifest, the page no text. */
async function send({ id, operationKind }: RequestParameters, variables: Variables): Promise<GraphQLResponse> {
  const isWrite = operationKind === 'mutation';
  const response = await fetch(isWrite ? '/write' : `${GATEWAY}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // The session's cookie belongs to the gateway's origin, not to this page's.
    credentials: isWrite ? 'same-origin' : 'include',
    body: JSON.stringify({ variables, extensions: { persistedQuery: { version: 1, sha256Hash: id } } }),
  });
  const body = await response.json();
  const [error] = body.errors ?? [];
  // A page that failed leaves the pages before it: a null would replace their list.
  const isLost = body.data == null || variables['after'] != null;
  if (error !== undefined && isLost) throw Object.assign(new Error(error.message), error);
  return body;
}

/** Needs no `getDataID`: ids are unique in the graph. */
export const environment = new Environment({ network: Network.create(send), store: new Store(new RecordSource()) });

/** The errors of a field with `@catch(to: RESULT)`. */
export function errorsOf(field: { readonly ok: boolean; readonly errors?: readonly unknown[] }) {
  return (field.errors ?? []) as readonly GatewayError[];
}
