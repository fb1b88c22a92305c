import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql';
import { createErrorList, type Omissions } from '../../runtime/errors/error-list.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors/safe-errors.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import { refuseVariables } from '../limits/refuse-variables.js';
import { contextOf } from '../request/context.js';
import type { HiddenDocument, PrivateNames } from './aliases/private-names.js';
import { unfitValue } from './compiled/shape-answer.js';
import { emptyMoved, placeErrors } from './place-errors.js';

type Answer = ExecutionResult<Record<string, unknown>>;

/** What the guard needs of Apollo's request; the rest is handed on as it is. */
export interface ExecutableRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  /** The gateway's own context, as Apollo types it. */
  readonly context: Record<string, unknown>;
  readonly request: {
    readonly operationName?: string;
    readonly variables?: Record<string, unknown>;
  };
}

/**
 * Wraps the plan's executor so that its traps stay inside (architecture 5): aliases and variables that it would confuse
 * have private names while it works, errors of fields that only a join needed are reported at the field that the client
 * selected, an unknown operation is the caller's mistake, and nothing is thrown. The library's extensions end here.
 */
export function guardExecutor<R extends ExecutableRequest>(
  execute: (request: R) => Promise<Answer>,
  supergraph: SupergraphMap,
  names: PrivateNames,
  log: Log,
): (request: R) => Promise<Answer> {
  const hiddenDocuments = new WeakMap<DocumentNode, HiddenDocument>();

  function hideOnce(document: DocumentNode): HiddenDocument {
    const known = hiddenDocuments.get(document);
    if (known !== undefined) return known;
    const hidden = names.hide(document);
    hiddenDocuments.set(document, hidden);
    return hidden;
  }

  return async (context) => {
    try {
      return await executeHidden(context);
    } catch (error) {
      const requestId = contextOf(context.context).caller.id;
      log.error({ requestId, err: error }, 'a query plan could not be made or executed');
      return { errors: [new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } })] };
    }
  };

  async function executeHidden(context: R): Promise<Answer> {
    const { operationName, variables = {} } = context.request;
    const hidden = hideOnce(context.document);
    const operation = getOperationAST(hidden.document, operationName);
    if (!operation) return unknownOperation(operationName);

    const request = { ...context.request, variables: hidden.hideVariables(variables) };
    const unfit = refuseVariables(context.schema, operation, request.variables);
    if (unfit.length > 0) return { errors: unfit.map((error) => badVariable(error, names)) };
    const { data, ...rest } = await execute({ ...context, document: hidden.document, request });
    const { omissions } = contextOf(context.context);
    const errors = rest.errors ?? valueErrors(rest.extensions, omissions);
    if (errors.length === 0) return data === undefined ? {} : { data };
    const placed = placeErrors(errors, { document: hidden.document, operation, supergraph, names, omissions });
    if (data) emptyMoved(data, placed);
    return { ...(data !== undefined && { data }), errors: placed.errors };
  }
}

/** Apollo Server makes a 400 of it, with the code OPERATION_RESOLUTION_FAILURE. */
function unknownOperation(name: string | undefined): Answer {
  const message =
    name === undefined
      ? 'The document has several operations: name the one to run in operationName.'
      : `The document has no operation named "${name}".`;
  return { errors: [new GraphQLError(message)] };
}

/**
 * A value that a subgraph sent against the schema becomes null, and the library reports it only in `valueCompletion`,
 * where no client looks. Here it is an error like any other.
 */
function valueErrors(extensions: Answer['extensions'], omissions: Omissions): readonly GraphQLError[] {
  const failures = extensions?.['valueCompletion'];
  const list = createErrorList<GraphQLError>(omissions);
  for (const failure of Array.isArray(failures) ? failures : []) {
    if (failure instanceof GraphQLError) list.add(failure.path, () => unfitValue(failure.path));
  }
  return list.errors;
}

function badVariable({ message, nodes }: GraphQLError, names: PrivateNames): GraphQLError {
  return new GraphQLError(names.restoreText(message), { nodes: nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } });
}
