import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { MOST_ITEMS, priceOf } from './operation-price.js';

/** Refuses an operation that asks for too many items before anything is planned or called. */
export const itemLimit: ApolloServerPlugin = {
  async requestDidStart() {
    return {
      async didResolveOperation({ schema, document, operation, request }) {
        // A name that the document does not have is told later.
        if (operation === undefined) return;
        const { items } = priceOf(document, operation, schema)(request.variables ?? {});
        if (items <= MOST_ITEMS) return;
        const message = `This operation asks for up to ${items} items in pages within pages; at most ${MOST_ITEMS} are allowed. Ask for fewer with \`first\`.`;
        throw new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
      },
    };
  },
};
