import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequest,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode, GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { heapShare } from '../../kernel/caches.js';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { spreadSelections } from '../../kernel/selections.js';
import {
  createLogOfErrors,
  eachMistake,
  INTERNAL_MESSAGE,
  inOrderOfPlaces,
  isOurCode,
  MAX_ERRORS,
} from '../../runtime/errors.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import { type GraphqlParameters, persistedHashOf } from '../../runtime/http/parameters.js';
import { DOCUMENT_BOUNDS } from '../../runtime/http/request-body.js';
import { libraryLog } from '../../runtime/process/logging.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { documentLimits, limitCost } from '../limits/operation-limits.js';
import { coerceVariables } from '../limits/variables.js';
import { factsOf, type GatewayContext, type ValidOperation } from '../request/request.js';
import { type ExecutionContext, GraphContext } from './executable-schema.js';
import { describeJoins } from './field-tree.js';

/** The response to one operation. The status is 200, or that of the error if there is no data at all. */
export interface GraphqlResponse {
  readonly status: number;
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** Lower bound of the size of `data` as JSON. */
  readonly bytes: number;
}

/** A GraphQL server without HTTP. */
export type GraphqlServer = Awaited<ReturnType<typeof createGraphqlServer>>;

/** A valid operation as plug-ins of Apollo Server get it. */
export interface FetchRequest extends ValidOperation {
  readonly request: Pick<GraphQLRequest, 'variables'>;
  /** A `GatewayContext`, as Apollo types it. */
  readonly context: Record<string, unknown>;
}

/** What a GraphQL server is created from. */
interface GraphqlServerOptions {
  /** What clients may select, as an executable schema. */
  readonly schema: GraphQLSchema;
  /** Fetches what an operation selects before it is executed, where subgraphs run elsewhere; else null. */
  readonly fetch: ((request: FetchRequest) => Promise<Readonly<Record<string, unknown>>>) | null;
  readonly introspection: boolean;
  /** How large a response may be, as JSON. */
  readonly maxResponseBytes: number;
  readonly log: Log;
}

const MIB = 1024 * 1024;

/** Documents that were parsed and validated, in Apollo Server's own store: it counts what they take by their JSON. */
export function createDocumentStore(): InMemoryLRUCache<DocumentNode> {
  return new InMemoryLRUCache({ maxSize: 64 * MIB * heapShare(), sizeCalculation: heapOfDocument });
}

/** Measured: 9 bytes for each of its JSON, 300 for each field and fragment once they are spread, 4 kB for the smallest. */
function heapOfDocument(document: DocumentNode): number {
  const text = document.loc?.source.body.length ?? 0;
  return 9 * JSON.stringify(document).length + 300 * spreadSelections(document) + 2 * text + 4096;
}

/** Texts of persisted operations, likewise. */
export function createPersistedStore(): InMemoryLRUCache {
  return new InMemoryLRUCache({ maxSize: 16 * MIB * heapShare(), sizeCalculation: ({ length }) => 2 * length + 500 });
}

