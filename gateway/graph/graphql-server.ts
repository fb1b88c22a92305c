import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  parse,
} from 'graphql';
import type { LRUCache } from 'lru-cache';
import { createCache, unwatched, type WatchCache } from '../../kernel/caches.js';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { spreadFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { measureJson } from '../../runtime/event-loop/json.js';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { type GraphqlParameters, persistedHashOf } from '../http/parameters.js';
import { createCallerQueue, createLargeOperations } from '../limits/caller-queue.js';
import { documentErrors, LIMITS } from '../limits/document-rules.js';
import type { DocumentWorkerData } from '../limits/document-worker.js';
import { admitOperation, type OperationLimits } from '../limits/operation-cost.js';
import { sha256 } from '../limits/safelist.js';
import {
  type GatewayContext,
  type GatewayRequest,
  type ResolvedOperation,
  responseTooLarge,
  settleInTime,
} from '../request/request.js';
import type { Execute } from './local-gateway.js';

/** The response to one operation. The status is 200, or that of the error if there is no data at all. */
export interface GraphqlResponse {
  readonly status: number;
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** What was executed, and its errors with details that clients do not see; undefined if it was refused. */
  readonly executed?: { readonly operation: ResolvedOperation; readonly errors: readonly GraphQLError[] } | undefined;
  /** Lower bound of the size of `data` as JSON. */
  readonly bytes: number;
}

/** A GraphQL server without HTTP. */
export interface GraphqlServer {
  /** Runs one operation; GET may only query. Never rejects. */
  run(method: 'GET' | 'POST', parameters: GraphqlParameters, context: GatewayContext): Promise<GraphqlResponse>;
  /** The parameters, with the text of a query that was persisted here if only its hash was sent; else unchanged. */
  withPersistedText(parameters: GraphqlParameters): GraphqlParameters;
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

/** Creates a server that checks and persists queries, refuses what may not run, and has the rest executed. */
export function createGraphqlServer(options: GraphqlServerOptions): GraphqlServer {
  const { execute, schema, maxResponseBytes, most, log, watchCache } = options;
  const large = createLargeOperations(maxResponseBytes);
  const persisted = createPersistedStore(watchCache);
  const check = createDocumentCheck(options);

  const persistedText = (parameters: GraphqlParameters) => persisted.get(persistedHashOf(parameters) ?? '');

  async function run(method: 'GET' | 'POST', parameters: GraphqlParameters, context: GatewayContext): Promise<Result> {
    const { operationName, variables = {} } = parameters;
    const text = parameters.query ?? persistedText(parameters);
    if (text === undefined) return { status: 200, errors: [NOT_PERSISTED] };
    const document = await check.documentOf(text, context.gatewayRequest);
    if (!('kind' in document)) return { status: 400, errors: document };
    const operation = getOperationAST(document, operationName);
    if (method === 'GET' && operation && operation.operation !== 'query') {
      const message = `GET requests only support query operations, not ${operation.operation} operations`;
      return { status: 405, errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] };
    }
    const resolved = operation ? { schema, text, document, operation, variables } : null;
    const invalid = resolved ? await admitOperation(resolved, context, most, large) : [unknownOperation(operationName)];
    const hash = persistedHashOf(parameters);
    if (parameters.query !== undefined && hash !== undefined) persisted.set(hash, text);
    if (resolved === null || invalid.length > 0) return { status: 400, errors: invalid };
    const { data, errors } = await execute(resolved, context);
    const hasNoData = (data ?? null) === null && errors !== undefined;
    const status = hasNoData ? statusOf(errors[0]?.extensions['code']) : 200;
    const executed = { operation: resolved, errors: errors ?? [] };
    return { status, data, errors: errors?.map((error) => error.toJSON()), executed };
  }

  return {
    schema: () => schema,
    withPersistedText(parameters) {
      const query = parameters.query ?? persistedText(parameters);
      return query === parameters.query ? parameters : { ...parameters, query };
    },
    async run(method, parameters, context) {
      const { gatewayRequest } = context;
      const { id } = gatewayRequest;
      try {
        const response = await run(method, parameters, context).catch((error) => failure(error, id, log));
        const errors = response.errors?.map((error) => formatError(error, id));
        return await limitSize({ ...response, errors }, maxResponseBytes, gatewayRequest);
      } finally {
        large.release(gatewayRequest);
      }
    },
    close: () => check.close(),
  };
}

type Result = Omit<GraphqlResponse, 'bytes'>;

/** As Apollo's clients expect it, who then send the text too. */
const NOT_PERSISTED: GraphQLFormattedError = {
  message: 'PersistedQueryNotFound',
  extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
};

function unknownOperation(name: string | undefined): GraphQLFormattedError {
  const message =
    name === undefined
      ? 'The document has several operations: name the one to run in operationName.'
      : `The document has no operation named "${name}".`;
  return { message, extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } };
}

