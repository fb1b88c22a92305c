import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, type GraphQLFormattedError, type GraphQLSchema, parse } from 'graphql';
import { type CacheName, createCache, unwatched, type WatchCache } from '../../kernel/caches.js';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { spreadFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { INTERNAL_MESSAGE, isOurCode } from '../../runtime/errors.js';
import { measureJson } from '../../runtime/event-loop/json.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import { libraryLog } from '../../runtime/process/logging.js';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { type GraphqlParameters, persistedHashOf } from '../http/parameters.js';
import { createCallerQueue, createLargeOperations } from '../limits/caller-queue.js';
import { documentErrors, LIMITS } from '../limits/document-rules.js';
import type { DocumentWorkerData } from '../limits/document-worker.js';
import { costLimit, type OperationLimits } from '../limits/operation-cost.js';
import { sha256 } from '../limits/safelist.js';
import { type GatewayContext, type GatewayRequest, responseTooLarge, settleInTime } from '../request/request.js';
import type { Execute } from './local-gateway.js';

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
  /** The parameters, with the text of a query that was persisted here if only its hash was sent; else unchanged. */
  withPersistedText(parameters: GraphqlParameters): Promise<GraphqlParameters>;
  /** The API schema: what clients may select. */
  schema(): GraphQLSchema;
  close(): Promise<void>;
}

/** What a GraphQL server is created from. */
interface GraphqlServerOptions {
  readonly execute: Execute;
  /** What clients may select, and its SDL. */
  readonly schema: GraphQLSchema;
  readonly api: string;
  readonly introspection: boolean;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  /** What one operation may request. */
  readonly most: OperationLimits;
  readonly log: Log;
  readonly watchCache: WatchCache;
}

/**
 * Starts Apollo Server to parse and persist queries; HTTP, validation and execution are handled elsewhere. The last is a
 * gateway to it: of a schema, it would format every error of a response, of which there may be one for each value.
 */
