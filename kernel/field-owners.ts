import { OperationTypeNode } from 'graphql';
import { mergeRequired, type RequiredFields, type SupergraphMap } from './supergraph-map.js';

/** Which subgraph answers a field of an object, and what it needs to know about the object. */
export interface FieldOwner {
  /** Name of the subgraph that answers the field. */
  readonly subgraph: string;
  /** Present if the object comes from another subgraph: that one, and the fields that represent the object. */
  readonly join: { readonly from: string; readonly needs: RequiredFields } | null;
}

/** The owner of each field that clients can reach. */
export interface FieldOwners {
  /** Undefined for a field that no operation can reach. */
  of(type: string, field: string): FieldOwner | undefined;
  /** The subgraphs that the objects of a type come from: one, several for a value type, none if it cannot be reached. */
  homes(type: string): readonly string[];
}

/**
 * Finds the owner of each field by walking the supergraph from its roots. The objects of a type come from the subgraph
 * whose field returns them; its other fields are joins. Throws, naming the type or field, where one schema in one
 * process could not answer: for a field that no subgraph answers, and for a type whose objects come from two subgraphs,
 * unless both answer all of its fields.
 */
export function findFieldOwners(map: SupergraphMap): FieldOwners {
  const owners = new Map<string, FieldOwner>();
  const homes = new Map<string, string[]>();
  const left: { readonly type: string; readonly home: string }[] = [];

  function visit(type: string, home: string): void {
    const known = homes.get(type) ?? [];
    if (known.includes(home)) return;
    homes.set(type, [...known, home]);
    if (known.length > 0 && !isShared(map, type, [...known, home]))
      throw new Error(`Objects of ${type} come from two subgraphs: ${known.join()} and ${home}.`);
    for (const field of map.fieldsOf(type)) add(type, field, ownerOf(map, type, field, home));
  }

  function add(type: string, field: string, owner: FieldOwner): void {
    const name = `${type}.${field}`;
    if (!owners.has(name)) owners.set(name, owner);
    for (const below of map.objectTypes(map.field(type, field)?.type ?? ''))
      left.push({ type: below, home: owner.subgraph });
  }

  for (const operation of [OperationTypeNode.QUERY, OperationTypeNode.MUTATION]) {
    const root = map.rootType(operation);
    for (const field of map.fieldsOf(root)) {
      const [subgraph] = answering(map, root, field);
      if (subgraph === undefined) throw new Error(`No subgraph answers ${root}.${field}.`);
      add(root, field, { subgraph, join: null });
    }
  }
  for (let next = left.pop(); next !== undefined; next = left.pop()) visit(next.type, next.home);
  return { of: (type, field) => owners.get(`${type}.${field}`), homes: (type) => homes.get(type) ?? [] };
}

/** The subgraphs that answer a field, without regard to where its object comes from. */
function answering(map: SupergraphMap, type: string, field: string): readonly string[] {
  const named = [...(map.field(type, field)?.subgraphs ?? [])];
  return named.length > 0 ? named : map.subgraphsOf(type);
}

function ownerOf(map: SupergraphMap, type: string, field: string, home: string): FieldOwner {
  const subgraphs = answering(map, type, field);
  if (subgraphs.includes(home)) return { subgraph: home, join: null };
  for (const subgraph of subgraphs) {
    const key = map.key(type, subgraph);
    if (key === undefined) continue;
    const needs = mergeRequired(map.field(type, field)?.requires ?? null, key);
    checkKnown(map, { type, home, needs, field: `${type}.${field}` });
    return { subgraph, join: { from: home, needs } };
  }
  throw new Error(`No subgraph answers ${type}.${field} for the objects of ${home}.`);
}

/** Throws if the home of an object does not itself know what a join needs. */
function checkKnown(
  map: SupergraphMap,
  { type, home, needs, field }: { type: string; home: string; needs: RequiredFields; field: string },
): void {
  for (const [name, below] of needs) {
    if (!answering(map, type, name).includes(home))
      throw new Error(`${field} needs ${type}.${name}, which ${home} does not answer.`);
    const inner = map.field(type, name)?.type ?? '';
    for (const object of map.objectTypes(inner)) checkKnown(map, { type: object, home, needs: below, field });
  }
}

/** Whether a type is a value type: each of these subgraphs answers all of its fields. */
function isShared(map: SupergraphMap, type: string, subgraphs: readonly string[]): boolean {
  return map
    .fieldsOf(type)
    .every((field) => subgraphs.every((subgraph) => answering(map, type, field).includes(subgraph)));
}
