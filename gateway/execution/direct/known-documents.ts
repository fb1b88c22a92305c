import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode, parse, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { CACHES, unwatched, type WatchCache } from '../../../schema/caches.js';
import type { Data } from '../compiled/merge.js';
import { NotCompiled } from './home.js';
import { compileProgram, type Program, type ProgramScope } from './program.js';

/** An operation that the library has answered without an error: it is valid, and within the limits. */
export interface KnownOperation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** The program for the values of `@skip` and `@include`; why there is none, in words, for one that has none. */
  programFor(variables: Data): Program | string;
}

/** The operations that may be answered from the cache. */
export interface KnownOperations {
  find(query: string, operationName: string | undefined): KnownOperation | null;
  /** The library has answered the operation without an error. */
  learn(query: string, operationName: string | undefined): void;
  /** Bytes of heap that they are taken for. */
  bytes(): number;
}

/** What a text takes that was learned and not met again. */
const LEARNED_BYTES = 300;
/** Heap for each character of one that was: its parse, and at most four programs. */
const BYTES_PER_CHARACTER = 120;
/** What the smallest operation takes. */
const COMPILED_BYTES = 8192;

/** So many flags make at most sixteen programs of one operation, of which four stay. */
const MAX_FLAGS = 4;
const MAX_PROGRAMS = 4;

/** Remembers operations by their text; each is compiled when it comes again. */
export function createKnownOperations(scope: ProgramScope, watchCache: WatchCache = unwatched): KnownOperations {
  const known = new LRUCache<string, Learned>({ maxSize: CACHES['direct-operations'].boundBytes });
  watchCache('direct-operations', () => known.calculatedSize);

  function parseLearned(query: string, { names, operations }: Learned): DocumentNode {
    const document = parse(query, { noLocation: true });
    // Another object: the library would not measure the same one again.
    known.set(query, { names, operations, document }, { size: COMPILED_BYTES + BYTES_PER_CHARACTER * query.length });
    return document;
  }

  return {
    find(query, operationName) {
      const learned = known.get(query);
      if (learned === undefined || !learned.names.has(operationName ?? '')) return null;
      const document = learned.document ?? parseLearned(query, learned);
      return operationOf(learned, document, operationName, scope);
    },
    learn(query, operationName = '') {
      const learned = known.get(query);
      if (learned !== undefined) learned.names.add(operationName);
      else known.set(query, learn(operationName), { size: LEARNED_BYTES + 2 * query.length });
    },
    bytes: () => known.calculatedSize,
  };
}

interface Learned {
  /** Names under which an operation of the document was answered. */
  readonly names: Set<string>;
  /** Null until it was met again. */
  readonly document: DocumentNode | null;
  readonly operations: Map<string, KnownOperation>;
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
  const programs = new Map<string, Program | string>();
  return (variables) => {
    if (flags.size > MAX_FLAGS) return `It has more than ${MAX_FLAGS} variables in @skip and @include.`;
    const values: Data = {};
    let key = '';
    for (const [name, byDefault] of flags) {
      const value = variables[name] === undefined ? byDefault : variables[name] === true;
      values[name] = value;
      key += value ? '1' : '0';
    }
    const known = programs.get(key);
    if (known !== undefined) return known;
    const program = compile(document, definition, values, scope);
    const [oldest] = programs.keys();
    if (programs.size === MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest);
    programs.set(key, program);
    return program;
  };
}

function compile(...of: Parameters<typeof compileProgram>): Program | string {
  try {
    return compileProgram(...of);
  } catch (error) {
    if (error instanceof NotCompiled) return error.message;
    throw error;
  }
}

/** The variables of `@skip` and `@include`, with their default values. */
function flagsOf(document: DocumentNode, { variableDefinitions = [] }: OperationDefinitionNode): Map<string, boolean> {
  const flags = new Map<string, boolean>();
  visit(document, {
    Directive({ name, arguments: [condition] = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      if (condition?.value.kind !== Kind.VARIABLE) return;
      const flag = condition.value.name.value;
      const byDefault = variableDefinitions.find(({ variable }) => variable.name.value === flag)?.defaultValue;
      flags.set(flag, byDefault?.kind === Kind.BOOLEAN && byDefault.value);
    },
  });
  return flags;
}
