import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { CodedError, ERRORS } from '../../schema/errors.js';
import type { GatewayContext } from '../request/context.js';
import { costOf, MAX_ITEMS } from './operation-cost.js';

/** Refuses operations that request too many items or bytes, before they are planned. */
export function costLimit(maxResponseBytes: number): ApolloServerPlugin<GatewayContext> {
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
          await contextValue.resolved?.({ schema, document, operation, variables });
        },
      };
    },
  };
}

/** The error for a response that is too large, while it is made. */
export function tooLarge(why: string): CodedError {
  return new CodedError('ANSWER_TOO_LARGE', `${why} Request fewer items with \`first\`, or fewer fields.`);
}

/** The same before it is made, with the status for Apollo Server. */
function responseTooLarge(why: string): GraphQLError {
  const { code, message } = tooLarge(why);
  return new GraphQLError(message, { extensions: { code, http: { status: ERRORS[code].httpStatus } } });
}

function tooManyItems(items: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${MAX_ITEMS} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
