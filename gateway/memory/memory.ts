import { type DocumentNode, type GraphQLSchema, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import type { LRUCache } from 'lru-cache';
import { areFresh, Bailout, type BailoutReason, bailout, type CacheDependency } from '../../kernel/cached-values.js';
import { CACHES, createCache, unwatched, type WatchCache } from '../../kernel/caches.js';
import { createProgramCache, flagsIn, flagsOf, MAX_PROGRAMS, spreadFields } from '../../kernel/selections.js';
import type { ServiceName } from '../../kernel/services.js';
import type { Encoding } from '../http/negotiation.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { costOf, MAX_ITEMS, validateVariables } from '../limits/operation-cost.js';
import type { OperationFacts } from '../request/operation-facts.js';
import type { CallerCredentials } from '../request/request.js';
import { compileProgram, NotCompiled, type Program, type ProgramScope } from './program.js';
import { type Arguments, callerKeysOf, createTextKinds, type MemoryCaller, TextRun } from './write-text.js';

/**
 * Why a request was not answered from memory. `unknown`: its operation was not answered before; `uncompiled`: it can
 * only be executed; `variables`: they do not fit, or cost too much; `large`: it selects more than is written in one go;
 * `report`: a trace, rows or a price is wanted, which only an execution has.
 */
export type WhyExecuted = BailoutReason | 'unknown' | 'uncompiled' | 'variables' | 'large' | 'report';

/** How a request was answered from memory. */
export type MemoryWay = 'same body' | 'whole response' | 'texts';

/** A response without errors. */
export interface MemoryResponse {
  readonly way: MemoryWay;
  readonly operation: OperationFacts;
  /** The body as JSON. */
  readonly body: ResponseBody;
  /** The same body in its encodings. */
  readonly encoded: EncodedBodies;
  /** How many calls the cache saved: all that were needed. */
  readonly hits: number;
  /** Until when all of its parts are fresh, in milliseconds since 1970; null if none of them expires. */
  readonly freshUntilMs: number | null;
  /** When the oldest store that it was read from was sent, in milliseconds since 1970; null without one. */
  readonly storedMs: number | null;
}

/** An operation that was executed without an error. */
export interface ExecutedOperation extends Pick<MemoryResponse, 'storedMs'> {
  readonly operation: OperationFacts;
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

/** Answers operations from the cache (execution). */
export interface Memory {
  /** The response, without waiting; or why there is none. */
  answer(request: MemoryRequest, caller: MemoryCaller): MemoryResponse | WhyExecuted;
  /** Call it when an operation was executed without an error. */
  learn(parameters: GraphqlParameters, executed: ExecutedOperation): void;
}

/** How often a frequent request is looked up in the caches, so that they count it as in use. */
const LOOKED_UP_EVERY_MS = 1000;

/** A request that may be repeated. */
export class MemoryRequest {
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

/** What a memory is created over. */
interface MemoryOptions {
  /** The executable schema. */
  readonly schema: GraphQLSchema;
  readonly maxResponseBytes: number;
  readonly watchCache: WatchCache;
}

/** Items that one run may write: a thousand take a few milliseconds if none of them is cached as text yet. */
const MAX_TEXT_ITEMS = 1000;

/** Characters that one run may write: encoding a megabyte takes a millisecond, however quickly its texts were found. */
const MAX_TEXT_CHARACTERS = 1024 * 1024;

type Variables = Readonly<Record<string, unknown>>;

const NONE: Variables = {};

/** An operation with its variables, ready to run. */
interface Prepared {
  readonly operation: OperationFacts;
  readonly program: Program;
  readonly known: PreparedOperation;
}

/** Creates a memory without operations, over the subgraphs of this process. */
export function createMemory(options: MemoryOptions): Memory {
  const { schema, maxResponseBytes, watchCache } = options;
  const operations = new KnownOperations({ schema, textKinds: createTextKinds(watchCache) }, watchCache);
  const prepared = new PreparedOperations(watchCache);

  /** The operation of a request with its variables; reused from last time if it was looked up a moment ago. */
  function prepare(request: MemoryRequest, nowMs: number): Prepared | WhyExecuted {
    const { query, operationName, variables = NONE, extensions } = request.parameters;
    if (query === undefined || isToBePersisted(extensions)) return 'unknown';
    const operation = operations.find(query, operationName);
    if (operation === null) return 'unknown';
    const program = operation.programFor(variables);
    if (typeof program === 'string') return 'uncompiled';
    const { facts } = operation;
    if (request.isRecent(nowMs) && request.last?.programId === program.id)
      return { operation: facts, program, known: request.last };
    const known = prepared.find(program, variables, () => readArguments(options, operation, program, variables));
    request.last = known;
    request.lookedUpMs = nowMs;
    return { operation: facts, program, known };
  }

  /** A response that a new run writes. */
  function respond({ operation, program, known }: Prepared, run: TextRun): CachedResponse | WhyExecuted {
    const text = write(program, run);
    if (text instanceof Bailout) return text.reason;
    if (text.length > MAX_TEXT_CHARACTERS) {
      prepared.tooLarge(known);
      return 'large';
    }
    const body = new ResponseBody(`{"data":${text}}`);
    if (body.length > maxResponseBytes) return 'large';
    return prepared.store(known, { operation, body, callerKeys: run.callerKeys, parts: run.parts() });
  }

  return {
    answer(request, caller) {
      const callerKeys = callerKeysOf(caller.credentials);
      const nowMs = Date.now();
      const same = request.isRecent(nowMs) ? request.last?.response : null;
      if (same && isCurrent(same, callerKeys, nowMs)) return serve(same, 'same body', nowMs);
      const found = prepare(request, nowMs);
      if (typeof found === 'string') return found;
      const { args, response } = found.known;
      if (typeof args === 'string') return args;
      if (response !== null && isCurrent(response, callerKeys, nowMs)) return serve(response, 'whole response', nowMs);
      const written = respond(found, new TextRun(caller, args, callerKeys, nowMs));
      return typeof written === 'string' ? written : serve(written, 'texts', nowMs);
    },
    learn({ query, operationName, extensions }, { operation }) {
      if (query !== undefined && !isToBePersisted(extensions)) operations.learn(query, operationName, operation);
    },
  };
}

function readArguments(
  { schema, maxResponseBytes }: MemoryOptions,
  { document, definition }: KnownOperation,
  program: Program,
  variables: Variables,
): Pick<PreparedOperation, 'args'> {
  const invalid = validateVariables({ schema, document, operation: definition, variables });
  if (invalid.length > 0) return { args: 'variables' };
  const { items, bytes } = costOf(document, definition, schema)(variables);
  if (items > MAX_ITEMS || bytes > maxResponseBytes) return { args: 'variables' };
  if (items > MAX_TEXT_ITEMS) return { args: 'large' };
  return { args: program.argumentsFor(variables) ?? 'variables' };
}

/** Only the library stores texts by their hash. Any other extension that a client sends changes nothing. */
export function isToBePersisted(extensions: Variables | undefined): boolean {
  return extensions?.['persistedQuery'] !== undefined;
}

/** The text of a whole run, or the bailout that ended it, even if some code on the way caught that. */
function write(program: Program, run: TextRun): string | Bailout {
  try {
    const text = program.write(run);
    return run.bailedOut === null ? text : bailout(run.bailedOut);
  } catch (error) {
    // Whatever failed fails again in the execution, at its path and with its code.
    return error instanceof Bailout ? error : bailout('failed');
  }
}

/** The response, and a use of each of its parts counted. */
function serve(response: CachedResponse, way: MemoryWay, nowMs: number): MemoryResponse {
  const { operation, body, encoded, parts } = response;
  let hits = 0;
  let untilMs = Number.POSITIVE_INFINITY;
  let storedMs: number | null = null;
  for (const part of parts) {
    part.countUse(nowMs);
    if (part.freshUntilMs < untilMs) untilMs = part.freshUntilMs;
    if (part.isCall) hits += 1;
    else if (part.storedMs !== undefined) storedMs = Math.min(part.storedMs, storedMs ?? part.storedMs);
  }
  return { way, operation, body, encoded, hits, freshUntilMs: Number.isFinite(untilMs) ? untilMs : null, storedMs };
}

/** An operation that was executed without an error, so it is valid and within the limits. */
interface KnownOperation {
  readonly facts: OperationFacts;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** The program for the values of `@skip` and `@include`; or why there is none, in words. */
  programFor(variables: Readonly<Record<string, unknown>>): Program | string;
}

/** Bytes of heap for a text that was learned and has not been sent again. */
const LEARNED_BYTES = 300;
/** Bytes of heap per character once it has been sent again: its parse. */
const BYTES_PER_CHARACTER = 60;
/** Bytes of heap per field of a program. Measured: up to 1,150, with what its first run creates. */
const BYTES_PER_FIELD = 1200;
/** Bytes of heap for the smallest operation. */
const COMPILED_BYTES = 8192;

/** Each combination of flag values is a program: four flags have sixteen. */
const MAX_FLAGS = 4;

/** The operations that may be answered from memory, by their text; each is compiled when it is sent again. */
export class KnownOperations {
  readonly #known: LRUCache<string, Learned>;
  readonly #scope: ProgramScope;

  constructor(scope: ProgramScope, watchCache: WatchCache = unwatched) {
    this.#scope = scope;
    this.#known = createCache('direct-operations', watchCache);
  }

  find(query: string, operationName: string | undefined): KnownOperation | null {
    const learned = this.#known.get(query);
    const facts = learned?.names.get(operationName ?? '');
    if (learned === undefined || facts === undefined) return null;
    const document = learned.document ?? this.#parse(query, learned);
    if (document === null || document === 'too large') return null;
    return this.#operationOf(learned.operations, { facts, document }, operationName);
  }

  /** Call it when the operation was executed without an error. */
  learn(query: string, operationName: string | undefined, facts: OperationFacts): void {
    const learned = this.#known.get(query);
    if (learned !== undefined) {
      learned.names.set(operationName ?? '', facts);
      return;
    }
    const first = { names: new Map([[operationName ?? '', facts]]), document: null, operations: new Map() };
    this.#known.set(query, first, { size: learnedSize(query) });
  }

  #operationOf(
    operations: Learned['operations'],
    { facts, document }: Pick<KnownOperation, 'facts' | 'document'>,
    name: string | undefined,
  ): KnownOperation | null {
    const known = operations.get(name ?? '');
    if (known !== undefined) return known;
    const definition = getOperationAST(document, name);
    if (!definition) return null;
    const operation = { facts, document, definition, programFor: compileOnDemand(document, definition, this.#scope) };
    operations.set(name ?? '', operation);
    return operation;
  }

  /** Null for a document whose programs exceed the cache: they would be evicted as soon as they were compiled. */
  #parse(query: string, learned: Learned): DocumentNode | null {
    const document = parse(query, { noLocation: true });
    const size = sizeOf(query, document);
    const isTooLarge = size > CACHES['direct-operations'].boundBytes;
    // A new object, since the library does not measure the same one again.
    if (isTooLarge) this.#known.set(query, { ...learned, document: 'too large' }, { size: learnedSize(query) });
    else this.#known.set(query, { ...learned, document }, { size });
    return isTooLarge ? null : document;
  }
}

interface Learned {
  /** Names under which an operation of the document was executed. */
  readonly names: Map<string, OperationFacts>;
  /** Null until the document was sent again. */
  readonly document: DocumentNode | 'too large' | null;
  readonly operations: Map<string, KnownOperation>;
}

function learnedSize(query: string): number {
  return LEARNED_BYTES + 2 * query.length;
}

/** Bytes of heap once all operations of a document are compiled for all values of their flags. */
function sizeOf(query: string, document: DocumentNode): number {
  const programs = Math.min(2 ** flagsIn(document).size, MAX_PROGRAMS);
  return COMPILED_BYTES + BYTES_PER_CHARACTER * query.length + BYTES_PER_FIELD * programs * spreadFields(document);
}

function compileOnDemand(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  scope: ProgramScope,
): KnownOperation['programFor'] {
  const flags = flagsOf(document, definition);
  if (flags.size > MAX_FLAGS) return () => `It has more than ${MAX_FLAGS} variables in @skip and @include.`;
  return createProgramCache(flags, (values) => compile(document, definition, values, scope));
}

function compile(...of: Parameters<typeof compileProgram>): Program | string {
  try {
    return compileProgram(...of);
  } catch (error) {
    if (error instanceof NotCompiled) return error.message;
    throw error;
  }
}

/** A whole response. It is good while all of its parts are, for callers with the same keys. */
interface CachedResponse extends MadeResponse {
  /** Evicted together with it. */
  readonly encoded: EncodedBodies;
}

/** A whole response as a run has made it. */
interface MadeResponse {
  readonly operation: OperationFacts;
  readonly body: ResponseBody;
  /** The keys of the caller it was made for, as `callerKeysOf` returns them. */
  readonly callerKeys: string;
  readonly parts: readonly CacheDependency[];
}

/** What follows from a program and the client's variables. Only `PreparedOperations` changes it. */
interface PreparedOperation {
  /** The program that it was prepared for, and the variables. */
  readonly key: string;
  readonly programId: number;
  /** The arguments of all fields, or why there are none. */
  args: readonly Arguments[] | 'variables' | 'large';
  /** The last response; null before the first, and once the operation was evicted. */
  response: CachedResponse | null;
}

/** Bytes of heap of the arguments, per character of the variables as text. */
const VARIABLES_BYTES_PER_CHARACTER = 12;
const OPERATION_BYTES = 600;
/** Bytes of heap of one field's arguments. */
const ARGUMENTS_BYTES = 100;
/** Bytes of a reference to a part. */
const PART_BYTES = 8;

/** A new object each time its operation grows, since the library does not measure the same object again. */
interface CacheSlot {
  readonly operation: PreparedOperation;
}

/** Operations with variables that were sent lately. */
export class PreparedOperations {
  readonly #known: LRUCache<string, CacheSlot>;

  constructor(watchCache: WatchCache) {
    this.#known = createCache<CacheSlot>('direct-responses', watchCache, {
      sizeCalculation: heapBytes,
      // Requests refer to their operation, which must not keep an evicted response alive.
      dispose: ({ operation }) => {
        operation.response = null;
      },
      noDisposeOnSet: true,
    });
  }

  /** What was prepared for these variables, or else what `prepare` returns for them. */
  find(
    program: Program,
    variables: Readonly<Record<string, unknown>>,
    prepare: () => Pick<PreparedOperation, 'args'>,
  ): PreparedOperation {
    const key = `${program.id} ${JSON.stringify(variables)}`;
    const found = this.#known.get(key);
    if (found !== undefined) return found.operation;
    // The spread comes last so that all operations share one hidden class (performance 3).
    const operation: PreparedOperation = { key, programId: program.id, response: null, ...prepare() };
    this.#put(operation);
    return operation;
  }

  /** Call it when the response was too large to be written in one go, so that it is not attempted again. */
  tooLarge(operation: PreparedOperation): void {
    operation.args = 'large';
    operation.response = null;
  }

  /** Stores a response until the next one replaces it, or until it is evicted. */
  store(prepared: PreparedOperation, { operation, body, callerKeys, parts }: MadeResponse): CachedResponse {
    const isStored = body.length <= MAX_CACHED_BYTES && this.#known.peek(prepared.key)?.operation === prepared;
    if (!isStored) return { operation, body, callerKeys, parts, encoded: NOT_STORED };
    const encoded = new EncodedBodies(
      () => prepared.response === response,
      () => this.#put(prepared),
    );
    const response: CachedResponse = { operation, body, callerKeys, parts, encoded };
    prepared.response = response;
    this.#put(prepared);
    return response;
  }

  #put(operation: PreparedOperation): void {
    this.#known.set(operation.key, { operation });
  }
}

