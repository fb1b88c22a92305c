import type { ApolloServerPlugin } from '@apollo/server';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import type { GatewayContext } from '../request/context.js';

/** Parses each new document in a turn of the event loop of its own, since the library parses in one go. */
export function parseInTurns(): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart({ contextValue }) {
      return {
        async parsingDidStart() {
          await ownTurn(contextValue.gatewayRequest);
        },
      };
    },
  };
}
