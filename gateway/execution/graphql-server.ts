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
import { weighJson } from '../../runtime/event-loop/json-pieces.js';
import { ERRORS } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { LIMITS, operationLimits, valueLimits } from '../limits/operation-limits.js';
import { plannerRefusals } from '../limits/planner-refusals.js';
import { answerTooLarge, priceLimit } from '../limits/price-limit.js';
import type { GatewayContext } from '../request/context.js';
import { finishError, statusOf } from './answer.js';
import { createDocumentStore, createPersistedStore } from './operation-stores.js';
import type { createSupergraph } from './supergraph.js';

/** The answer to one operation. The status is 200, or that of a request that failed whole. */
export interface GraphqlAnswer {
  readonly status: number;
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** What the JSON of `data` weighs at least. */
  readonly bytes: number;
}

export interface GraphqlServer {
  /** Runs one operation; GET may only query. Never rejects. */
  run(method: 'GET' | 'POST', parameters: GraphqlParameters, context: GatewayContext): Promise<GraphqlAnswer>;
  /** What clients may select. */
  schema(): GraphQLSchema;
  close(): Promise<void>;
}

export interface GraphqlServerOptions {
  readonly supergraph: ReturnType<typeof createSupergraph>;
  readonly introspection: boolean;
  /** Bytes of JSON that one answer may have. */
  readonly maxAnswerBytes: number;
  readonly log: Log;
}

/** Apollo Server over a supergraph: parsing, validation, persisted queries. HTTP is not its business here. */
export async function createGraphqlServer(options: GraphqlServerOptions): Promise<GraphqlServer> {
  const { supergraph, introspection, maxAnswerBytes, log } = options;
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
    documentStore: createDocumentStore(),
    persistedQueries: { cache: createPersistedStore() },
    includeStacktraceInErrorResponses: false,
    // The lifecycle of the process is not the library's.
    stopOnTerminationSignals: false,
    logger: {
      debug: (message) => log.debug({ from: '@apollo/server' }, String(message)),
      info: (message) => log.debug({ from: '@apollo/server' }, String(message)),
      warn: (message) => log.warn({ from: '@apollo/server' }, String(message)),
      error: (message) => log.error({ from: '@apollo/server' }, String(message)),
    },
    plugins: [
      priceLimit(maxAnswerBytes),
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
      const answer = await run(server, log, { method, parameters, context });
      return fitOrRefuse(answer, maxAnswerBytes, context.caller.id);
    },
    close: () => server.stop(),
  };
}

/** One operation as it came over HTTP. */
interface Asked {
  readonly method: 'GET' | 'POST';
  readonly parameters: GraphqlParameters;
  readonly context: GatewayContext;
}

async function run(
  server: ApolloServer<GatewayContext>,
  log: Log,
  { method, parameters, context }: Asked,
): Promise<Omit<GraphqlAnswer, 'bytes'>> {
  const requestId = context.caller.id;
  try {
    const { query, operationName, variables, extensions } = parameters;
    const { body, http } = await server.executeOperation(
      {
        ...(query !== undefined && { query }),
        ...(operationName !== undefined && { operationName }),
        ...(variables !== undefined && { variables }),
        ...(extensions !== undefined && { extensions }),
        // Apollo reads nothing of it but the method. The headers hold credentials: they do not come this far.
        http: { method, headers: NO_HEADERS, search: '', body: undefined },
      },
      { contextValue: context },
    );
    if (body.kind !== 'single') throw new Error('An incremental response was not requested.');
    const { data, errors } = body.singleResult;
    const told = errors?.map((error) => finishError(error, requestId));
    return { status: statusOfAnswer(data, told, http.status), data, errors: told };
  } catch (error) {
    log.error({ requestId, err: error }, 'an operation could not be run');
    return { status: 500, errors: [finishError({ message: '' }, requestId)] };
  }
}

/** The answer with what it weighs, or a refusal when that is too much. */
async function fitOrRefuse(
  answer: Omit<GraphqlAnswer, 'bytes'>,
  maxBytes: number,
  requestId: string,
): Promise<GraphqlAnswer> {
  // A subgraph of another process that sends too much was cut off already.
  const isCut = answer.errors?.some(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE') === true;
  const bytes = isCut ? Number.POSITIVE_INFINITY : await weighJson(answer.data, maxBytes);
  if (bytes <= maxBytes) return { ...answer, bytes };
  const refusal = answerTooLarge(`The answer would have more than ${maxBytes} bytes.`);
  return { status: ERRORS.ANSWER_TOO_LARGE.httpStatus, errors: [finishError(refusal.toJSON(), requestId)], bytes: 0 };
}

/**
 * An answer without data has the status of its first error. Codes of our own decide before the library does, to which
 * every operation without data is the caller's mistake.
 */
function statusOfAnswer(data: unknown, errors: GraphqlAnswer['errors'], byLibrary: number | undefined): number {
  const failedWhole = (data === undefined || data === null) && errors !== undefined;
  if (!failedWhole) return byLibrary ?? 200;
  const code = errors[0]?.extensions?.['code'];
  return isOurCode(code) ? statusOf(code) : (byLibrary ?? 400);
}

const NO_HEADERS = new HeaderMap();
