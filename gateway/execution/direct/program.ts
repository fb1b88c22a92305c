import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Subgraph } from '../../../schema/operation.js';
import { fragmentsOf } from '../../graph/fragments.js';
import type { Data } from '../compiled/merge.js';
import { type ArgumentField, type CompileScope, compileRoot, type DirectStep } from './compile-selection.js';
import type { Arguments, DirectRun } from './direct-run.js';
import type { Fetch } from './fetch-run.js';
import { type DirectGraph, NotCompiled } from './home.js';

/** One operation for one choice of its `@skip` and `@include`. */
export interface Program {
  /** Distinguishes it from all other programs of this process. */
  readonly id: number;
  readonly steps: readonly DirectStep[];
  /** The arguments of all fields for the client's variables; null if a subgraph would refuse them. */
  argumentsFor(variables: Data): readonly Arguments[] | null;
  /** The JSON text of `data`. Throws the signal that ends the run. */
  write(run: DirectRun): string;
  /** Makes the calls that the text needs; null if it needs none. */
  readonly fetch: Fetch | null;
}

/** What is needed to compile operations. */
export interface ProgramScope {
  readonly graph: DirectGraph;
  /** What clients may select. */
  readonly schema: GraphQLSchema;
  readonly represent: CompileScope['represent'];
  readonly textKinds: CompileScope['textKinds'];
}

/** Compiles an operation of a validated document. Throws NotCompiled if only the general way can answer it. */
export function compileProgram(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  flags: Data,
  { graph, schema, represent, textKinds }: ProgramScope,
): Program {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || !root) throw new NotCompiled('Only queries are answered from the cache.');
  const fragments: ReadonlyMap<string, FragmentDefinitionNode> = fragmentsOf(document);
  const argumentFields: ArgumentField[] = [];
  const steps: DirectStep[] = [];
  const scope: CompileScope = { graph, schema, fragments, flags, represent, textKinds, argumentFields, steps };
  const { write, fetch } = compileRoot(operation.selectionSet, root, scope);
  const definitions = operation.variableDefinitions ?? [];
  const variablesOf = readVariables(argumentFields, definitions);
  return {
    id: nextId++,
    steps,
    argumentsFor: (variables) => argumentsFor(argumentFields, variablesOf(variables)),
    write: (run) => write(ROOT, run),
    fetch,
  };
}

let nextId = 0;

const ROOT = {};

type ValuesBySubgraph = ReadonlyMap<Subgraph, Data> | null;

/** Coerces variables as each subgraph would: only those it would be sent, by its own types. */
function readVariables(
  fields: readonly ArgumentField[],
  definitions: readonly VariableDefinitionNode[],
): (variables: Data) => ValuesBySubgraph {
  const used = new Map<Subgraph, Set<string>>();
  for (const { home, node } of fields) {
    const names = used.get(home) ?? new Set();
    used.set(home, names);
    for (const argument of node.arguments ?? []) {
      visit(argument, { [Kind.VARIABLE]: ({ name }) => void names.add(name.value) });
    }
  }
  return (variables) => {
    const values = new Map<Subgraph, Data>();
    for (const [home, names] of used) {
      const own = definitions.filter(({ variable }) => names.has(variable.name.value));
      const { coerced } = getVariableValues(home.schema, own, variables, { maxErrors: 1 });
      if (coerced === undefined) return null;
      values.set(home, coerced);
    }
    return values;
  };
}

function argumentsFor(fields: readonly ArgumentField[], values: ValuesBySubgraph): readonly Arguments[] | null {
  if (values === null) return null;
  try {
    return fields.map(({ field, node, home }) => getArgumentValues(field, node, values.get(home)));
  } catch {
    // The field does not accept a value: the library reports which.
    return null;
  }
}
