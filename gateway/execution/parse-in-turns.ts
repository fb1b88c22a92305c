import type { ApolloServerPlugin } from '@apollo/server';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import type { GatewayContext } from '../request/context.js';

/** Gives the parsing of each new document a turn of the event loop: the library does it in one go. */
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