function heapBytes({ operation: { key, args, response } }: CacheSlot): number {
  const fields = typeof args === 'string' ? 0 : args.length;
  const own = OPERATION_BYTES + VARIABLES_BYTES_PER_CHARACTER * key.length + ARGUMENTS_BYTES * fields;
  if (response === null) return own;
  const { body, encoded, parts } = response;
  return own + body.length + encoded.bytes + PART_BYTES * parts.length;
}

/** Whether the same response would be made at this time, for callers with these keys. */
function isCurrent({ callerKeys, parts }: CachedResponse, caller: string, nowMs: number): boolean {
  return callerKeys === caller && areFresh(parts, nowMs);
}

/** Larger whole responses are not cached: few clients send the same query again. */
export const MAX_CACHED_BYTES = 256 * 1024;

/** Node writes a short string in one piece with its head, but a buffer in two. */
const SHORT_BYTES = 4096;

/** Room for the bytes of a string that may be short: a character takes three at most. */
const SCRATCH = Buffer.allocUnsafeSlow(3 * SHORT_BYTES);

/** The body of a response. A short one is a string with one character per byte, any other a buffer. */
export class ResponseBody {
  /** In bytes. */
  readonly length: number;
  /** A short body with one character per byte; null for any other. */
  readonly latin1: string | null;
  readonly #bytes: Buffer | null;

