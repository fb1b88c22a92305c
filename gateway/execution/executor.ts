import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import { createErrorList, type Omissions } from '../../runtime/errors/error-list.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors/safe-errors.js';
import { CodedError } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import type { PrivateNames, RenamedDocument } from '../remote/private-names.js';
import { contextOf } from '../request/context.js';
import type { CompiledExecutor } from './compiled/compiled-executor.js';
import { invalidValueError } from './compiled/shape-response.js';
import { nullMovedFields, placeErrors } from './place-errors.js';

/** The result of one operation. */
export type Result = ExecutionResult<Record<string, unknown>>;

/** The part of Apollo's request that the guard uses; the rest is passed through. */
export interface ExecutableRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  /** A `GatewayContext`, as Apollo types it. */
  readonly context: Record<string, unknown>;
  readonly request: {
    readonly operationName?: string;
    readonly variables?: Record<string, unknown>;
  };
}

/** What executes operations. */
export interface Executors<R> {
  readonly compiled: Pick<CompiledExecutor, 'execute'>;
  /** Plans an operation: returns its result if only the library can execute it, null once it is compiled. */
  plan(request: R): Promise<Result | null>;
}

/**
 * Executes operations and contains the planner's traps (architecture 5): aliases and variables that would confuse it
 * get private names, errors of fields that only a join selected move to the field that the client selected, an unknown
 * operation is the caller's error, and nothing is thrown. Drops the library's extensions. Expects valid variables.
 */
export function guardExecutor<R extends ExecutableRequest>(
  { compiled, plan }: Executors<R>,
  supergraph: SupergraphMap,
  names: PrivateNames,
  log: Log,
): (request: R) => Promise<Result> {
  const renamedDocuments = new WeakMap<DocumentNode, RenamedDocument>();

  function renameOnce(document: DocumentNode): RenamedDocument {
    const known = renamedDocuments.get(document);
    if (known !== undefined) return known;
    const renamed = names.rename(document);
    renamedDocuments.set(document, renamed);
    return renamed;
  }

  return async (request) => {
    try {
      return await executeRenamed(request);
    } catch (error) {
      if (error instanceof CodedError) return { errors: [error] };
      const requestId = contextOf(request.context).gatewayRequest.id;
      log.error({ requestId, err: error }, 'query planning or execution failed');
      return { errors: [new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } })] };
    }
  };

  async function execute(request: R): Promise<Result> {
    const runCompiled = () => compiled.execute(request, contextOf(request.context));
    const result = runCompiled() ?? (await plan(request)) ?? runCompiled();
    if (result === null) throw new Error('The operation was neither executed nor compiled.');
    return result;
  }

  async function executeRenamed(request: R): Promise<Result> {
    const { context, document, request: sent } = request;
    const { operationName, variables = {} } = sent;
    const renamed = renameOnce(document);
    const operation = getOperationAST(renamed.document, operationName);
    if (!operation) return unknownOperation(operationName);

    const renamedRequest = { ...sent, variables: renamed.renameVariables(variables) };
    const { data, ...rest } = await execute({ ...request, document: renamed.document, request: renamedRequest });
    const { omissions, onErrors } = contextOf(context);
    const errors = rest.errors ?? valueErrors(rest.extensions, omissions);
    if (errors.length === 0) return data === undefined ? {} : { data };
    const placed = placeErrors(errors, { document: renamed.document, operation, supergraph, names, omissions });
    if (data) nullMovedFields(data, placed);
    onErrors?.(placed.errors);
    return { ...(data !== undefined && { data }), errors: placed.errors };
  }
}

/** Apollo Server responds to it with 400 and the code OPERATION_RESOLUTION_FAILURE. */
function unknownOperation(name: string | undefined): Result {
  const message =
    name === undefined
      ? 'The document has several operations: name the one to run in operationName.'
      : `The document has no operation named "${name}".`;
  return { errors: [new GraphQLError(message)] };
}

/**
 * The library nulls a value that violates the schema and reports it only in `extensions.valueCompletion`, which no
 * client reads. Here it becomes an ordinary error.
 */
function valueErrors(extensions: Result['extensions'], omissions: Omissions): readonly GraphQLError[] {
  const failures = extensions?.['valueCompletion'];
  const list = createErrorList<GraphQLError>(omissions);
  for (const failure of Array.isArray(failures) ? failures : []) {
    if (failure instanceof GraphQLError) list.add(failure.path, () => invalidValueError(failure.path));
  }
  return list.errors;
}
