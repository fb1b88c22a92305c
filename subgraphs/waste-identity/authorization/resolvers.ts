import type { Resolvers } from '../__generated__/resolvers.js';
import { HOST } from '../viewer/client.js';

/** Only the gateway may request these fields; anybody else gets `PERMISSION_DENIED`. */
export const authorizationResolvers: Resolvers = {
  Query: {
    wasteAuthorization: (_root, { redirectUri }, { authorization }) => authorization().start(redirectUri),
  },
  Mutation: {
    wasteExchange: {
      price: { scope: HOST },
      resolve: (_root, login, { authorization, operation }) => authorization().exchange(login, operation),
    },
  },
};
