import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isPromise } from '../kernel/awaitable.js';
import { CACHES, unwatched, type WatchCache } from '../kernel/caches.js';
import type { Log } from '../kernel/log.js';
import type { OperationContext, Subgraph } from '../kernel/operation.js';
import { createErrorList, createOmissions, eachMistake, type OmittedErrors, toSafeError } from './errors.js';
import { laterTurn } from './event-loop/turns.js';
import { PLANNED_BOUNDS } from './http/request-body.js';

/** One operation of a subgraph, as a query plan or another engine writes it. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** The response. It has no `data` if the operation could not be executed: its errors then have no path. */
export interface SubgraphResponse {
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** Errors beyond those that a response lists. */
  readonly omitted?: OmittedErrors | undefined;
}

/** Runs operations of one subgraph; synchronous if no resolver has to wait. Errors of resolvers are in the response. */
export type ExecuteSubgraph = (
  request: SubgraphRequest,
  operation: OperationContext,
) => SubgraphResponse | Promise<SubgraphResponse>;

interface Prepared {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/** Bytes of heap per character of a text: measured 21 for its document, and 2 for the text itself. */
const HEAP_PER_CHARACTER = 24;
const ENTRY_BYTES = 1000;

/**
 * Executes a subgraph's operations. Each text is parsed and validated once: a plan's recur with each request; literals
 * make new ones.
 */
export function createSubgraphExecution(
  subgraph: Subgraph,
  log: Log,
  watchCache: WatchCache = unwatched,
): ExecuteSubgraph {
  const { schema } = subgraph;
  const cached = new LRUCache<string, Prepared>({ maxSize: CACHES['subgraph-operations'].boundBytes });
  watchCache('subgraph-operations', () => cached.calculatedSize);

  /** Prepares a text that is not cached, in a later turn of the event loop. */
  async function prepareInTurn(query: string): Promise<Prepared> {
    await laterTurn();
    const known = cached.get(query);
    if (known !== undefined) return known;
    const prepared = prepare(query, schema);
    // An invalid operation comes from no plan, and the size of its errors is unknown.
    if (prepared.errors.length === 0) cached.set(query, prepared, { size: heapBytes(query) });
    return prepared;
  }

  function run(
    { document, errors }: Prepared,
    request: SubgraphRequest,
    operation: OperationContext,
  ): ReturnType<ExecuteSubgraph> {
    if (errors.length > 0) return { errors: errors.map(invalidOperation) };
    const result = execute({
      schema,
      document,
      contextValue: subgraph.contextFor(operation),
      variableValues: request.variables,
      operationName: request.operationName,
    });
    const settle = (settled: ExecutionResult) => toResponse(settled, operation.requestId, log);
    return isPromise(result) ? result.then(settle) : settle(result);
  }

  return (request, operation) => {
    const known = cached.get(request.query);
    if (known !== undefined) return run(known, request, operation);
    return prepareInTurn(request.query).then((prepared) => run(prepared, request, operation));
  };
}

function heapBytes(query: string): number {
  return HEAP_PER_CHARACTER * query.length + ENTRY_BYTES;
}

function prepare(query: string, schema: GraphQLSchema): Prepared {
  const document = parse(query, { noLocation: true, maxTokens: PLANNED_BOUNDS.tokens });
  return { document, errors: validate(schema, document) };
}

function toResponse({ data, errors }: ExecutionResult, requestId: string, log: Log): SubgraphResponse {
  if (errors === undefined) return { data };
  // graphql-js omits `data` if the variables do not fit: that is the caller's input, not a resolver's failure.
  if (data === undefined) return { errors: errors.map(invalidOperation) };
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  for (const error of eachMistake(errors)) list.add(error.path, () => toSafeError(error, requestId, log));
  return { data, errors: list.errors, omitted: omissions.read() };
}

function invalidOperation({ message }: GraphQLError): GraphQLFormattedError {
  return { message, extensions: { code: 'BAD_USER_INPUT' } };
}