export async function createGraphqlServer(options: GraphqlServerOptions): Promise<GraphqlServer> {
  const { execute, schema, introspection, maxResponseBytes, most, log, watchCache } = options;
  const large = createLargeOperations(maxResponseBytes);
  const documents = createDocumentStore(watchCache);
  const persisted = createPersistedStore(watchCache);
  const check = createDocumentCheck(documents, options);
  const server = new ApolloServer<GatewayContext>({
    gateway: {
      onSchemaLoadOrUpdate(listener) {
        listener({ apiSchema: schema, coreSupergraphSdl: '' });
        return () => {};
      },
      load: async () => ({ executor: execute }),
      stop: async () => {},
    },
    introspection,
    // Every document is checked before it gets here; the library would validate the longest on the main thread.
    dangerouslyDisableValidation: true,
    parseOptions: PARSED,
    documentStore: documents,
    persistedQueries: { cache: persisted },
    includeStacktraceInErrorResponses: false,
    // The process handles its own signals.
    stopOnTerminationSignals: false,
    logger: libraryLog(log, '@apollo/server'),
    plugins: [
      parseInTurns(),
      costLimit(most, large, log),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    schema: () => schema,
    async withPersistedText(parameters) {
      const hash = parameters.query === undefined ? persistedHashOf(parameters) : undefined;
      const query = hash === undefined ? undefined : await persisted.get(`${PERSISTED_PREFIX}${hash}`);
      return query === undefined ? parameters : { ...parameters, query };
    },
    async run(method, parameters, context) {
      try {
        const response = await run(server, check, log, { method, parameters, context });
        return await limitSize(response, maxResponseBytes, context.gatewayRequest);
      } finally {
        large.release(context.gatewayRequest);
      }
    },
    async close() {
      await server.stop();
      await check.close();
    },
  };
}

/** Parses a document that is not in the store in a later turn: the library does it in one go. */
function parseInTurns(): ApolloServerPlugin<GatewayContext> {
  return {
    requestDidStart: async () => ({
      async parsingDidStart() {
        await laterTurn();
      },
    }),
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
  check: DocumentCheck,
  log: Log,
  { method, parameters, context }: ReceivedOperation,
): Promise<Executed> {
  const requestId = context.gatewayRequest.id;
  let bytes: number | undefined;
  const onSize = (counted: number) => {
    bytes = counted;
  };
  try {
    const { query, operationName, variables, extensions } = parameters;
    const invalid = query === undefined ? [] : await check.errorsOf(query, context.gatewayRequest);
    if (invalid.length > 0) return { status: 400, errors: invalid.map((error) => formatError(error, requestId)) };
    const { body, http } = await server.executeOperation(
      {
        ...(query !== undefined && { query }),
        ...(operationName !== undefined && { operationName }),
        ...(variables !== undefined && { variables }),
        ...(extensions !== undefined && { extensions }),
        // Apollo reads only the method. Headers hold credentials and are not passed on.
        http: { method, headers: NO_HEADERS, search: '', body: undefined },
      },
      { contextValue: { ...context, onSize } },
    );
    if (body.kind !== 'single') throw new Error('An incremental response was not requested.');
    const { data, errors } = body.singleResult;
    const formatted = errors?.map((error) => formatError(error, requestId));
    return { status: statusOfResponse(data, formatted, http.status), data, errors: formatted, bytes };
  } catch (error) {
    if (error instanceof CodedError) {
      return { status: statusOf(error.code), errors: [formatError(error.toJSON(), requestId)] };
    }
    log.error({ requestId, err: error }, 'operation failed');
    return { status: 500, errors: [formatError({ message: '' }, requestId)] };
  }
}

/** A response whose size is undefined unless its executor has counted it. */
interface Executed extends Omit<GraphqlResponse, 'bytes'> {
  readonly bytes?: number | undefined;
}

/** The response with its size, or an error if it is too large. */
async function limitSize(
  response: Executed,
  maxBytes: number,
  gatewayRequest: GatewayRequest,
): Promise<GraphqlResponse> {
  // It was already cut off, with an error that says why.
  const cut = response.errors?.find(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE');
  const bytes =
    cut === undefined ? (response.bytes ?? (await measureJson(response.data, maxBytes))) : Number.POSITIVE_INFINITY;
  if (bytes <= maxBytes) return { ...response, bytes };
  const { message, extensions = {} } =
    cut ?? responseTooLarge(`The response would have more than ${inUnits(maxBytes)}.`);
  return {
    status: ERRORS.ANSWER_TOO_LARGE.httpStatus,
    errors: [formatError({ message, extensions }, gatewayRequest.id)],
    bytes: 0,
  };
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

/**
 * Bytes of heap per byte of a document as JSON. Measured: 90 short fields, 31 kB as JSON, take 190 kB with private
 * aliases, plan, one compiled program and the subgraph's own parse; an operation has at most four programs.
 */
const HEAP_PER_BYTE = 10;
/**
 * Bytes of heap per field of all operations with their fragments spread: text and JSON contain a fragment once,
 * programs once per spread. Measured: 600 for the first of at most four programs.
 */
const HEAP_PER_FIELD = 2500;
/** Bytes of heap for the smallest operation. Measured. */
const DOCUMENT_ENTRY_BYTES = 8192;
/** Bytes of heap for a map entry and its key, a hash. */
const TEXT_ENTRY_BYTES = 500;

/** A cache in the shape that Apollo's libraries expect. Their own count an entry of 8 kB as 300 bytes. */
export interface ApolloCache<V> {
  get(key: string): Promise<V | undefined>;
  has(key: string): boolean;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
  clear(): void;
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/** A store for parsed and validated documents and everything derived from them, by the hash of their text. */
export function createDocumentStore(watchCache: WatchCache = unwatched): ApolloCache<DocumentNode> {
  const sizeOf = (document: DocumentNode) => {
    const text = document.loc?.source.body.length ?? 0;
    const written = HEAP_PER_BYTE * JSON.stringify(document).length;
    return Math.max(written, HEAP_PER_FIELD * spreadFields(document)) + 2 * text + DOCUMENT_ENTRY_BYTES;
  };
  // The library puts a hash of its schema before that of the text.
  return createApolloCache('documents', watchCache, sizeOf, (key) => key.slice(-HASH_CHARACTERS));
}

/** Length of a SHA-256 in hexadecimal. */
const HASH_CHARACTERS = 64;

/** A store for the text of persisted operations, by its hash. */
export function createPersistedStore(watchCache: WatchCache = unwatched): ApolloCache<string> {
  return createApolloCache('persisted-operations', watchCache, (text) => 2 * text.length + TEXT_ENTRY_BYTES);
}

/** Creates it empty, as the cache of this name. `keyOf` returns the part of a key that tells entries apart. */
export function createApolloCache<V extends NonNullable<unknown>>(
  name: CacheName,
  watchCache: WatchCache,
  sizeCalculation: (value: V) => number,
  keyOf = (key: string) => key,
): ApolloCache<V> {
  const cache = createCache<V>(name, watchCache, { sizeCalculation });
  return {
    get: async (key) => cache.get(keyOf(key)),
    has: (key) => cache.has(keyOf(key)),
    async set(key, value) {
      cache.set(keyOf(key), value);
    },
    delete: async (key) => cache.delete(keyOf(key)),
    clear: () => cache.clear(),
    bytes: () => cache.calculatedSize,
  };
}

/** Codes that Apollo's libraries use for internal errors. */
const INTERNAL_CODES: ReadonlySet<unknown> = new Set([undefined, 'INTERNAL_SERVER_ERROR', 'INVALID_GRAPHQL']);

/**
 * An error as clients see it: message, locations, path and, in its extensions, `code`, `service`, `retryAfterSeconds`,
 * `argument`, `requestId`, and what the safelist refuses. Codes of GraphQL and Apollo stay; an error without a code
 * becomes `INTERNAL`, its message withheld.
 */
export function formatError(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
  const { message, locations, path, extensions = {} } = error;
  const { code, service, retryAfterSeconds, argument, operation, operationHash } = extensions;
  const internal = INTERNAL_CODES.has(code);
  return {
    message: internal ? INTERNAL_MESSAGE : shorten(message),
    ...(locations !== undefined && { locations }),
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
  return message.length <= MESSAGE_LENGTH ? message : `${message.slice(0, MESSAGE_LENGTH)}…`;
}

/** HTTP status of a request that fails entirely with this code (`kernel/errors.ts`). */
export function statusOf(code: unknown): number {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS].httpStatus : 400;
}

/** Checks documents before they are executed. */
interface DocumentCheck {
  /**
   * Why a document is refused; empty for a valid one, which is then in the store. Rejects if the request ends before
   * that is known, and with TOO_MANY_REQUESTS if too many documents of the same caller are waiting.
   */
  errorsOf(text: string, gatewayRequest: GatewayRequest): Promise<readonly GraphQLFormattedError[]>;
  close(): Promise<void>;
}

/**
 * Longer texts, in characters, are validated in a thread: validating takes up to the square of a document's length. The
 * worst of this length take two milliseconds, the longest legal ones a hundred; a join of twenty takes a fifth.
 */
const LONG_TEXT = 2_000;

/** Limit on the thread's heap: the schema takes ten mebibytes. */
const HEAP_MB = 128;

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('../limits/document-worker.js', import.meta.url) : null;

/**
 * Checks each new document once, those of one caller one after another. A known document does not wait: `documents` are
 * those that were valid, by the hash of their text.
 */
function createDocumentCheck(
  documents: Pick<ApolloCache<DocumentNode>, 'has' | 'set'>,
  { schema, api, introspection, log }: GraphqlServerOptions,
): DocumentCheck {
  const data: DocumentWorkerData = { api, introspection };
  const thread: TaskThread<string, readonly GraphQLFormattedError[]> | null =
    SCRIPT && new TaskThread({ script: SCRIPT, data, heapMb: HEAP_MB, name: 'validation', log });
  const inTurn = createCallerQueue();

  async function validate(text: string): Promise<readonly GraphQLFormattedError[]> {
    const found = text.length > LONG_TEXT ? ((await thread?.run(text)) ?? null) : null;
    await laterTurn();
    return found ?? documentErrors(schema, text, introspection);
  }

  return {
    async errorsOf(text, gatewayRequest) {
      const hash = sha256(text);
      if (documents.has(hash)) return VALID;
      const checked = inTurn(gatewayRequest, async () => {
        if (documents.has(hash)) return VALID;
        const errors = await validate(text);
        if (errors.length > 0) return errors;
        await laterTurn();
        // Without locations, whose tokens take more memory than all the rest.
        await documents.set(hash, parse(text, PARSED));
        // What it costs and is to fetch is found out in one go.
        await laterTurn();
        return VALID;
      });
      return settleInTime(checked, gatewayRequest);
    },
    close: async () => thread?.close(),
  };
}

const VALID: readonly GraphQLFormattedError[] = [];

const PARSED = { noLocation: true, maxTokens: LIMITS.tokens };
