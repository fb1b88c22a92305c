import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  type ErrorLike,
  HttpLink,
  InMemoryCache,
  type InMemoryCacheConfig,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { type DocumentNode, OperationTypeNode } from 'graphql';
import type { GatewayError } from '../../shared/errors.js';
import { GATEWAY } from '../../shared/session.js';

// By default Apollo throws partial data away. With `all`, and these declarations, `data` and `error` may both be there.
declare module '@apollo/client' {
  namespace ApolloClient {
    namespace DeclareDefaultOptions {
      interface WatchQuery {
        errorPolicy: 'all';
      }
      interface Query {
        errorPolicy: 'all';
      }
      interface Mutate {
        errorPolicy: 'all';
      }
    }
  }
}

/** One list per field and arguments, but for those that say which page; it adds up `edges`, not `nodes`. */
const added = relayStylePagination((args) =>
  Object.keys(args ?? {}).filter((name) => !['first', 'after'].includes(name)),
);

/** A list that failed is null, not an empty one; a page that failed leaves the pages before it. */
const pages: typeof added = {
  ...added,
  merge: (existing = null, incoming, options) =>
    incoming === null || typeof added.merge !== 'function' ? existing : added.merge(existing, incoming, options),
};

/** Names the fields whose pages add up. Objects need nothing: those with an `id` have one that is unique in the graph. */
export const CACHE: InMemoryCacheConfig = { typePolicies: { Commune: { fields: { missions: pages } } } };

/**
 * The cache keeps nulls without their errors. So whoever begins to watch a query gets what is cached at once, and asks
 * again, which the gateway answers from its memory.
 */
export const OPTIONS = {
  watchQuery: { errorPolicy: 'all', fetchPolicy: 'cache-and-network', nextFetchPolicy: 'cache-first' },
  query: { errorPolicy: 'all' },
  mutate: { errorPolicy: 'all' },
} as const satisfies ApolloClient.DefaultOptions;

/** The hash that the manifest has the document under. */
function hashOf(document: DocumentNode & { readonly __meta__?: { readonly hash?: string } }): string {
  return document.__meta__?.hash ?? '';
}

export const client = new ApolloClient({
  cache: new InMemoryCache(CACHE),
  link: ApolloLink.from([
    // Sends the hash; its text beside it only to a gateway that does not know the hash.
    new PersistedQueryLink({ generateHash: hashOf }),
    ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.MUTATION,
      new HttpLink({ uri: '/write' }),
      // Sends the session's cookie, which belongs to the gateway's origin, not to this page's.
      new HttpLink({ uri: `${GATEWAY}/graphql`, credentials: 'include' }),
    ),
  ]),
  defaultOptions: OPTIONS,
});

/** The errors of a response, or the one that kept it from arriving. */
export function errorsOf(error: ErrorLike | undefined): readonly GatewayError[] {
  if (error === undefined) return [];
  return CombinedGraphQLErrors.is(error) ? error.errors : [{ message: error.message }];
}
