import {
  BREAK,
  type DocumentNode,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { directField } from '../../schema/direct-field.js';
import type { Subgraph } from '../../schema/operation.js';
import type { EarlyObjects, FindEarlyObjects, Follower } from './compiled/early-fetch.js';
import { isData } from './compiled/merge.js';
import type { PlacePath } from './compiled/places.js';
import type { Requires } from './compiled/plan.js';
import { NotCompiled, objectType } from './direct/home.js';
import { readField } from './direct/read-field.js';
import { type Pick, plainValue } from './direct/representation.js';

/** Finds, in the root values of this process's subgraphs, objects whose required fields need nothing but the object. */
export function createFindEarlyObjects(subgraphs: ReadonlyMap<string, Subgraph>): FindEarlyObjects {
  return (first, followers) => {
    const home = subgraphs.get(first.serviceName);
    if (home === undefined || followers.length === 0) return [];
    const document = parse(first.operation, { noLocation: true });
    const operation = getOperationAST(document);
    const query = home.schema.getQueryType();
    if (operation?.operation !== OperationTypeNode.QUERY || !query || !waitsBelowRoot(document, home)) return [];
    const roots = { type: query, set: operation.selectionSet };
    return followers.flatMap((follower) => compileEarlyObjects(follower, roots, home) ?? []);
  };
}

function compileEarlyObjects(follower: Follower, roots: Selected, home: Subgraph): EarlyObjects | null {
  const [root = '', ...below] = follower.path;
  try {
    const found = compileWalk(below, fieldAt(root, roots, home), home);
    const pick = compileRequires(follower.node.requires ?? [], found.type, home);
    const represent = (value: unknown) =>
      attempt(() => found.objectsIn(value)).flatMap((object) => attempt(() => [pick(object)]));
    return { follower, root, represent };
  } catch (error) {
    if (error instanceof NotCompiled) return null;
    throw error;
  }
}

/** Nothing if a value does not fit: the entity fetch then uses the plan's own representations. */
function attempt<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Whether a field below the root needs more than its object; otherwise the fetch ends with its root fields. */
function waitsBelowRoot(document: DocumentNode, { schema }: Subgraph): boolean {
  let waits = false;
  const types = new TypeInfo(schema);
  const Field = () => {
    const field = types.getFieldDef();
    if (types.getParentType() === schema.getQueryType() || !field) return;
    waits = directField(field)?.isPure === false;
    return waits ? BREAK : undefined;
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return waits;
}

/** Objects of one type, and what is selected on them. */
interface Selected {
  readonly type: GraphQLObjectType;
  readonly set: SelectionSetNode;
}

interface Walk {
  readonly type: GraphQLObjectType;
  objectsIn(value: unknown): object[];
}

function compileWalk([step, ...rest]: PlacePath, at: Selected, home: Subgraph): Walk {
  if (step === undefined) return { type: at.type, objectsIn: (value) => (isObject(value) ? [value] : []) };
  if (step === '@') {
    const { type, objectsIn } = compileWalk(rest, at, home);
    return { type, objectsIn: (list) => (Array.isArray(list) ? list.flatMap(objectsIn) : []) };
  }
  const below = fieldAt(step, at, home);
  const read = readPure(at.type, below.name, home);
  const { type, objectsIn } = compileWalk(rest, below, home);
  return { type, objectsIn: (value) => (isObject(value) ? objectsIn(read(value)) : []) };
}

function isObject(value: unknown): value is object {
  return isData(value) && !(value instanceof Error);
}

/** The field selected under a response key. */
function fieldAt(key: string, { type, set }: Selected, home: Subgraph): Selected & { readonly name: string } {
  for (const selection of set.selections) {
    if (selection.kind !== Kind.FIELD || (selection.alias ?? selection.name).value !== key) continue;
    const name = selection.name.value;
    const field = type.getFields()[name];
    if (field === undefined || selection.selectionSet === undefined) break;
    return { name, type: objectType(home, getNamedType(field.type).name), set: selection.selectionSet };
  }
  throw new NotCompiled(`${key} is not selected on ${type.name} itself.`);
}

function readPure(type: GraphQLObjectType, name: string, home: Subgraph): (object: object) => unknown {
  const field = type.getFields()[name];
  if (field === undefined) throw new NotCompiled(`${type.name} has no ${name}.`);
  const { isPure, read } = readField(field, home, -1);
  if (!isPure) throw new NotCompiled(`${type.name}.${name} needs more than its object.`);
  return (object) => read(object, null);
}

type Part = readonly [name: string, read: (object: object) => unknown];

/** Represents an object as the plan does, field by field in its order. */
function compileRequires(requires: Requires, type: GraphQLObjectType, home: Subgraph): Pick {
  const parts = requires.flatMap((part) => partsOf(part, type, home));
  return (object) => Object.fromEntries(parts.map(([name, read]) => [name, read(object)]));
}

function partsOf(required: Requires[number], type: GraphQLObjectType, home: Subgraph): Part[] {
  if (required.kind === 'InlineFragment') {
    if (required.typeCondition !== type.name) throw new NotCompiled('It is required of another type.');
    return required.selections.flatMap((part) => partsOf(part, type, home));
  }
  const { name, alias = name, selections } = required;
  if (name === '__typename') return [[name, () => type.name]];
  const of = type.getFields()[name]?.type;
  if (of === undefined || alias !== name) throw new NotCompiled(`${type.name}.${name} is not read as it is.`);
  const read = readPure(type, name, home);
  const pick =
    selections === undefined ? null : compileRequires(selections, objectType(home, getNamedType(of).name), home);
  const plain = plainValue(of, pick);
  return [[name, (object) => plain(read(object))]];
}
