import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { createErrorList } from '../../../runtime/errors/error-list.js';
import { fragmentsOf } from '../../graph/fragments.js';
import type { GatewayContext } from '../../request/context.js';
import { compilePlan, type PlanRun, type PlanScope, type Step } from './compile-plan.js';
import type { Data } from './merge.js';
import { isCompilable, type PlanNode, type QueryPlan } from './plan.js';
import { compileAnswer, type ShapedAnswer } from './shape-answer.js';

type Answer = ExecutionResult<Data>;

/** What is needed of Apollo's request. */
export interface PlannedRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  readonly request: { readonly operationName?: string; readonly variables?: Data };
}

/** Runs operations whose plan is known, each compiled once. */
export interface CompiledExecutor {
  /** Takes the library's plan of an operation. False when the library has to run it too. */
  planned(document: DocumentNode, operationName: string | undefined, plan: QueryPlan): boolean;
  /** The answer; null for an operation whose plan was not taken. The client's variables fit it. */
  execute(request: PlannedRequest, context: GatewayContext): Promise<Answer> | null;
}

/**
 * The library reads the operation, walks its plan with traces that are never read, and shapes the response by general
 * rules, again for each request. Here plan and selections become functions once, and stay as long as the
 * document is.
 */
export function createCompiledExecutor(scope: Omit<PlanScope, 'flags'>): CompiledExecutor {
  const known = new WeakMap<DocumentNode, Map<string, Operation>>();

  return {
    planned(document, operationName = '', plan) {
      const operations = known.get(document) ?? new Map<string, Operation>();
      known.set(document, operations);
      const operation = operations.get(operationName) ?? readOperation(document, operationName, plan);
      if (operation !== null) operations.set(operationName, operation);
      return operation !== null;
    },
    execute({ document, schema, request }, { caller, recorder, omissions }) {
      const { operationName = '', variables = {} } = request;
      const operation = known.get(document)?.get(operationName);
      if (operation === undefined) return null;
      const program = programOf(operation, variables, schema, scope);
      recorder?.planned(operation.plan);
      return run(program, { caller, variables, data: {}, errors: createErrorList(omissions), omissions });
    },
  };
}

interface Operation {
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly plan: PlanNode | undefined;
  /** Variables on which `@skip` and `@include` depend, with their default values. */
  readonly flags: ReadonlyMap<string, boolean>;
  /** By the values of the flags. */
  readonly programs: Map<string, Program>;
}

interface Program {
  readonly fetch: Step;
  readonly answer: (merged: Data) => Promise<ShapedAnswer>;
}

/** So many flags make at most sixteen programs of one operation. */
const MOST_FLAGS = 4;
/** How many of them stay cached: what hangs on a document has to have a size. */
const MOST_PROGRAMS = 4;

/** What has to be known of an operation to compile it; null for one that only the library can run. */
function readOperation(document: DocumentNode, name: string, plan: QueryPlan): Operation | null {
  const definition = getOperationAST(document, name === '' ? undefined : name);
  const flagNames = flagsIn(document);
  if (!definition || !isCompilable(plan) || flagNames.length > MOST_FLAGS || isForTheLibrary(document)) return null;
  const flags = new Map(flagNames.map((name) => [name, defaultOf(name, definition)]));
  return { definition, fragments: fragmentsOf(document), plan: plan.node, flags, programs: new Map() };
}

function flagsIn(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: [condition] = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      if (condition?.value.kind === Kind.VARIABLE) names.add(condition.value.name.value);
    },
  });
  return [...names];
}

function defaultOf(name: string, { variableDefinitions = [] }: OperationDefinitionNode): boolean {
  const value = variableDefinitions.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return value?.kind === Kind.BOOLEAN && value.value;
}

/** Questions about the schema itself, and an alias that an ordinary object cannot have. */
function isForTheLibrary(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field({ name, alias }) {
      found ||= name.value === '__schema' || name.value === '__type' || alias?.value === '__proto__';
    },
  });
  return found;
}

function programOf(
  operation: Operation,
  values: Data,
  schema: GraphQLSchema,
  scope: Omit<PlanScope, 'flags'>,
): Program {
  const { definition, fragments, plan, programs } = operation;
  const flags: Data = {};
  let key = '';
  for (const [name, byDefault] of operation.flags) {
    const value = values[name] === undefined ? byDefault : values[name] === true;
    flags[name] = value;
    key += value ? '1' : '0';
  }
  const known = programs.get(key);
  if (known !== undefined) return known;
  const root = schema.getRootType(definition.operation);
  if (!root) throw new Error(`The graph has no ${definition.operation}s.`);
  const program = {
    fetch: compilePlan(plan, { ...scope, flags }),
    answer: compileAnswer(definition.selectionSet, root, { schema, fragments, flags, restoreName: scope.restoreName }),
  };
  const [oldest] = programs.keys();
  if (programs.size === MOST_PROGRAMS && oldest !== undefined) programs.delete(oldest);
  programs.set(key, program);
  return program;
}

async function run({ fetch, answer }: Program, of: PlanRun): Promise<Answer> {
  await fetch(of);
  const { data, errors, omitted } = await answer(of.data);
  // What a failed fetch left out is reported by its own error.
  if (of.errors.errors.length > 0) return { data, errors: of.errors.errors };
  of.omissions.include(omitted);
  return errors.length > 0 ? { data, errors } : { data };
}
