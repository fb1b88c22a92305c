import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isPromise } from '../kernel/awaitable.js';
import { CACHES, unwatched, type WatchCache } from '../kernel/caches.js';
import { CodedError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import type { OperationContext, Subgraph } from '../kernel/operation.js';
import { createErrorList, createOmissions, eachMistake, type OmittedErrors, toSafeError } from './errors.js';
import { laterTurn } from './event-loop/turns.js';
import { type DocumentBounds, PLANNED_BOUNDS } from './http/request-body.js';

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

/**
 * Runs operations of one subgraph; synchronous if no resolver has to wait. Errors of resolvers are in the response; a
 * CodedError is thrown only for an operation that may not run at all.
 */
export type ExecuteSubgraph = (
  request: SubgraphRequest,
  operation: OperationContext,
) => SubgraphResponse | Promise<SubgraphResponse>;

interface Prepared {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  readonly internal: boolean;
  /** The resolvers that its span in a trace names. */
  readonly group: string;
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
  bounds: Pick<DocumentBounds, 'tokens'> = PLANNED_BOUNDS,
): ExecuteSubgraph {
  const { schema } = subgraph;
  const internalFields = findInternalFields(schema);
  const cached = new LRUCache<string, Prepared>({ maxSize: CACHES['subgraph-operations'].boundBytes });
  watchCache('subgraph-operations', () => cached.calculatedSize);

  /** Prepares a text that is not cached, in a later turn of the event loop. */
  async function prepareInTurn(query: string): Promise<Prepared> {
    await laterTurn();
    const known = cached.get(query);
    if (known !== undefined) return known;
    const prepared = prepare(query, bounds, subgraph, internalFields);
    // An invalid operation comes from no plan, and the size of its errors is unknown.
    if (prepared.errors.length === 0) cached.set(query, prepared, { size: heapBytes(query) });
    return prepared;
  }

  function run(
    { document, errors, internal, group }: Prepared,
    request: SubgraphRequest,
    operation: OperationContext,
  ): ReturnType<ExecuteSubgraph> {
    if (errors.length > 0) return { errors: errors.map(invalidOperation) };
    if (internal && !operation.internal) {
      throw new CodedError('PERMISSION_DENIED', 'This operation selects a field that only the gateway may select.');
    }
    const result = asResolvers(operation, group, (own) =>
      execute({
        schema,
        document,
        contextValue: subgraph.contextFor(own),
        variableValues: request.variables,
        operationName: request.operationName,
      }),
    );
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

function prepare(
  query: string,
  { tokens: maxTokens }: Pick<DocumentBounds, 'tokens'>,
  { schema }: Subgraph,
  internalFields: ReadonlySet<string>,
): Prepared {
  const document = parse(query, { noLocation: true, maxTokens });
  const errors = validate(schema, document);
  const internal = errors.length === 0 && selects(document, schema, internalFields);
  return { document, errors, internal, group: resolverGroup(document) };
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

/** The fields that only the gateway itself may select: those that are @inaccessible, by themselves or by a type. */
function findInternalFields(schema: GraphQLSchema): ReadonlySet<string> {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  const names = types.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => [type, field, getNamedType(field.type)].some(isInaccessible))
      .map((field) => `${type.name}.${field.name}`),
  );
  return new Set(names);
}

function isInaccessible(element: GraphQLField<unknown, unknown> | GraphQLNamedType): boolean {
  const extensions = 'extensionASTNodes' in element ? element.extensionASTNodes : [];
  // The second name is that of a schema that links federation without importing the directive.
  return [element.astNode, ...extensions].some((node) =>
    node?.directives?.some(({ name }) => /^(federation__)?inaccessible$/.test(name.value)),
  );
}

/** Whether a valid document selects one of the fields. */
function selects(document: DocumentNode, schema: GraphQLSchema, fields: ReadonlySet<string>): boolean {
  if (fields.size === 0) return false;
  const info = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      Field({ name }) {
        found ||= fields.has(`${info.getParentType()?.name}.${name.value}`);
      },
    }),
  );
  return found;
}

/** Names the resolvers that a subgraph's operation runs: its root fields, or the types of its entities. */
function resolverGroup(document: DocumentNode): string {
  const names = new Set<string>();
  visit(document, {
    Field({ name }) {
      if (name.value === '_entities') return undefined;
      names.add(name.value);
      return false;
    },
    InlineFragment({ typeCondition }) {
      if (typeCondition !== undefined) names.add(typeCondition.name.value);
      return false;
    },
    FragmentDefinition: () => false,
  });
  return [...names].join(' ');
}

/**
 * Runs resolvers in a span of the request's trace, which the calls that they make become part of; without a trace, only
 * runs them.
 */
function asResolvers<T>(
  operation: OperationContext,
  group: string,
  run: (operation: OperationContext) => T | Promise<T>,
): T | Promise<T> {
  if (operation.span === undefined) return run(operation);
  const span = operation.span.child('resolve', { 'passerelle.resolvers': group });
  const result = run({ ...operation, span });
  if (isPromise(result)) return result.finally(() => span.end());
  span.end();
  return result;
}