/** Starts Apollo Server, which parses, validates, persists and executes operations; HTTP is handled elsewhere. */
export async function createGraphqlServer(options: GraphqlServerOptions) {
  const { schema, introspection, maxResponseBytes, log } = options;
  const server = new ApolloServer<ExecutionContext>({
    schema,
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    validationRules: [documentLimits],
    parseOptions: { maxTokens: DOCUMENT_BOUNDS.tokens },
    cache: createPersistedStore(),
    documentStore: createDocumentStore(),
    includeStacktraceInErrorResponses: false,
    // The process handles its own signals.
    stopOnTerminationSignals: false,
    logger: libraryLog(log, '@apollo/server'),
    plugins: [
      createSteps(options),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    /** The API schema: what clients may select. */
    schema: () => schema,
    /** The parameters, with the text of a query that was persisted here if only its hash was sent; else unchanged. */
    async withPersistedText(parameters: GraphqlParameters): Promise<GraphqlParameters> {
      const hash = parameters.query === undefined ? persistedHashOf(parameters) : undefined;
      const query = hash === undefined ? undefined : await server.cache.get(`${PERSISTED_PREFIX}${hash}`);
      return query === undefined ? parameters : { ...parameters, query };
    },
    /** Runs one operation; GET may only query. Never rejects. */
    async run(
      method: 'GET' | 'POST',
      parameters: GraphqlParameters,
      context: GatewayContext,
    ): Promise<GraphqlResponse> {
      const { gatewayRequest, omissions } = context;
      const graph = new GraphContext(gatewayRequest, maxResponseBytes, omissions);
      const { query, operationName, variables, extensions } = parameters;
      const request = {
        // Apollo reads only the method. Headers hold credentials and are not passed on.
        http: { method, headers: NO_HEADERS, search: '', body: undefined },
        // What is undefined is as good as absent, which the library's type does not say.
        ...{ query, operationName, variables, extensions },
      } as GraphQLRequest;
      try {
        const executed = server.executeOperation(request, { contextValue: { graph, ...context } });
        const { body, http } = await Promise.race([executed, graph.whenTooLarge]);
        if (body.kind !== 'single') throw new Error('An incremental response was not requested.');
        const { data } = body.singleResult;
        const { bytes, errors } = graph;
        const tooLarge = errors.find(({ extensions }) => extensions['code'] === 'ANSWER_TOO_LARGE');
        if (tooLarge !== undefined) throw new CodedError('ANSWER_TOO_LARGE', tooLarge.message);
        const listed = errors.length === 0 ? undefined : listErrors(errors, data, context);
        return { status: statusOfResponse(data, listed, http.status), data, errors: listed, bytes };
      } catch (error) {
        if (!(error instanceof CodedError)) log.error({ requestId: gatewayRequest.id, err: error }, 'operation failed');
        const coded = error instanceof CodedError ? error : new CodedError('INTERNAL', INTERNAL_MESSAGE);
        return { status: statusOf(coded.code), errors: [formatError(coded, gatewayRequest.id)], bytes: 0 };
      }
    },
    close: () => server.stop(),
  };
}

/** Operations up to this estimated size never wait. */
const SMALL_BYTES = 256 * 1024;

/**
 * What is done with an operation before Apollo Server executes it: its variables, its limits and, where subgraphs run
 * elsewhere, the fetching. While it is made, a response takes several times its size in memory: large ones of one caller
 * run side by side up to the size of one largest response.
 */
function createSteps(options: GraphqlServerOptions): ApolloServerPlugin<ExecutionContext> {
  const { fetch, maxResponseBytes, log } = options;
  const large = createCallerQueue({ name: 'large operations', ofCaller: maxResponseBytes, waiting: 100 });
  return {
    async requestDidStart({ contextValue }) {
      const { gatewayRequest, graph, traced } = contextValue;
      const logError = createLogOfErrors(gatewayRequest.id, log);
      let leave = () => {};
      const refuse = (errors: readonly GraphQLError[]) => {
        graph.errors = errors;
        return NOT_EXECUTED;
      };
      return {
        // A document that is not in the store is parsed, validated and executed in a turn each.
        async parsingDidStart() {
          await laterTurn(gatewayRequest.callerId);
        },
        async validationDidStart() {
          await laterTurn(gatewayRequest.callerId);
          return () => laterTurn(gatewayRequest.callerId);
        },
        async responseForOperation({ operation, ...received }) {
          // An unknown operation name is reported later.
          if (operation === undefined) return null;
          const own = { schema: received.schema, document: received.document, operation };
          gatewayRequest.operation = factsOf(own);
          try {
            const { values, errors } = coerceVariables(own, received.request.variables ?? {});
            if (errors.length > 0) return refuse(errors);
            const resolved = { variables: values, ...own };
            const bytes = limitCost(resolved, maxResponseBytes);
            contextValue.resolved?.(resolved);
            if (bytes > SMALL_BYTES) leave = await large.enter(gatewayRequest, bytes);
            if (fetch !== null) graph.root = await fetch({ ...received, operation, context: { ...contextValue } });
            else if (traced) gatewayRequest.recorder.plan = describeJoins(resolved);
            return null;
          } catch (error) {
            if (error instanceof CodedError) return refuse([error]);
            log.error({ requestId: gatewayRequest.id, err: error }, 'limits, planning or fetching failed');
            return refuse([new CodedError('INTERNAL', INTERNAL_MESSAGE)]);
          }
        },
        async didEncounterErrors({ errors }) {
          graph.errors = errors;
          for (const error of errors) logError(error);
        },
        async willSendResponse() {
          leave();
        },
      };
    },
  };
}

/** The errors that a response lists, in the order of their places. */
function listErrors(
  errors: readonly GraphQLError[],
  data: unknown,
  { gatewayRequest: { id }, omissions }: GatewayContext,
): readonly GraphQLFormattedError[] {
  const all = [...eachMistake(errors)];
  for (const { path } of all.slice(MAX_ERRORS)) omissions.add(path);
  return inOrderOfPlaces(all.slice(0, MAX_ERRORS), data).map((error) => formatError(error, id));
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

/** The library's prefix for the hash of a persisted query. */
const PERSISTED_PREFIX = 'apq:';

const NO_HEADERS = new HeaderMap();

/** What Apollo Server gets in place of a response. */
const NOT_EXECUTED: GraphQLResponse = { http: { headers: NO_HEADERS }, body: { kind: 'single', singleResult: {} } };

/** Codes that Apollo's libraries use for internal errors. */
const INTERNAL_CODES: ReadonlySet<unknown> = new Set([undefined, 'INTERNAL_SERVER_ERROR', 'INVALID_GRAPHQL']);

/**
 * An error as clients see it: message, path or locations and, in its extensions, `code`, `service`, `retryAfterSeconds`,
 * `argument`, what the safelist refuses and the id of the request. Codes of GraphQL and Apollo stay; an error without a
 * code becomes `INTERNAL`, its message withheld.
 */
export function formatError(
  {
    message,
    locations,
    path,
    extensions = {},
  }: Pick<GraphQLError, 'message'> & Partial<Pick<GraphQLError, 'locations' | 'path' | 'extensions'>>,
  requestId: string,
): GraphQLFormattedError {
  const { code, service, retryAfterSeconds, argument, operation, operationHash } = extensions;
  const internal = INTERNAL_CODES.has(code);
  return {
    message: internal ? INTERNAL_MESSAGE : shorten(message),
    ...(locations !== undefined && path === undefined && { locations }),
    ...(path !== undefined && { path }),
    // JSON leaves out what is undefined.
    extensions: {
      code: internal ? 'INTERNAL' : code,
      service,
      retryAfterSeconds,
      argument,
      operation,
      operationHash,
      requestId,
    },
  };
}

/** In characters. Messages quote client input, which may be as long as the body. */
const MESSAGE_LENGTH = 1_000;

function shorten(message: string): string {
  // The library's, when it gives up comparing them all.
  if (message === 'Validation aborted.') return 'Too many fields with the same response key: write each of them once.';
  return message.length <= MESSAGE_LENGTH ? message : `${message.slice(0, MESSAGE_LENGTH)}…`;
}

/** HTTP status of a request that fails entirely with this code (`kernel/errors.ts`). */
export function statusOf(code: unknown): number {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS].httpStatus : 400;
}
