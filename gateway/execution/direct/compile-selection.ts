import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
  type SelectionSetNode,
} from 'graphql';
import type { Subgraph } from '../../../schema/operation.js';
import { type SelectedField, type SelectionScope, selectFields } from '../../graph/selected-fields.js';
import type { FindTextKinds } from './cached-text.js';
import type { DirectRun } from './direct-run.js';
import { type DirectGraph, homeOfJoin, homeOfRoot, isAtHome, NotCompiled, objectType } from './home.js';
import { writeLeaf } from './leaf.js';
import { readField } from './read-field.js';
import { type Represent, type Representation, textOf } from './representation.js';
import { type FieldWriter, signatureOf, writeObject } from './write-object.js';
import { writeList, writeNonNull, writeNullable, writeValueOf } from './write-value.js';
import type { Write, Writer } from './writer.js';

/** A field whose arguments a run needs. */
export interface ArgumentField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  readonly home: Subgraph;
}

/** What compiling the selections of one operation needs and collects. */
export interface CompileScope extends SelectionScope {
  readonly graph: DirectGraph;
  readonly represent: (type: string, at: Subgraph, needs: ReturnType<typeof homeOfJoin>['needs']) => Represent;
  readonly textKinds: FindTextKinds;
  /** The fields with resolvers, in the order of their arguments in a run. */
  readonly argumentFields: ArgumentField[];
  /** A description of the compiled steps. */
  readonly steps: DirectStep[];
}

/** One step of a compiled operation, as `npm run explain` shows it. */
export interface DirectStep {
  readonly path: string;
  /** What is cached with its objects: their `text`, the `joined text` of it all, or the `texts` around its fields. */
  readonly kind: 'resolver' | 'join' | 'text' | 'joined text' | 'texts';
  /** Empty for the root, whose fields may be of any subgraph. */
  readonly subgraph: string;
}

/** Where a selection is in the response, and which subgraph its object is from. */
interface Position {
  readonly path: string;
  /** Null for the root, whose fields may be in any subgraph. */
  readonly at: Subgraph | null;
}

/** Compiles the selections of the root. Throws NotCompiled for what only the general way can answer. */
export function compileRoot(selections: SelectionSetNode, type: GraphQLObjectType, scope: CompileScope): Writer {
  return compileObject([selections], type.name, { path: '', at: null }, scope);
}

function compileObject(
  sets: readonly SelectionSetNode[],
  type: string,
  position: Position,
  scope: CompileScope,
): Writer {
  const selected = selectFields(sets, compositeType(type, scope), scope);
  const fields = selected.map((field) => compileField(field, type, position, scope));
  const writer = writeObject(fields, scope.textKinds(`${position.at?.name} ${type} ${signatureOf(fields)}`));
  const kind = writer.isPure ? 'text' : writer.usesVariables ? 'texts' : 'joined text';
  scope.steps.push({ path: position.path, kind, subgraph: position.at?.name ?? '' });
  return writer;
}

function compositeType(name: string, { schema }: CompileScope): GraphQLCompositeType {
  const type = schema.getType(name);
  if (!isCompositeType(type)) throw new NotCompiled(`${name} is not in the graph that clients see.`);
  return type;
}

function compileField(selected: SelectedField, type: string, { path, at }: Position, scope: CompileScope): FieldWriter {
  const { key, name } = selected;
  if (name === '__typename') {
    const text = JSON.stringify(type);
    return {
      key,
      isConstant: true,
      isPure: true,
      signature: name,
      usesVariables: false,
      write: () => text,
      fetch: null,
    };
  }
  if (name.startsWith('__')) throw new NotCompiled("Introspection is the library's.");
  const below = `${path}${path === '' ? '' : '.'}${key}`;
  const home = at ?? homeOfRoot(scope.graph, type, name);
  if (at === null || isAtHome(scope.graph, home, type, name)) {
    return { key, isConstant: false, ...compileAtHome(selected, type, { path: below, at: home }, scope) };
  }
  return { key, isConstant: false, ...compileJoin(selected, type, { path: below, at: home }, scope) };
}

/** A field that the subgraph of its object answers. */
function compileAtHome({ name, node, sets }: SelectedField, type: string, position: Home, scope: CompileScope): Writer {
  const { path, at } = position;
  const field = objectType(at, type).getFields()[name];
  if (field === undefined) throw new NotCompiled(`${at.name} has no ${type}.${name}.`);
  const argsAt = scope.argumentFields.length;
  const { isPure, read, fetch } = readField(field, at, argsAt);
  if (!isPure) {
    scope.argumentFields.push({ field, node, home: at });
    scope.steps.push({ path, kind: 'resolver', subgraph: at.name });
  }
  const written = (node.arguments ?? []).map(print).join();
  const below = compileType(field.type, sets, position, scope);
  const { write } = below;
  return {
    isPure: isPure && below.isPure,
    fetch: isPure && below.isPure ? null : (object, run) => run.follow(fetch(object as object, run), below.fetch),
    signature: `${name}(${written})${below.signature}`,
    usesVariables: written.includes('$') || below.usesVariables,
    write: (object, run) => write(read(object as object, run), run),
  };
}

interface Home extends Position {
  readonly at: Subgraph;
}

/** A field that another subgraph answers, given what the object's own subgraph knows about it. */
function compileJoin(selected: SelectedField, type: string, { path, at }: Home, scope: CompileScope): Writer {
  const { home, needs } = homeOfJoin(scope.graph, type, selected.name);
  scope.steps.push({ path, kind: 'join', subgraph: home.name });
  const represent = scope.represent(type, at, needs);
  const { write, fetch, ...of } = compileAtHome(selected, type, { path, at: home }, scope);
  if (fetch === null) return { ...of, fetch, write: (object, run) => write(represent(object as object), run) };
  const join = {};
  return {
    ...of,
    fetch(object, run) {
      const representation = represent(object as object);
      if (run.isFirst(join, representation)) fetch(representation, run);
    },
    write(object, run) {
      const representation = represent(object as object);
      return run === null ? write(representation, run) : joinOnce(run, join, representation, write);
    },
  };
}

/** Writes a join once per representation and run; an equal one reuses the text and counts the same parts as used. */
function joinOnce(run: DirectRun, join: object, representation: Representation, write: Write): string {
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
  position: Home,
  scope: CompileScope,
): Writer {
  if (isNonNullType(type)) return writeNonNull(compileType(type.ofType, sets, position, scope));
  if (isListType(type)) return writeList(compileType(type.ofType, sets, position, scope));
  if (isLeafType(type))
    return writeNullable({ isPure: true, signature: '', usesVariables: false, write: writeLeaf(type), fetch: null });
  if (!isObjectType(type)) throw new NotCompiled(`${getNamedType(type).name} stands for several types.`);
  return writeValueOf(compileObject(sets, type.name, position, scope));
}
