import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
} from 'graphql';
import { bailout, isPromise } from '../../kernel/cached-values.js';
import { NO_INFO } from '../../kernel/declared-field.js';
import { fragmentsOf, type SelectedField, type SelectionScope, selectFields } from '../../kernel/selections.js';
import {
  type OwnedField,
  ownedField,
  propertyOf,
  type Represent,
  type Representation,
  textOf,
} from '../graph/executable-schema.js';
import {
  type Arguments,
  type FieldWriter,
  type FindTextKinds,
  signatureOf,
  type TextRun,
  type Write,
  type Writer,
  writeLeaf,
  writeList,
  writeNonNull,
  writeNullable,
  writeObject,
  writeValueOf,
} from './write-text.js';

type Variables = Readonly<Record<string, unknown>>;

/** One operation for one choice of its `@skip` and `@include`. */
export interface Program {
  /** Distinguishes it from all other programs of this process. */
  readonly id: number;
  readonly steps: readonly TextStep[];
  /** The arguments of all fields for the client's variables; null if a field would refuse them. */
  argumentsFor(variables: Variables): readonly Arguments[] | null;
  /** The JSON text of `data`. Throws the bailout that ends the run. */
  write(run: TextRun): string;
}

/** What is needed to compile operations. */
export interface ProgramScope {
  /** The executable schema. */
  readonly schema: GraphQLSchema;
  readonly textKinds: FindTextKinds;
}

/** One step of a compiled operation, as `npm run explain` shows it. */
export interface TextStep {
  readonly path: string;
  /** What is cached with its objects: their `text`, the `joined text` of it all, or the `texts` around its fields. */
  readonly kind: 'resolver' | 'join' | 'text' | 'joined text' | 'texts';
  /** Empty for an object, whose fields may be of any subgraph. */
  readonly subgraph: string;
}

/** Why an operation, or a field in it, can only be executed. */
export class NotCompiled extends Error {}

/** Compiles an operation of a validated document. Throws NotCompiled if it can only be executed. */
export function compileProgram(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  flags: Variables,
  { schema, textKinds }: ProgramScope,
): Program {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || !root) throw new NotCompiled('Only queries are answered from the cache.');
  const fragments: ReadonlyMap<string, FragmentDefinitionNode> = fragmentsOf(document);
  const scope: CompileScope = { schema, fragments, flags, textKinds, argumentFields: [], steps: [] };
  const { write } = compileObject([operation.selectionSet], root, '', scope);
  return {
    id: nextId++,
    steps: scope.steps,
    argumentsFor: (variables) => argumentsFor(scope, operation, variables),
    write: (run) => write(ROOT, run),
  };
}

let nextId = 0;

const ROOT = {};

/** A field whose arguments a run needs. */
interface ArgumentField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
}

/** What compiling the selections of one operation needs and collects. */
interface CompileScope extends SelectionScope {
  readonly textKinds: FindTextKinds;
  /** The fields with resolvers, in the order of their arguments in a run. */
  readonly argumentFields: ArgumentField[];
  readonly steps: TextStep[];
}

function argumentsFor(
  { schema, argumentFields }: CompileScope,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): readonly Arguments[] | null {
  const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
  if (coerced === undefined) return null;
  try {
    return argumentFields.map(({ field, node }) => getArgumentValues(field, node, coerced));
  } catch {
    // The field does not accept a value: its execution reports which.
    return null;
  }
}

function compileObject(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  path: string,
  scope: CompileScope,
): Writer {
  const fields = selectFields(sets, type, scope).map((field) => compileField(field, type, path, scope));
  const writer = writeObject(fields, scope.textKinds(`${type.name} ${signatureOf(fields)}`));
  const kind = writer.isPure ? 'text' : writer.usesVariables ? 'texts' : 'joined text';
  scope.steps.push({ path, kind, subgraph: '' });
  return writer;
}

