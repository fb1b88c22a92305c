import type { GraphQLSchema } from 'graphql';
import { NotAtHand, notAtHand, type WhyNot } from '../../../schema/at-hand.js';
import type { WatchCache } from '../../../schema/caches.js';
import type { GraphqlParameters } from '../../http/parameters.js';
import { costOf, MAX_ITEMS } from '../../limits/operation-cost.js';
import { validateVariables } from '../../limits/validate-variables.js';
import type { Data } from '../compiled/merge.js';
import { createTextKinds } from './cached-text.js';
import { type DirectCaller, DirectRun } from './direct-run.js';
import type { DirectGraph } from './home.js';
import { createKnownOperations, type KnownOperation } from './known-documents.js';
import {
  type CachedResponse,
  createPreparedOperations,
  isCurrent,
  type PreparedOperation,
} from './prepared-operations.js';
import type { Program } from './program.js';
import { createRepresentations } from './representation.js';
import { ResponseBody } from './response-body.js';

/**
 * Why a request was answered in the general way: why its run ended, or why there was none. `unknown`: its operation was
 * not answered before; `uncompiled`: only the general way can answer it; `variables`: they do not fit, or cost too
 * much; `large`: it selects more than is written in one go.
 */
export type WhyGeneral = WhyNot | 'unknown' | 'uncompiled' | 'variables' | 'large';

/** How often a frequent request is looked up in the caches, so that they count it as in use. */
const LOOKED_UP_EVERY_MS = 1000;

/** A request that may be repeated. */
export class DirectRequest {
  readonly parameters: GraphqlParameters;
  /** What was prepared for it last time; null before that. */
  last: PreparedOperation | null = null;
  lookedUpMs = 0;

  constructor(parameters: GraphqlParameters) {
    this.parameters = parameters;
  }

  /** Whether it was looked up less than a second before this time since 1970; false if the clock was set back. */
  isRecent(nowMs: number): boolean {
    const ageMs = nowMs - this.lookedUpMs;
    return ageMs >= 0 && ageMs < LOOKED_UP_EVERY_MS;
  }
}

/** An operation with its variables, ready to run. */
export interface Prepared {
  readonly operation: KnownOperation;
  readonly program: Program;
  readonly known: PreparedOperation;
}

/** For whom and when a run looks up what is cached. */
export interface LookUp {
  /** The keys of the caller, as `whoIs` returns them. */
  readonly who: string;
  /** In milliseconds since 1970. */
  readonly nowMs: number;
}

/** The operations that can be run, and their runs. */
export interface DirectRuns {
  /** The operation of a request with its variables; reused from last time if it was looked up a moment ago. */
  prepare(request: DirectRequest, nowMs: number): Prepared | WhyGeneral;
  /** The last response if it is still current, or else that of a new run; or why there is none. */
  respond(prepared: Prepared, caller: DirectCaller, lookUp: LookUp): CachedResponse | WhyGeneral;
  /** Call it when the operation was executed although its calls were made ahead, which did not help. */
  executeUntil(prepared: Prepared, untilMs: number): void;
  /** Call it when an operation was executed without an error. */
  learn(parameters: GraphqlParameters): void;
}

/** What operations are compiled and run with. */
export interface DirectRunsOptions {
  readonly graph: DirectGraph;
  /** What clients may select. */
  readonly schema: GraphQLSchema;
  readonly maxResponseBytes: number;
  readonly watchCache: WatchCache;
}

/** Items that one run may write: a thousand take a few milliseconds if none of them is cached as text yet. */
const MAX_DIRECT_ITEMS = 1000;

/** Characters that one run may write: encoding a megabyte takes a millisecond, however quickly its texts were found. */
const MAX_DIRECT_CHARACTERS = 1024 * 1024;

/** Creates it without operations, over the subgraphs of this process. */
export function createDirectRuns(options: DirectRunsOptions): DirectRuns {
  const { graph, schema, maxResponseBytes, watchCache } = options;
  const scope = { graph, schema, represent: createRepresentations(graph), textKinds: createTextKinds(watchCache) };
  const operations = createKnownOperations(scope, watchCache);
  const prepared = createPreparedOperations(watchCache);

  function programFor({ query, operationName, variables = NONE, extensions }: GraphqlParameters) {
    if (query === undefined || isToBePersisted(extensions)) return 'unknown';
    const operation = operations.find(query, operationName);
    if (operation === null) return 'unknown';
    const program = operation.programFor(variables);
    return typeof program === 'string' ? 'uncompiled' : { operation, program };
  }

  function prepare(request: DirectRequest, nowMs: number): Prepared | WhyGeneral {
    const found = programFor(request.parameters);
    if (typeof found === 'string') return found;
    const { operation, program } = found;
    if (request.isRecent(nowMs) && request.last?.programId === program.id)
      return { operation, program, known: request.last };
    const { variables = NONE } = request.parameters;
    const known = prepared.find(program, variables, () => readArguments(options, operation, program, variables));
    request.last = known;
    request.lookedUpMs = nowMs;
    return { operation, program, known };
  }

  function respond(
    { program, known }: Prepared,
    caller: DirectCaller,
    { who, nowMs }: LookUp,
  ): CachedResponse | WhyGeneral {
    if (typeof known.args === 'string') return known.args;
    if (known.response !== null && isCurrent(known.response, who, nowMs)) return known.response;
    const run = new DirectRun(caller, { args: known.args, who, nowMs });
    const text = write(program, run);
    if (text instanceof NotAtHand) return text.reason;
    if (text.length > MAX_DIRECT_CHARACTERS) {
      prepared.tooLarge(known);
      return 'large';
    }
    const body = new ResponseBody(`{"data":${text}}`);
    if (body.length > maxResponseBytes) return 'large';
    return prepared.store(known, { body, who, parts: run.parts() });
  }

  return {
    prepare,
    respond,
    executeUntil: ({ known }, untilMs) => prepared.executeUntil(known, untilMs),
    learn({ query, operationName, extensions }) {
      if (query !== undefined && !isToBePersisted(extensions)) operations.learn(query, operationName);
    },
  };
}

function readArguments(
  { schema, maxResponseBytes }: DirectRunsOptions,
  { document, definition }: KnownOperation,
  program: Program,
  variables: Data,
): Pick<PreparedOperation, 'args' | 'cost'> {
  const invalid = validateVariables({ schema, document, operation: definition, variables });
  if (invalid.length > 0) return { args: 'variables', cost: { items: 0, bytes: 0 } };
  const cost = costOf(document, definition, schema)(variables);
  const { items, bytes } = cost;
  if (items > MAX_ITEMS || bytes > maxResponseBytes) return { args: 'variables', cost };
  if (items > MAX_DIRECT_ITEMS) return { args: 'large', cost };
  return { args: program.argumentsFor(variables) ?? 'variables', cost };
}

/** Only the library stores texts by their hash. Any other extension that a client sends changes nothing. */
export function isToBePersisted(extensions: Data | undefined): boolean {
  return extensions?.['persistedQuery'] !== undefined;
}

const NONE: Data = {};

/** The text of a whole run, or the signal that ended it, even if some code on the way caught that signal. */
function write(program: Program, run: DirectRun): string | NotAtHand {
  try {
    const text = program.write(run);
    return run.gaveUp === null ? text : notAtHand(run.gaveUp);
  } catch (error) {
    // Whatever failed fails again in the general way, at its path and with its code.
    return error instanceof NotAtHand ? error : notAtHand('failed');
  }
}