/** The response to an operation that was refused, or failed for an internal reason, which is logged. */
function failure(error: unknown, requestId: string, log: Log): Result {
  if (error instanceof CodedError) return { status: statusOf(error.code), errors: [error.toJSON()] };
  log.error({ requestId, err: error }, 'operation failed');
  return { status: 500, errors: [{ message: '' }] };
}

/** The response with its size, or an error if it is too large. */
async function limitSize(response: Result, maxBytes: number, gatewayRequest: GatewayRequest): Promise<GraphqlResponse> {
  // It was already cut off, with an error that says why.
  const cut = response.errors?.find(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE');
  const bytes =
    cut === undefined ? await measureJson(gatewayRequest, response.data, maxBytes) : Number.POSITIVE_INFINITY;
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

/** A store for parsed and validated documents and everything derived from them, by the hash of their text. */
export function createDocumentStore(watchCache: WatchCache = unwatched): LRUCache<string, DocumentNode> {
  return createCache<DocumentNode>('documents', watchCache, {
    sizeCalculation(document) {
      const text = document.loc?.source.body.length ?? 0;
      const written = HEAP_PER_BYTE * JSON.stringify(document).length;
      return Math.max(written, HEAP_PER_FIELD * spreadFields(document)) + 2 * text + DOCUMENT_ENTRY_BYTES;
    },
  });
}

/** A store for the text of persisted operations, by its hash. */
export function createPersistedStore(watchCache: WatchCache = unwatched): LRUCache<string, string> {
  return createCache<string>('persisted-operations', watchCache, {
    sizeCalculation: (text) => 2 * text.length + TEXT_ENTRY_BYTES,
  });
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
   * The document of a valid text, or why it is refused. Rejects if the request ends before that is known, and with
   * TOO_MANY_REQUESTS if too many documents of the same caller are waiting.
   */
  documentOf(text: string, gatewayRequest: GatewayRequest): Promise<DocumentNode | readonly GraphQLFormattedError[]>;
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

/** Checks each new document once, those of one caller one after another. A known document does not wait. */
function createDocumentCheck({ schema, api, introspection, log, watchCache }: GraphqlServerOptions): DocumentCheck {
  const documents = createDocumentStore(watchCache);
  const data: DocumentWorkerData = { api, introspection };
  const thread: TaskThread<string, readonly GraphQLFormattedError[]> | null =
    SCRIPT && new TaskThread({ script: SCRIPT, data, heapMb: HEAP_MB, name: 'validation', log });
  const inTurn = createCallerQueue();

  async function validate(text: string, gatewayRequest: GatewayRequest): Promise<readonly GraphQLFormattedError[]> {
    const found = text.length > LONG_TEXT ? ((await thread?.run(text)) ?? null) : null;
    await ownTurn(gatewayRequest);
    return found ?? documentErrors(schema, text, introspection);
  }

  return {
    async documentOf(text, gatewayRequest) {
      const hash = sha256(text);
      const known = documents.get(hash);
      if (known !== undefined) return known;
      const checked = inTurn(gatewayRequest, async () => {
        const found = documents.get(hash);
        if (found !== undefined) return found;
        const errors = await validate(text, gatewayRequest);
        if (errors.length > 0) return errors;
        // Without locations, whose tokens take more memory than all the rest.
        const document = parse(text, { noLocation: true, maxTokens: LIMITS.tokens });
        documents.set(hash, document);
        return document;
      });
      return settleInTime(checked, gatewayRequest);
    },
    close: async () => thread?.close(),
  };
}
