import { type DocumentNode, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { CACHES, unwatched, type WatchCache } from '../../kernel/caches.js';
import { createProgramCache, flagsIn, flagsOf, MAX_PROGRAMS } from '../../kernel/flags.js';
import { spreadFields } from '../../kernel/selections.js';
import { compileProgram, NotCompiled, type Program, type ProgramScope } from './program.js';

/** An operation that was executed without an error, so it is valid and within the limits. */
export interface KnownOperation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** The program for the values of `@skip` and `@include`; or why there is none, in words. */
  programFor(variables: Readonly<Record<string, unknown>>): Program | string;
}

/** The operations that may be answered from the cache. */
export interface KnownOperations {
  find(query: string, operationName: string | undefined): KnownOperation | null;
  /** Call it when the operation was executed without an error. */
  learn(query: string, operationName: string | undefined): void;
  /** Estimated heap of all of them, in bytes. */
  bytes(): number;
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

const BOUND_BYTES = CACHES['direct-operations'].boundBytes;

/** Remembers operations by their text; each is compiled when it is sent again. */
export function createKnownOperations(scope: ProgramScope, watchCache: WatchCache = unwatched): KnownOperations {
  const known = new LRUCache<string, Learned>({ maxSize: BOUND_BYTES });
  watchCache('direct-operations', () => known.calculatedSize);

  /** Null for a document whose programs exceed the cache: they would be evicted as soon as they were compiled. */
  function parseLearned(query: string, learned: Learned): DocumentNode | null {
    const document = parse(query, { noLocation: true });
    const size = sizeOf(query, document);
    const isTooLarge = size > BOUND_BYTES;
    // A new object, since the library does not measure the same one again.
    if (isTooLarge) known.set(query, { ...learned, document: 'too large' }, { size: learnedSize(query) });
    else known.set(query, { ...learned, document }, { size });
    return isTooLarge ? null : document;
  }

  return {
    find(query, operationName) {
      const learned = known.get(query);
      if (learned === undefined || !learned.names.has(operationName ?? '')) return null;
      const document = learned.document ?? parseLearned(query, learned);
      if (document === null || document === 'too large') return null;
      return operationOf(learned, document, operationName, scope);
    },
    learn(query, operationName = '') {
      const learned = known.get(query);
      if (learned !== undefined) learned.names.add(operationName);
      else known.set(query, learn(operationName), { size: learnedSize(query) });
    },
    bytes: () => known.calculatedSize,
  };
}

interface Learned {
  /** Names under which an operation of the document was executed. */
  readonly names: Set<string>;
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

function learn(operationName: string): Learned {
  return { names: new Set([operationName]), document: null, operations: new Map() };
}

function operationOf(
  { operations }: Learned,
  document: DocumentNode,
  name: string | undefined,
  scope: ProgramScope,
): KnownOperation | null {
  const known = operations.get(name ?? '');
  if (known !== undefined) return known;
  const definition = getOperationAST(document, name);
  if (!definition) return null;
  const operation = { document, definition, programFor: compileOnDemand(document, definition, scope) };
  operations.set(name ?? '', operation);
  return operation;
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
