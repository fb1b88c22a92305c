import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { notAtHand } from '../../../schema/at-hand.js';
import { accountOf, type ByteCounter, CachedObject, type NoteKind } from '../../../schema/cached-object.js';
import type { Subgraph } from '../../../schema/operation.js';
import type { RequiredFields } from '../../graph/supergraph-map.js';
import { noteOnce } from './cached-text.js';
import { type DirectGraph, isAtHome, NotCompiled, objectType } from './home.js';
import { fitsLeaf } from './leaf.js';
import { readField } from './read-field.js';

const TEXT = Symbol('text');

/** An object as a plan would represent it to another subgraph; cached with the object it was made from. */
export class Representation extends CachedObject {
  /** Equal for objects that the other subgraph cannot tell apart. */
  readonly [TEXT]: string;

  constructor(fields: Readonly<Record<string, unknown>>, account: ByteCounter | null) {
    super(account);
    Object.assign(this, fields);
    this[TEXT] = JSON.stringify(fields);
  }
}

/** The text of a representation: equal for objects that the other subgraph cannot tell apart. */
export function textOf(representation: Representation): string {
  return representation[TEXT];
}

/** The representation of an object; the same one each time if the object is cached. */
export type Represent = (object: object) => Representation;

/** Bytes of heap per character of a representation as text: the text itself, and the fields. */
const BYTES_PER_CHARACTER = 5;

/** Compiles representations of the objects of a subgraph, each kind once for all operations. */
export function createRepresentations(graph: DirectGraph) {
  const known = new Map<string, Represent>();
  return (type: string, at: Subgraph, needs: RequiredFields): Represent => {
    const name = `${type} ${at.name} ${nameOf(needs)}`;
    const represent = known.get(name) ?? compileRepresentation(graph, objectType(at, type), at, needs);
    known.set(name, represent);
    return represent;
  };
}

function nameOf(needs: RequiredFields): string {
  return [...needs].map(([name, below]) => `${name}{${nameOf(below)}}`).join(' ');
}

function compileRepresentation(
  graph: DirectGraph,
  type: GraphQLObjectType,
  home: Subgraph,
  needs: RequiredFields,
): Represent {
  const pick = compilePick(graph, type, home, needs);
  const kind: NoteKind<Representation> = { weigh: (made) => BYTES_PER_CHARACTER * textOf(made).length };
  const represent = (object: object) =>
    new Representation({ __typename: type.name, ...pick(object) }, accountOf(object));
  return (object) => noteOnce(object, kind, () => represent(object));
}

/** Reads the required fields of an object, as plain values. */
export type Pick = (object: object) => Record<string, unknown>;

function compilePick(graph: DirectGraph, type: GraphQLObjectType, home: Subgraph, needs: RequiredFields): Pick {
  const parts = [...needs].map(([name, below]) => {
    if (!isAtHome(graph, home, type.name, name))
      throw new NotCompiled(`${home.name} does not know ${type.name}.${name}.`);
    const field = type.getFields()[name];
    if (field === undefined) throw new NotCompiled(`${type.name} has no ${name}.`);
    const { isPure, read } = readField(field, home, -1);
    if (!isPure) throw new NotCompiled(`${type.name}.${name} needs more than its object.`);
    const inner = getNamedType(field.type);
    const pick = isLeafType(inner) ? null : compilePick(graph, objectType(home, inner.name), home, below);
    return { name, read, plain: plainValue(field.type, pick) };
  });
  return (object) => {
    const picked: Record<string, unknown> = {};
    for (const { name, read, plain } of parts) picked[name] = plain(read(object, null));
    return picked;
  };
}

/** The value as a subgraph would send it. Throws the signal that ends the run if it could not be sent unchanged. */
export function plainValue(type: GraphQLOutputType, pick: Pick | null): (value: unknown) => unknown {
  if (isNonNullType(type)) {
    const plain = plainValue(type.ofType, pick);
    return (value) => plain(value) ?? unfit();
  }
  if (isListType(type)) {
    const plain = plainValue(type.ofType, pick);
    return (value) => {
      if (value === null || value === undefined) return null;
      return Array.isArray(value) ? value.map(plain) : unfit();
    };
  }
  const fits = isLeafType(type) ? fitsLeaf(type) : null;
  return (value) => {
    if (value === null || value === undefined) return null;
    if (fits !== null) return fits(value) ? value : unfit();
    if (typeof value !== 'object' || value instanceof Error || pick === null) return unfit();
    return pick(value);
  };
}

function unfit(): never {
  throw notAtHand('unfit');
}
