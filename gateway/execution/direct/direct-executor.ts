import type { GraphQLSchema } from 'graphql';
import { NotAtHand, notAtHand, type WhyNot } from '../../../schema/at-hand.js';
import type { WatchCache } from '../../../schema/caches.js';
import type { ServiceName } from '../../../schema/services.js';
import type { GraphqlParameters } from '../../http/parameters.js';
import { costOf, MAX_ITEMS } from '../../limits/operation-cost.js';
import { validateVariables } from '../../limits/validate-variables.js';
import type { CallerCredentials } from '../../request/credentials.js';
import type { Data } from '../compiled/merge.js';
import { countUses } from './cached-parts.js';
import { createTextKinds } from './cached-text.js';
import { type DirectCaller, DirectRun, whoIs } from './direct-run.js';
import type { EncodedBodies } from './encoded-bodies.js';
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

/** A response without errors. */
export interface DirectResponse {
  /** The body as JSON. */
  readonly body: ResponseBody;
  /** The same body in its encodings. */
  readonly encoded: EncodedBodies;
  /** How many calls the cache saved: all that were needed. */
  readonly hits: number;
  /** Until when all of its parts are fresh, in milliseconds since 1970; null if none of them expires. */
  readonly freshUntilMs: number | null;
}

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
interface Prepared {
  readonly program: Program;
  readonly known: PreparedOperation;
}

/** An operation that was answered in the general way, without an error. */
export interface ExecutedOperation {
  readonly data: object;
  /** Lower bound of its size as JSON. */
  readonly bytes: number;
  /** The keys of its caller. */
  readonly credentials: CallerCredentials;
  /** How many calls were needed, and of which services. */
  readonly needed: number;
  readonly services: ReadonlySet<ServiceName>;
  /** Whether it stays valid while its calls are fresh, or for a while if there are none. */
  readonly isCacheable: boolean;
  /** Until when all calls are fresh, in milliseconds since 1970; null if there are none, or nobody may cache them. */
  readonly freshUntilMs: number | null;
}

/** Answers operations from the cache, without waiting (execution). */
export interface DirectExecutor {
  execute(request: DirectRequest, caller: DirectCaller): DirectResponse | WhyGeneral;
  learn(parameters: GraphqlParameters, executed: ExecutedOperation): void;
}

/** What a direct executor works on. */
export interface DirectExecutorOptions {
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

/** Creates a direct executor over the subgraphs of this process. */
export function createDirectExecutor(options: DirectExecutorOptions): DirectExecutor {
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

  /** The operation of a request with its variables; reused from last time if it was looked up a moment ago. */
  function prepare(request: DirectRequest, nowMs: number): Prepared | WhyGeneral {
    const found = programFor(request.parameters);
    if (typeof found === 'string') return found;
    const { operation, program } = found;
    if (request.isRecent(nowMs) && request.last?.programId === program.id) return { program, known: request.last };
    const { variables = NONE } = request.parameters;
    const known = prepared.find(program, variables, () => readArguments(options, operation, program, variables));
    request.last = known;
    request.lookedUpMs = nowMs;
    return { program, known };
  }

  function respond(
    { program, known }: Prepared,
    caller: DirectCaller,
    { who, nowMs }: { readonly who: string; readonly nowMs: number },
  ) {
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

  function execute(request: DirectRequest, caller: DirectCaller): DirectResponse | WhyGeneral {
    const who = whoIs(caller.credentials);
    const nowMs = Date.now();
    const whole = findWhole(request, who, nowMs);
    if (whole !== null) return serve(whole, nowMs);
    const found = prepare(request, nowMs);
    if (typeof found === 'string') return found;
    const response = respond(found, caller, { who, nowMs });
    return typeof response === 'string' ? response : serve(response, nowMs);
  }

  return {
    execute,
    learn({ query, operationName, extensions }) {
      if (query !== undefined && !isToBePersisted(extensions)) operations.learn(query, operationName);
    },
  };
}

function readArguments(
  { schema, maxResponseBytes }: DirectExecutorOptions,
  { document, definition }: KnownOperation,
  program: Program,
  variables: Data,
): PreparedOperation['args'] {
  if (validateVariables({ schema, document, operation: definition, variables }).length > 0) return 'variables';
  const { items, bytes } = costOf(document, definition, schema)(variables);
  if (items > MAX_ITEMS || bytes > maxResponseBytes) return 'variables';
  if (items > MAX_DIRECT_ITEMS) return 'large';
  return program.argumentsFor(variables) ?? 'variables';
}

/** The whole response to the same request, if it is still current. */
function findWhole(request: DirectRequest, who: string, nowMs: number): CachedResponse | null {
  const whole = request.isRecent(nowMs) ? request.last?.response : null;
  return whole && isCurrent(whole, who, nowMs) ? whole : null;
}

/** Returns the response, and counts the uses of the parts it was made from. */
function serve({ body, encoded, parts }: CachedResponse, nowMs: number): DirectResponse {
  const { hits, freshUntilMs } = countUses(parts, nowMs);
  return { body, encoded, hits, freshUntilMs };
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
