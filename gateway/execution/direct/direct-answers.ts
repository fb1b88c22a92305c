import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { NotAtHand, notAtHand, type WhyNot } from '../../../schema/at-hand.js';
import type { GraphqlParameters } from '../../http/parameters.js';
import { costOf, MAX_ITEMS } from '../../limits/operation-cost.js';
import { validateVariables } from '../../limits/validate-variables.js';
import type { Data } from '../compiled/merge.js';
import { type Arguments, type DirectCaller, DirectRun } from './direct-run.js';
import type { DirectGraph } from './home.js';
import { createTextKinds } from './kept-text.js';
import { createKnownOperations, type KnownOperation } from './known-documents.js';
import type { Program } from './program.js';
import { createRepresentations } from './representation.js';

/**
 * Why a request was answered in the general way: why its run ended, or why there was none. `unknown`: its operation was
 * not answered before; `uncompiled`: only the general way answers it; `variables`: they do not fit, or cost too much;
 * `large`: it asks for more than is written at once.
 */
export type WhyGeneral = WhyNot | 'unknown' | 'uncompiled' | 'variables' | 'large';

/** An answer without errors, as JSON. */
export interface DirectAnswer {
  readonly text: string;
  /** How many calls were saved by the cache: all that were needed. */
  readonly hits: number;
}

/** Answers operations from what is kept, without waiting (execution). */
export interface DirectAnswers {
  answer(parameters: GraphqlParameters, caller: DirectCaller): DirectAnswer | WhyGeneral;
  /** An operation was answered in the general way, without an error. */
  learn(parameters: GraphqlParameters): void;
}

/** What direct answers are made from. */
export interface DirectAnswersOptions {
  readonly graph: DirectGraph;
  /** What clients may select. */
  readonly schema: GraphQLSchema;
  readonly maxResponseBytes: number;
}

/** Items that one run may write: a thousand take a few milliseconds when nothing of them is kept as text yet. */
const MAX_DIRECT_ITEMS = 1000;
/** Bytes of heap that the arguments of operations may take, for as many variables as fit. */
const MAX_ARGUMENT_BYTES = 16 * 1024 * 1024;
const ARGUMENT_BYTES = 600;
const BYTES_PER_CHARACTER = 12;

/** Creates direct answers over the subgraphs of this process. */
export function createDirectAnswers({ graph, schema, maxResponseBytes }: DirectAnswersOptions): DirectAnswers {
  const scope = { graph, schema, represent: createRepresentations(graph), textKind: createTextKinds() };
  const operations = createKnownOperations(scope);
  const prepared = new LRUCache<string, Prepared>({ maxSize: MAX_ARGUMENT_BYTES });

  /** What follows from program and variables alone. */
  function prepare(operation: KnownOperation, program: Program, variables: Data): Prepared {
    const key = `${program.id} ${JSON.stringify(variables)}`;
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const made = readArguments(operation, program, variables);
    prepared.set(key, made, { size: ARGUMENT_BYTES + BYTES_PER_CHARACTER * key.length });
    return made;
  }

  function readArguments({ document, definition }: KnownOperation, program: Program, variables: Data): Prepared {
    if (validateVariables(schema, definition, variables).length > 0) return 'variables';
    const { items, bytes } = costOf(document, definition, schema)(variables);
    if (items > MAX_ITEMS || bytes > maxResponseBytes) return 'variables';
    if (items > MAX_DIRECT_ITEMS) return 'large';
    return program.argumentsFor(variables) ?? 'variables';
  }

  function answer(
    { query, operationName, variables = NONE, extensions }: GraphqlParameters,
    caller: DirectCaller,
  ): DirectAnswer | WhyGeneral {
    if (query === undefined || extensions !== undefined) return 'unknown';
    const operation = operations.find(query, operationName);
    if (operation === null) return 'unknown';
    const program = operation.programFor(variables);
    if (typeof program === 'string') return 'uncompiled';
    const args = prepare(operation, program, variables);
    if (typeof args === 'string') return args;
    const run = new DirectRun(caller, args);
    const text = write(program, run);
    if (text instanceof NotAtHand) return text.reason;
    if (Buffer.byteLength(text) > maxResponseBytes) return 'large';
    for (const hit of run.hits) hit.tell();
    return { text: `{"data":${text}}`, hits: run.hits.length };
  }

  return {
    answer,
    learn({ query, operationName, extensions }) {
      if (query !== undefined && extensions === undefined) operations.learn(query, operationName);
    },
  };
}

type Prepared = readonly Arguments[] | 'variables' | 'large';

const NONE: Data = {};

/** The text of a whole run; what ended it otherwise, also where something on the way has caught that. */
function write(program: Program, run: DirectRun): string | NotAtHand {
  try {
    const text = program.write(run);
    return run.gaveUp === null ? text : notAtHand(run.gaveUp);
  } catch (error) {
    // Whatever failed fails again in the general way, at its place and with its code.
    return error instanceof NotAtHand ? error : notAtHand('failed');
  }
}
