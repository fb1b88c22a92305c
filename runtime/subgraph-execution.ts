import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLNamedType,
  getNamedType,
  Kind,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { createCache, unwatched, type WatchCache } from '../kernel/caches.js';
import { CodedError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import type { OperationContext, Subgraph } from '../kernel/operation.js';
import { walkFields } from '../kernel/selections.js';
import {
  createLogOfErrors,
  createOmissions,
  eachMistake,
  MAX_ERRORS,
  type OmittedErrors,
  toSafeError,
} from './errors.js';
import { laterTurn } from './event-loop/turns.js';
import { type DocumentBounds, PLANNED_BOUNDS } from './http/request-body.js';
import { RequestError } from './http/request-error.js';

/** One operation of a subgraph, as a query plan or another engine writes it. */
export interface SubgraphRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/** The response. It has no `data` if the operation could not be executed: its errors then have no path. */
export interface SubgraphResponse {
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[] | undefined;
  /** Errors beyond those that a response lists. */
  readonly omitted?: OmittedErrors | undefined;
}

/**
 * Runs operations of one subgraph. Errors of resolvers are in the response; a CodedError is thrown only for an operation
 * that may not run at all, a RequestError for a text that is none.
 */
export type ExecuteSubgraph = (request: SubgraphRequest, operation: OperationContext) => Promise<SubgraphResponse>;

interface Prepared {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  /** Whether it selects what only the gateway itself may select. */
  readonly isInternal: boolean;
  /** The resolvers that its span in a trace names. */
  readonly group: string;
}

/** Bytes of heap per character of a text: measured 21 for its document, and 2 for the text itself. */
const HEAP_PER_CHARACTER = 24;
const ENTRY_BYTES = 1000;

/**
 * Executes a subgraph's operations. Each text is parsed and validated once, in a turn of the event loop: a plan's recur
 * with each request; literals make new ones.
 */
export function createSubgraphExecution(
  subgraph: Subgraph,
  log: Log,
  watchCache: WatchCache = unwatched,
  { tokens: maxTokens }: Pick<DocumentBounds, 'tokens'> = PLANNED_BOUNDS,
): ExecuteSubgraph {
  const { schema } = subgraph;
  const cached = createCache<Prepared>('subgraph-operations', watchCache);

  async function prepare(query: string): Promise<Prepared> {
    await laterTurn();
    const known = cached.get(query);
    if (known !== undefined) return known;
    const document = parseText(query, maxTokens);
    const notes = { isInternal: false };
    const errors = validate(schema, document, [...specifiedRules, noteInternal(notes)]);
    const prepared = { document, errors, group: resolverGroup(document), ...notes };
    // An invalid operation comes from no plan, and the size of its errors is unknown.
    if (errors.length === 0) cached.set(query, prepared, { size: HEAP_PER_CHARACTER * query.length + ENTRY_BYTES });
    return prepared;
  }

  return async ({ query, variables, operationName }, operation) => {
    const { document, errors: invalid, isInternal, group } = cached.get(query) ?? (await prepare(query));
    if (invalid.length > 0) return { errors: invalid.map(invalidOperation) };
    if (isInternal && !operation.internal)
      throw new CodedError('PERMISSION_DENIED', 'This operation selects a field that only the gateway may select.');
    // The calls of resolvers become part of their span.
    const span = operation.span?.child('resolve', { 'passerelle.resolvers': group });
    const contextValue = subgraph.contextFor(span === undefined ? operation : { ...operation, span });
    const executed = execute({ schema, document, contextValue, variableValues: variables, operationName });
    const { data, errors } = await Promise.resolve(executed).finally(() => span?.end());
    if (errors === undefined) return { data };
    // graphql-js omits `data` if the variables do not fit: that is the caller's input, not a resolver's failure.
    if (data === undefined) return { errors: errors.map(invalidOperation) };
    const omissions = createOmissions();
    const all = [...eachMistake(errors)];
    const listed = all.slice(0, MAX_ERRORS);
    listed.forEach(createLogOfErrors(operation.requestId, log));
    for (const { path } of all.slice(MAX_ERRORS)) omissions.add(path);
    return { data, errors: listed.map(toSafeError), omitted: omissions.read() };
  };
}

function parseText(query: string, maxTokens: number): DocumentNode {
  try {
    return parse(query, { noLocation: true, maxTokens });
  } catch (error) {
    throw new RequestError(400, (error as Error).message, { code: 'GRAPHQL_PARSE_FAILED' });
  }
}

function invalidOperation({ message }: GraphQLError): GraphQLFormattedError {
  return { message, extensions: { code: 'BAD_USER_INPUT' } };
}

/** Notes a field that only the gateway itself may select: it is @inaccessible, by itself or by a type. */
function noteInternal(notes: { isInternal: boolean }): ValidationRule {
  return (context) => ({
    Field() {
      const field = context.getFieldDef();
      notes.isInternal ||= [context.getParentType(), field, getNamedType(field?.type)].some(isInaccessible);
    },
  });
}

function isInaccessible(element: GraphQLField<unknown, unknown> | GraphQLNamedType | null | undefined): boolean {
  if (!element) return false;
  const extensions = 'extensionASTNodes' in element ? element.extensionASTNodes : [];
  // The second name is that of a schema that links federation without importing the directive.
  return [element.astNode, ...extensions].some((node) =>
    node?.directives?.some(({ name }) => /^(federation__)?inaccessible$/.test(name.value)),
  );
}

/** Names the resolvers that a subgraph's operation runs: its root fields, or the types of its entities. */
function resolverGroup({ definitions }: DocumentNode): string {
  const names = new Set<string | undefined>();
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const walk = { findFragment: () => null };
  walkFields(
    operations.map(({ selectionSet }) => selectionSet),
    walk,
    ({ name, selectionSet }) => {
      if (name.value !== '_entities' || selectionSet === undefined) names.add(name.value);
      else walkFields([selectionSet], walk, (_, type) => names.add(type));
    },
  );
  return [...names].join(' ');
}
