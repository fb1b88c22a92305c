import { CodedError } from '../../../schema/errors.js';
import type { OperationContext } from '../../../schema/operation.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { AuthorizationClient } from './client.js';

/** Only the gateway may request these fields; anybody else gets `PERMISSION_DENIED`. */
export const authorizationResolvers: Resolvers = {
  Query: {
    wasteAuthorization: (_root, { redirectUri }, { authorization, operation }) =>
      forTheGateway(authorization, operation).start(redirectUri),
  },
  Mutation: {
    wasteExchange: (_root, login, { authorization, operation }) =>
      forTheGateway(authorization, operation).exchange(login, operation),
  },
};

/** Defence in depth: the executor has already rejected these fields for anyone but the gateway. */
function forTheGateway(client: AuthorizationClient | null, { internal }: OperationContext): AuthorizationClient {
  if (!internal) throw new CodedError('PERMISSION_DENIED', 'Only the gateway itself may request this.');
  if (client !== null) return client;
  throw new CodedError('SOURCE_OFF', 'Logging in to the waste platform is not configured here.', {
    service: 'waste-identity',
  });
}
