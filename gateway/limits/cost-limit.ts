import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError, getOperationAST, parse } from 'graphql';
import type { Log } from '../../kernel/log.js';
import { inUnits } from '../../kernel/text.js';
import { isOurCode } from '../../runtime/errors/safe-errors.js';
import type { GatewayContext, ResolvedOperation } from '../request/context.js';
import { responseTooLarge } from '../request/request.js';
import { introspects } from './introspection.js';
import type { LargeOperations } from './large-operations.js';
import { costOf, type OperationCost } from './operation-cost.js';
import { validateVariables } from './validate-variables.js';

/** What one operation may request: items of nested pages, and estimated bytes of its response. */
export type OperationLimits = OperationCost;

/** Fields selected next to introspection are executed by the library, which writes them in one go. */
const MAX_BYTES_BESIDE_INTROSPECTION = 256 * 1024;

/**
 * Refuses operations whose variables are invalid, or that request too many items or bytes, before they are priced and
 * planned, and makes large ones wait.
 */
export function costLimit(most: OperationLimits, large: LargeOperations, log: Log): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart() {
      let invalid: readonly GraphQLError[] = [];
      return {
        async didResolveOperation({ schema, source, document, operation, request, contextValue }) {
          // An unknown operation name is reported later.
          if (operation === undefined) return;
          const resolved = { schema, text: source, document, operation, variables: request.variables ?? {} };
          try {
            // The cost is calculated from variables as they were sent, and relies on their being valid.
            if (validateVariables(resolved).length > 0) {
              invalid = validateVariables(withLocations(resolved));
              return;
            }
            const bytes = limitCost(resolved, most);
            await contextValue.resolved?.(resolved);
            await large.admit(contextValue.gatewayRequest, bytes);
          } catch (error) {
            // The library responds with whatever is thrown here, and logs nothing.
            const isRefusal = error instanceof GraphQLError && isOurCode(error.extensions['code']);
            if (!isRefusal)
              log.error({ requestId: contextValue.gatewayRequest.id, err: error }, 'limits or pricing failed');
            throw error;
          }
        },
        async responseForOperation() {
          if (invalid.length === 0) return null;
          const errors = invalid.map(variableError);
          const http = { status: 400, headers: new HeaderMap() };
          return { http, body: { kind: 'single', singleResult: { errors } } };
        },
      };
    },
  };
}

/** Refuses an operation that costs too much. Returns the estimated bytes of its response. */
function limitCost(resolved: ResolvedOperation, most: OperationLimits): number {
  const { schema, document, operation, variables } = resolved;
  const { items, bytes } = costOf(document, operation, schema)(variables);
  if (items > most.items) throw tooManyItems(items, most.items);
  if (bytes > most.bytes) {
    const [estimate, limit] = [inUnits(bytes, Math.ceil), inUnits(most.bytes)];
    throw responseTooLarge(`The response would have up to ${estimate}; at most ${limit} are sent.`);
  }
  const introspected = introspects(resolved);
  if (introspected === 'too much')
    throw responseTooLarge('The operation reads more of the schema than any tool needs.');
  if (introspected === 'some' && bytes > MAX_BYTES_BESIDE_INTROSPECTION) {
    throw responseTooLarge('Select __schema and __type in a separate operation.');
  }
  return bytes;
}

/** The operation with the locations of its text, which are not kept with the document. */
function withLocations(resolved: ResolvedOperation): ResolvedOperation {
  const document = parse(resolved.text);
  const operation = getOperationAST(document, resolved.operation.name?.value);
  return operation ? { ...resolved, document, operation } : resolved;
}

function variableError({ message, nodes }: GraphQLError): GraphQLFormattedError {
  return new GraphQLError(message, { nodes: nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } }).toJSON();
}

function tooManyItems(items: number, most: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${most} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