  /** Takes the body as JSON text. */
  constructor(json: string) {
    this.latin1 = json.length > SHORT_BYTES ? null : latin1Of(json);
    this.#bytes = this.latin1 === null ? Buffer.from(json) : null;
    this.length = this.latin1?.length ?? this.#bytes?.length ?? 0;
  }

  bytes(): Buffer {
    return this.#bytes ?? Buffer.from(this.latin1 ?? '', 'latin1');
  }
}

/** Null if the text is not short in bytes. */
function latin1Of(text: string): string | null {
  const length = SCRATCH.write(text);
  if (length === text.length) return text;
  return length > SHORT_BYTES ? null : SCRATCH.toString('latin1', 0, length);
}

/** The body of a response in the encodings it was sent in: encoding costs more than everything else. */
export class EncodedBodies {
  /** The size of all of them together. */
  bytes = 0;
  readonly #bodies = new Map<Encoding, Buffer>();
  readonly #mayGrow: () => boolean;
  readonly #grown: () => void;

  /** Nothing is cached while `mayGrow` is false; `grown` is called after each addition. */
  constructor(mayGrow: () => boolean, grown: () => void) {
    this.#mayGrow = mayGrow;
    this.#grown = grown;
  }

  get(encoding: Encoding): Buffer | undefined {
    return this.#bodies.get(encoding);
  }

  store(encoding: Encoding, body: Buffer): void {
    if (this.#bodies.has(encoding) || !this.#mayGrow()) return;
    this.#bodies.set(encoding, body);
    this.bytes += body.length;
    this.#grown();
  }
}

/** For a response that is not stored. */
const NOT_STORED = new EncodedBodies(
  () => false,
  () => {},
);
