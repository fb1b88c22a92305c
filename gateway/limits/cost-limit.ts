import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { GatewayContext } from '../request/context.js';
import { introspects } from './introspection.js';
import type { LargeOperations } from './large-operations.js';
import { costOf, MAX_ITEMS } from './operation-cost.js';
import { responseTooLarge } from './response-too-large.js';

/** What is asked beside the schema is answered by the library, in one piece. */
const MOST_BYTES_BESIDE_INTROSPECTION = 256 * 1024;

/** Refuses operations that request too many items or bytes, before they are planned, and lets large ones wait. */
export function costLimit(maxResponseBytes: number, large: LargeOperations): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          // An unknown operation name is reported later.
          if (operation === undefined) return;
          const variables = request.variables ?? {};
          const { items, bytes } = costOf(document, operation, schema)(variables);
          if (items > MAX_ITEMS) throw tooManyItems(items);
          if (bytes > maxResponseBytes) {
            const megabytes = Math.ceil(bytes / 1024 / 1024);
            throw responseTooLarge(
              `The response would have up to ${megabytes} MB; at most ${maxResponseBytes} bytes are sent.`,
            );
          }
          const introspected = introspects({ schema, document, operation, variables });
          if (introspected === 'too much') throw responseTooLarge('It reads more of the schema than any tool needs.');
          if (introspected === 'some' && bytes > MOST_BYTES_BESIDE_INTROSPECTION) {
            throw responseTooLarge('Ask for __schema and __type in an operation of their own.');
          }
          await contextValue.resolved?.({ schema, document, operation, variables });
          await large.admit(contextValue.caller, bytes);
        },
      };
    },
  };
}

function tooManyItems(items: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${MAX_ITEMS} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
