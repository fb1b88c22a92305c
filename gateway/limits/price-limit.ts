import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { CodedError, ERRORS } from '../../schema/errors.js';
import { MOST_ITEMS, priceOf } from './operation-price.js';

/** Refuses an operation that requests too many items or bytes before anything is planned or called. */
export function priceLimit(maxAnswerBytes: number): ApolloServerPlugin {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request }) {
          // A name that the document does not have is reported later.
          if (operation === undefined) return;
          const { items, bytes } = priceOf(document, operation, schema)(request.variables ?? {});
          if (items > MOST_ITEMS) throw tooManyItems(items);
          if (bytes <= maxAnswerBytes) return;
          const megabytes = Math.ceil(bytes / 1024 / 1024);
          throw answerTooLarge(
            `The answer would have up to ${megabytes} MB; at most ${maxAnswerBytes} bytes are sent.`,
          );
        },
      };
    },
  };
}

/** The refusal of an answer that is larger than is sent. */
export function answerTooLarge(why: string): GraphQLError {
  const { code, message } = new CodedError('ANSWER_TOO_LARGE', `${why} Ask for fewer items with \`first\`, or fields.`);
  return new GraphQLError(message, { extensions: { code, http: { status: ERRORS[code].httpStatus } } });
}

function tooManyItems(items: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${MOST_ITEMS} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
