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
 * not answered before; `uncompiled`: only the general way answers it; `variables`: they do not fit, or cost too much;
 * `large`: it selects more than is written at once.
 */
export type WhyGeneral = WhyNot | 'unknown' | 'uncompiled' | 'variables' | 'large';

/** A response without errors. */
export interface DirectResponse {
  /** The body as JSON. */
  readonly body: ResponseBody;
  /** The same in encodings. */
  readonly encoded: EncodedBodies;
  /** How many calls were saved by the cache: all that were needed. */
  readonly hits: number;
  /** Until when all of its parts are fresh, in milliseconds since 1970; null if it has none that expires. */
  readonly freshUntilMs: number | null;
}

/** How often a request that comes again and again is looked up: so the caches learn that it is in use. */
const LOOKED_UP_EVERY_MS = 1000;

/** A request that may come again. */
export class DirectRequest {
  readonly parameters: GraphqlParameters;
  /** What was prepared for it the last time; null before that. */
  last: PreparedOperation | null = null;
  lookedUpMs = 0;

  constructor(parameters: GraphqlParameters) {
    this.parameters = parameters;
  }

  /** Whether it was looked up a moment ago, at this time since 1970; not where the clock was set back. */
  isRecent(nowMs: number): boolean {
    const ageMs = nowMs - this.lookedUpMs;
    return ageMs >= 0 && ageMs < LOOKED_UP_EVERY_MS;
  }
}

/** An operation with its variables, ready to be run. */
interface Prepared {
  readonly program: Program;
  readonly known: PreparedOperation;
}

/** An operation that was answered in the general way, without an error. */
export interface ExecutedOperation {
  readonly data: object;
  /** Lower bound of its size as JSON. */
  readonly bytes: number;
  /** Of its caller. */
  readonly credentials: CallerCredentials;
  /** Calls that were needed, and of which services. */
  readonly needed: number;
  readonly services: ReadonlySet<ServiceName>;
  /** Whether it holds as long as its calls are fresh; for a while where there are none. */
  readonly isCacheable: boolean;
  /** Until when all calls are fresh, in milliseconds since 1970; null where there are none, or nobody may cache them. */
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

/** Items that one run may write: a thousand take a few milliseconds when nothing of them is cached as text yet. */
const MAX_DIRECT_ITEMS = 1000;

/** Characters that one run may write: a megabyte takes a millisecond to encode, however fast its texts were found. */
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

  /** The operation of a request with its variables: the same again, unless it was not looked up for a while. */
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

/** The whole response to the same request, if it would be the same now. */
function findWhole(request: DirectRequest, who: string, nowMs: number): CachedResponse | null {
  const whole = request.isRecent(nowMs) ? request.last?.response : null;
  return whole && isCurrent(whole, who, nowMs) ? whole : null;
}

/** The response, once the uses of what it was made of are counted. */
function serve({ body, encoded, parts }: CachedResponse, nowMs: number): DirectResponse {
  const { hits, freshUntilMs } = countUses(parts, nowMs);
  return { body, encoded, hits, freshUntilMs };
}

/** Only the library stores texts by their hash. Whatever else clients say of themselves changes nothing. */
export function isToBePersisted(extensions: Data | undefined): boolean {
  return extensions?.['persistedQuery'] !== undefined;
}

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
