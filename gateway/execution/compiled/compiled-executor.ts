import { type DocumentNode, type ExecutionResult, type GraphQLSchema, getOperationAST, visit } from 'graphql';
import { createErrorList } from '../../../runtime/errors/error-list.js';
import { flagsOf } from '../../graph/flags.js';
import { fragmentsOf } from '../../graph/fragments.js';
import { createProgramCache } from '../../graph/program-cache.js';
import type { GatewayContext } from '../../request/context.js';
import { compilePlan, type PlanRun, type PlanScope, type Step } from './compile-plan.js';
import type { Data } from './merge.js';
import { isCompilable, type PlanNode, type QueryPlan } from './plan.js';
import { compileResponse, type ResponseScope, type ShapedResponse } from './shape-response.js';

type Result = ExecutionResult<Data>;

/** The part of Apollo's request that the executor uses. */
export interface PlannedRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  readonly request: { readonly operationName?: string; readonly variables?: Data };
}

/** What programs are compiled with, apart from their operation. */
type ExecutorScope = Omit<PlanScope, 'flags'> & Pick<ResponseScope, 'maxBytes'>;

/** Executes operations whose plan is known, each compiled once. */
export interface CompiledExecutor {
  /** Accepts the library's plan for an operation. Returns false if the library has to execute it too. */
  acceptPlan(request: PlannedRequest, plan: QueryPlan): boolean;
  /** The result; null for an operation whose plan was not accepted. Expects valid variables. */
  execute(request: PlannedRequest, context: GatewayContext): Promise<Result> | null;
}

/**
 * Creates an executor that compiles plan and selections to functions once per document. The library would read the
 * operation, interpret its plan and shape the response anew for each request.
 */
export function createCompiledExecutor(scope: ExecutorScope): CompiledExecutor {
  const known = new WeakMap<DocumentNode, Map<string, Operation>>();

  return {
    acceptPlan(request, plan) {
      const { operationName = '' } = request.request;
      const operations = known.get(request.document) ?? new Map<string, Operation>();
      known.set(request.document, operations);
      const operation = operations.get(operationName) ?? readOperation(request, plan, scope);
      if (operation !== null) operations.set(operationName, operation);
      return operation !== null;
    },
    execute({ document, request }, { gatewayRequest, recorder, omissions }) {
      const { operationName = '', variables = {} } = request;
      const operation = known.get(document)?.get(operationName);
      if (operation === undefined) return null;
      recorder?.recordPlan(operation.plan);
      return run(operation.programFor(variables), {
        gatewayRequest,
        variables,
        data: {},
        errors: createErrorList(omissions),
        omissions,
        early: new Map(),
      });
    },
  };
}

interface Operation {
  readonly plan: PlanNode | undefined;
  programFor(variables: Data): Program;
}

interface Program {
  readonly fetch: Step;
  readonly shape: (merged: Data, request: object) => Promise<ShapedResponse>;
}

/** Prepares an operation for compilation; null if only the library can execute it. */
function readOperation(
  { document, schema, request }: PlannedRequest,
  plan: QueryPlan,
  scope: ExecutorScope,
): Operation | null {
  const definition = getOperationAST(document, request.operationName);
  if (!definition || !isCompilable(plan) || needsLibrary(document)) return null;
  const root = schema.getRootType(definition.operation);
  if (!root) throw new Error(`The graph has no ${definition.operation}s.`);
  const fragments = fragmentsOf(document);
  return {
    plan: plan.node,
    programFor: createProgramCache(flagsOf(document, definition), (flags) => ({
      fetch: compilePlan(plan.node, { ...scope, flags }),
      shape: compileResponse(definition.selectionSet, root, { ...scope, schema, fragments, flags }),
    })),
  };
}

/** Whether the document introspects, which only the library does. */
function needsLibrary(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field({ name }) {
      found ||= name.value === '__schema' || name.value === '__type';
    },
  });
  return found;
}

async function run({ fetch, shape }: Program, of: PlanRun): Promise<Result> {
  await fetch(of);
  const { data, errors, omitted } = await shape(of.data, of.gatewayRequest);
  // A fetch that failed has already reported what is missing.
  if (of.errors.errors.length > 0) return { data, errors: of.errors.errors };
  of.omissions.include(omitted);
  return errors.length > 0 ? { data, errors } : { data };
}
