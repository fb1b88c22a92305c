import { cacheExchange } from '@urql/exchange-graphcache';
import { persistedExchange } from '@urql/exchange-persisted';
import type { DocumentNode } from 'graphql';
import { toe } from 'graphql-toe';
import { Client, type CombinedError, fetchExchange } from 'urql';
import type { GatewayError } from '../../shared/errors.js';
import { GATEWAY } from '../../shared/session.js';

/** The hash that the manifest has the document under. */
async function hashOf(_text: string, document: DocumentNode & { readonly __meta__?: { readonly hash?: string } }) {
  return document.__meta__?.hash ?? '';
}

export const client = new Client({
  url: `${GATEWAY}/graphql`,
  // A GET with the session's cookie would need a header, and a preflight with it.
  preferGetMethod: false,
  // Sends that cookie, which belongs to the gateway's origin, not to this page's.
  fetchOptions: { credentials: 'include' },
  exchanges: [
    // Needs no `keys`: ids are unique in the graph, and what has none belongs to the object around it.
    cacheExchange(),
    // Sends the hash; its text beside it only to a gateway that does not know the hash.
    persistedExchange({ generateHash: hashOf, preferGetForPersistedQueries: false, enableForMutation: true }),
    fetchExchange,
  ],
});

/**
 * Data whose errors are thrown where they are read: what an error boundary encloses fails alone, and the types need no
 * null where the schema says `@semanticNonNull`. Undefined while loading.
 */
export function thrown<Data extends object>({ data, error }: { data?: Data; error?: CombinedError }): Data | undefined {
  if (error?.networkError !== undefined) throw error.networkError;
  // Graphcache has no data where the only field failed.
  if (data == null && error !== undefined) throw error.graphQLErrors[0] ?? error;
  return data == null ? undefined : toe({ data, errors: withPaths(error) });
}

/** The errors of a response, or the one that kept it from arriving: for a form, which shows them beside its fields. */
export function errorsOf(error: CombinedError | undefined): readonly GatewayError[] {
  const { networkError, graphQLErrors = [] } = error ?? {};
  return networkError === undefined ? graphQLErrors : [networkError];
}

function withPaths(error: CombinedError | undefined) {
  return error?.graphQLErrors.map((one) => Object.assign(one, { path: one.path }));
}