function compileField(
  selected: SelectedField,
  type: GraphQLObjectType,
  above: string,
  scope: CompileScope,
): FieldWriter {
  const { key, name } = selected;
  if (name === '__typename') {
    const text = JSON.stringify(type.name);
    return { key, isConstant: true, isPure: true, signature: name, usesVariables: false, write: () => text };
  }
  const field = type.getFields()[name];
  if (field === undefined) throw new NotCompiled('What an operation reads of the schema is not cached.');
  const path = above === '' ? key : `${above}.${key}`;
  const { represent, owner, resolveReference } = ownedField(field);
  if (represent === null) return { key, isConstant: false, ...compileCall(selected, field, path, scope) };
  if (resolveReference !== undefined) throw new NotCompiled(`${owner.name} looks ${type.name} up by its key.`);
  scope.steps.push({ path, kind: 'join', subgraph: owner.name });
  return { key, isConstant: false, ...writeJoin(compileCall(selected, field, path, scope), represent) };
}

/** A field's value, read with its resolver, and the text of what is selected of it. */
function compileCall(
  { node, sets }: SelectedField,
  field: GraphQLField<unknown, unknown>,
  path: string,
  scope: CompileScope,
): Writer {
  const owned = ownedField(field);
  const isPure = owned.declared.reads === 'parent';
  const read = readerOf(field, owned, scope.argumentFields.length);
  if (!isPure) {
    scope.argumentFields.push({ field, node });
    scope.steps.push({ path, kind: 'resolver', subgraph: owned.owner.name });
  }
  const written = (node.arguments ?? []).map(print).join();
  const below = compileType(field.type, sets, path, scope);
  const { write } = below;
  return {
    isPure: isPure && below.isPure,
    signature: `${field.name}(${written})${below.signature}`,
    usesVariables: written.includes('$') || below.usesVariables,
    write: (object, run) => write(read(object as object, run), run),
  };
}

/** A field of an object that comes from another subgraph. */
function writeJoin({ write, ...of }: Writer, represent: Represent): Writer {
  const join = {};
  return {
    ...of,
    write(object, run) {
      const representation = synchronous(represent(object as object)) as Representation;
      return of.isPure || run === null ? write(representation, run) : joinOnce(run, join, representation, write);
    },
  };
}

/** Writes a join once per representation and run; an equal one reuses the text and counts the same parts as used. */
function joinOnce(run: TextRun, join: object, representation: Representation, write: Write): string {
  const joined = run.joinedBy(join);
  const known = joined.get(textOf(representation));
  if (known !== undefined) {
    run.reuse(known.parts);
    if (known.hasSingleUse) run.singleUses += 1;
    return known.text;
  }
  const from = run.shared.length;
  const before = run.singleUses;
  const text = write(representation, run);
  const hasSingleUse = run.singleUses > before;
  joined.set(textOf(representation), { text, parts: run.shared.slice(from), hasSingleUse });
  return text;
}

function compileType(
  type: GraphQLOutputType,
  sets: readonly SelectionSetNode[],
  path: string,
  scope: CompileScope,
): Writer {
  if (isNonNullType(type)) return writeNonNull(compileType(type.ofType, sets, path, scope));
  if (isListType(type)) return writeList(compileType(type.ofType, sets, path, scope));
  if (isLeafType(type))
    return writeNullable({ isPure: true, signature: '', usesVariables: false, write: writeLeaf(type) });
  if (!isObjectType(type)) throw new NotCompiled(`${getNamedType(type).name} stands for several types.`);
  return writeValueOf(compileObject(sets, type, path, scope));
}

/**
 * Reads a field with its owner's resolver; `argsAt` is the index of its arguments in a run. The reader throws the
 * bailout that ends the run if the value has to be waited for.
 */
function readerOf(
  { name }: GraphQLField<unknown, unknown>,
  { owner, declared: { resolve, reads, waits } }: OwnedField,
  argsAt: number,
): (object: object, run: TextRun | null) => unknown {
  if (waits) throw new NotCompiled(`${name} always waits.`);
  if (resolve === null) {
    if (reads !== 'parent') throw new NotCompiled(`${name} takes arguments without a resolver.`);
    return (object) => synchronous(propertyOf(object as Variables, name));
  }
  if (reads === 'parent') return (object) => synchronous(resolve(object, NONE, undefined, NO_INFO));
  return (object, run) => {
    if (run === null) throw bailout('failed');
    return synchronous(resolve(object, run.args[argsAt] ?? NONE, run.contextOf(owner), NO_INFO));
  };
}

function synchronous(value: unknown): unknown {
  if (!isPromise(value)) return value;
  // Nobody waits for the promise, so its rejection must not count as unhandled.
  value.then(undefined, () => {});
  throw bailout('waits');
}

const NONE = {};
