import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { isOurCode } from '../../runtime/errors/safe-errors.js';
import { measureJson } from '../../runtime/event-loop/json-pieces.js';
import type { WatchCache } from '../../schema/caches.js';
import { ERRORS } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { costLimit, responseTooLarge } from '../limits/cost-limit.js';
import { LIMITS, operationLimits, valueLimits } from '../limits/operation-limits.js';
import { plannerRefusals } from '../limits/planner-refusals.js';
import type { GatewayContext } from '../request/context.js';
import type { GatewayRequest } from '../request/request.js';
import { formatError, statusOf } from './format-error.js';
import { createDocumentStore, createPersistedStore } from './operation-stores.js';
import { parseInTurns } from './parse-in-turns.js';
import type { createSupergraph } from './supergraph.js';

/** The response to one operation. The status is 200, or that of the error if there is no data at all. */
export interface GraphqlResponse {
  readonly status: number;
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** Lower bound of the size of `data` as JSON. */
  readonly bytes: number;
}

/** A GraphQL server without HTTP. */
export interface GraphqlServer {
  /** Runs one operation; GET may only query. Never rejects. */
  run(method: 'GET' | 'POST', parameters: GraphqlParameters, context: GatewayContext): Promise<GraphqlResponse>;
  /** The API schema: what clients may select. */
  schema(): GraphQLSchema;
  close(): Promise<void>;
}

/** What a GraphQL server is made from. */
export interface GraphqlServerOptions {
  readonly supergraph: ReturnType<typeof createSupergraph>;
  readonly introspection: boolean;
  /** Bytes of JSON that one response may have. */
  readonly maxResponseBytes: number;
  readonly log: Log;
  readonly watchCache: WatchCache;
}

/** Starts Apollo Server over a supergraph for parsing, validation and persisted queries; HTTP is handled elsewhere. */
export async function createGraphqlServer(options: GraphqlServerOptions): Promise<GraphqlServer> {
  const { supergraph, introspection, maxResponseBytes, log, watchCache } = options;
  let apiSchema = new GraphQLSchema({});
  supergraph.onSchemaLoadOrUpdate((loaded) => {
    apiSchema = loaded.apiSchema;
  });
  const server = new ApolloServer<GatewayContext>({
    gateway: supergraph,
    introspection,
    // Without introspection, "Did you mean …" would still reveal the schema's names.
    hideSchemaDetailsFromClientErrors: !introspection,
    validationRules: [operationLimits, valueLimits, plannerRefusals],
    parseOptions: { maxTokens: LIMITS.tokens },
    documentStore: createDocumentStore(watchCache),
    persistedQueries: { cache: createPersistedStore(watchCache) },
    includeStacktraceInErrorResponses: false,
    // The process handles its own signals.
    stopOnTerminationSignals: false,
    logger: {
      debug: (message) => log.debug({ from: '@apollo/server' }, String(message)),
      info: (message) => log.debug({ from: '@apollo/server' }, String(message)),
      warn: (message) => log.warn({ from: '@apollo/server' }, String(message)),
      error: (message) => log.error({ from: '@apollo/server' }, String(message)),
    },
    plugins: [
      parseInTurns(),
      costLimit(maxResponseBytes),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    schema: () => apiSchema,
    async run(method, parameters, context) {
      const response = await run(server, log, { method, parameters, context });
      return limitSize(response, maxResponseBytes, context.caller);
    },
    close: () => server.stop(),
  };
}

/** One operation as received over HTTP. */
interface ReceivedOperation {
  readonly method: 'GET' | 'POST';
  readonly parameters: GraphqlParameters;
  readonly context: GatewayContext;
}

async function run(
  server: ApolloServer<GatewayContext>,
  log: Log,
  { method, parameters, context }: ReceivedOperation,
): Promise<Omit<GraphqlResponse, 'bytes'>> {
  const requestId = context.caller.id;
  try {
    const { query, operationName, variables, extensions } = parameters;
    const { body, http } = await server.executeOperation(
      {
        ...(query !== undefined && { query }),
        ...(operationName !== undefined && { operationName }),
        ...(variables !== undefined && { variables }),
        ...(extensions !== undefined && { extensions }),
        // Apollo reads only the method. Headers hold credentials and are not passed on.
        http: { method, headers: NO_HEADERS, search: '', body: undefined },
      },
      { contextValue: context },
    );
    if (body.kind !== 'single') throw new Error('An incremental response was not requested.');
    const { data, errors } = body.singleResult;
    const formatted = errors?.map((error) => formatError(error, requestId));
    return { status: statusOfResponse(data, formatted, http.status), data, errors: formatted };
  } catch (error) {
    log.error({ requestId, err: error }, 'operation failed');
    return { status: 500, errors: [formatError({ message: '' }, requestId)] };
  }
}

/** The response with its size, or an error if it is too large. */
async function limitSize(
  response: Omit<GraphqlResponse, 'bytes'>,
  maxBytes: number,
  caller: GatewayRequest,
): Promise<GraphqlResponse> {
  // A response over HTTP that was too large has already been cut off.
  const isCut = response.errors?.some(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE') === true;
  const bytes = isCut ? Number.POSITIVE_INFINITY : await measureJson(caller, response.data, maxBytes);
  if (bytes <= maxBytes) return { ...response, bytes };
  const error = responseTooLarge(`The response would have more than ${maxBytes} bytes.`);
  return { status: ERRORS.ANSWER_TOO_LARGE.httpStatus, errors: [formatError(error.toJSON(), caller.id)], bytes: 0 };
}

/**
 * A response without data has the status of its first error. Our own codes take precedence, since the library answers
 * 400 to everything without data.
 */
function statusOfResponse(data: unknown, errors: GraphqlResponse['errors'], libraryStatus: number | undefined): number {
  const hasNoData = (data === undefined || data === null) && errors !== undefined;
  if (!hasNoData) return libraryStatus ?? 200;
  const code = errors[0]?.extensions?.['code'];
  return isOurCode(code) ? statusOf(code) : (libraryStatus ?? 400);
}

const NO_HEADERS = new HeaderMap();
