import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { createErrorList } from '../../../runtime/errors/error-list.js';
import { flagsOf } from '../../graph/flags.js';
import { fragmentsOf } from '../../graph/fragments.js';
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

/** What programs are compiled with, beyond their operation. */
type ExecutorScope = Omit<PlanScope, 'flags'> & Pick<ResponseScope, 'maxBytes'>;

/** Executes operations whose plan is known, each compiled once. */
export interface CompiledExecutor {
  /** Receives the library's plan of an operation. False if the library has to execute it as well. */
  planned(document: DocumentNode, operationName: string | undefined, plan: QueryPlan): boolean;
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
    planned(document, operationName = '', plan) {
      const operations = known.get(document) ?? new Map<string, Operation>();
      known.set(document, operations);
      const operation = operations.get(operationName) ?? readOperation(document, operationName, plan);
      if (operation !== null) operations.set(operationName, operation);
      return operation !== null;
    },
    execute({ document, schema, request }, { gatewayRequest, recorder, omissions }) {
      const { operationName = '', variables = {} } = request;
      const operation = known.get(document)?.get(operationName);
      if (operation === undefined) return null;
      const program = programOf(operation, variables, schema, scope);
      recorder?.planned(operation.plan);
      return run(program, {
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
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly plan: PlanNode | undefined;
  /** Variables of `@skip` and `@include`, with their default values. */
  readonly flags: ReadonlyMap<string, boolean>;
  /** Keyed by the values of the flags. */
  readonly programs: Map<string, Program>;
}

interface Program {
  readonly fetch: Step;
  readonly shape: (merged: Data, request: object) => Promise<ShapedResponse>;
}

/** Programs of one operation that are cached: everything attached to a document needs a bound. */
const MAX_PROGRAMS = 4;

/** Prepares an operation for compilation; null if only the library can execute it. */
function readOperation(document: DocumentNode, name: string, plan: QueryPlan): Operation | null {
  const definition = getOperationAST(document, name === '' ? undefined : name);
  if (!definition || !isCompilable(plan) || needsLibrary(document)) return null;
  return {
    definition,
    fragments: fragmentsOf(document),
    plan: plan.node,
    flags: flagsOf(document, definition),
    programs: new Map(),
  };
}

/** The library introspects. */
function needsLibrary(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field({ name }) {
      found ||= name.value === '__schema' || name.value === '__type';
    },
  });
  return found;
}

function programOf(operation: Operation, values: Data, schema: GraphQLSchema, scope: ExecutorScope): Program {
  const { definition, fragments, plan, programs } = operation;
  const flags: Data = Object.create(null);
  let key = '';
  for (const [name, byDefault] of operation.flags) {
    const value = Object.hasOwn(values, name) ? values[name] === true : byDefault;
    flags[name] = value;
    key += value ? '1' : '0';
  }
  const known = programs.get(key);
  if (known !== undefined) return known;
  const root = schema.getRootType(definition.operation);
  if (!root) throw new Error(`The graph has no ${definition.operation}s.`);
  const program = {
    fetch: compilePlan(plan, { ...scope, flags }),
    shape: compileResponse(definition.selectionSet, root, { ...scope, schema, fragments, flags }),
  };
  const [oldest] = programs.keys();
  if (programs.size === MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest);
  programs.set(key, program);
  return program;
}

async function run({ fetch, shape }: Program, of: PlanRun): Promise<Result> {
  await fetch(of);
  const { data, errors, omitted } = await shape(of.data, of.gatewayRequest);
  // A fetch that failed has already reported what is missing.
  if (of.errors.errors.length > 0) return { data, errors: of.errors.errors };
  of.omissions.include(omitted);
  return errors.length > 0 ? { data, errors } : { data };
}
