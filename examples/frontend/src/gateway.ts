import type { GatewayError } from '../../shared/errors.js';
import { GATEWAY } from '../../shared/session.js';
import type { TypedDocumentString } from './__generated__/graphql.js';

/** `data` is null if the whole request failed; otherwise each error names the field that it made null. */
export interface Answer<Result> {
  readonly data: Result | null;
  readonly errors: readonly GatewayError[];
}

/** Whether the gateway has our operations on its list. A developer's gateway may have no list: it gets their texts. */
let knowsOperations = true;

/** Sends an operation, by its hash if the gateway knows it. Throws only if no response arrives. */
export async function send<Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Answer<Result>> {
  const sha256Hash = String(operation.__meta__?.['hash']).replace('sha256:', '');
  if (knowsOperations) {
    const response = await post<Result>({ variables, extensions: { persistedQuery: { version: 1, sha256Hash } } });
    knowsOperations = response.errors[0]?.extensions?.['code'] !== 'PERSISTED_QUERY_NOT_FOUND';
    if (knowsOperations) return response;
  }
  return post<Result>({ query: operation.toString(), variables });
}

async function post<Result>(body: object): Promise<Answer<Result>> {
  const response = await fetch(`${GATEWAY}/graphql`, {
    method: 'POST',
    // Sends the session's cookie, which belongs to the gateway's origin, not to this page's.
    credentials: 'include',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify(body),
  });
  const { data = null, errors = [] } = (await response.json()) as Partial<Answer<Result>>;
  return { data, errors };
}
