import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { findFieldOwners, mapSupergraph } from '../../kernel/supergraph.js';

/** Guards which graphs one schema in one process can answer: some compose, but only query plans could answer them. */

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@shareable"])';

/** The owners of a graph of these subgraphs. Throws if it does not compose. */
function ownersOf(subgraphs: Readonly<Record<string, string>>) {
  const result = composeServices(
    Object.entries(subgraphs).map(([name, sdl]) => ({ name, url: '', typeDefs: parse(`${LINK} ${sdl}`) })),
  );
  if (result.errors !== undefined) throw new Error(`Does not compose: ${result.errors.join()}`);
  return findFieldOwners(mapSupergraph(result.supergraphSdl));
}

describe('The owner of a field', () => {
  test('is the subgraph of its object, or one that is joined by its key and what it requires', () => {
    const owners = ownersOf({
      a: 'type Query { t: T } type T @key(fields: "id") { id: ID! x: String y: String }',
      b: 'type T @key(fields: "id") { id: ID! y: String @external z: String @requires(fields: "y") }',
    });
    expect(owners.of('T', 'x')).toEqual({ subgraph: 'a', join: null });
    const needs = new Map([
      ['y', new Map()],
      ['id', new Map()],
    ]);
    expect(owners.of('T', 'z')).toEqual({ subgraph: 'b', join: { from: 'a', needs } });
    expect(owners.originating('T')).toEqual(['a']);
  });

  test('is each of several subgraphs that answer all fields of a value type', () => {
    const value = 'type V @shareable { lon: Float lat: Float }';
    const owners = ownersOf({ a: `type Query { a: V } ${value}`, b: `type Query { b: V } ${value}` });
    expect([...owners.originating('V')].sort()).toEqual(['a', 'b']);
    expect(owners.of('V', 'lon')?.join).toBeNull();
  });

  test('is none for a type that nobody can reach', () => {
    const owners = ownersOf({ a: 'type Query { a: String } type T { x: String }' });
    expect([owners.of('T', 'x'), owners.originating('T')]).toEqual([undefined, []]);
  });

  test('is where else its objects come from for what an interface or a union stands for, which may be references', () => {
    const interfaces = {
      a: `type Query { a: T } interface I { id: ID! } type T implements I @key(fields: "id") { id: ID! x: String }`,
      b: `type Query { b: I } interface I { id: ID! } type T implements I @key(fields: "id") { id: ID! y: String }`,
    };
    const unions = {
      a: 'type Query { a: T } type T @key(fields: "id") { id: ID! x: String }',
      b: 'type Query { b: U } union U = T type T @key(fields: "id") { id: ID! y: String }',
    };
    for (const graph of [interfaces, unions]) expect(ownersOf(graph).originating('T')).toEqual(['a']);
  });
});

describe('A graph is refused', () => {
  const keyed = (field: string) => `type T @key(fields: "id") { id: ID! ${field}: String }`;

  test('where objects of an entity come from two subgraphs', () => {
    const graph = { a: `type Query { a: T } ${keyed('x')}`, b: `type Query { b: T } ${keyed('y')}` };
    expect(() => ownersOf(graph)).toThrow(/^Objects of T come from two subgraphs: (a and b|b and a)\.$/);
  });

  test('where a join needs what only a third subgraph answers', () => {
    const graph = {
      a: 'type Query { t: T } type T @key(fields: "id") { id: ID! }',
      b: 'type T @key(fields: "id") @key(fields: "code") { id: ID! code: String }',
      c: 'type T @key(fields: "code") { code: String z: String }',
    };
    expect(() => ownersOf(graph)).toThrow('T.z needs T.code, which a does not answer.');
  });

  test('where a required object has a field that its home does not answer', () => {
    const graph = {
      a: 'type Query { t: T } type T @key(fields: "id") { id: ID! v: V } type V @key(fields: "id") { id: ID! }',
      b: 'type V @key(fields: "id") { id: ID! w: String }',
      c: 'type T @key(fields: "id") { id: ID! v: V @external z: String @requires(fields: "v { w }") } type V @key(fields: "id") { id: ID! w: String @external }',
    };
    expect(() => ownersOf(graph)).toThrow('T.z needs V.w, which a does not answer.');
  });

  const supergraph = (types: string) => `
    schema { query: Query }
    enum join__Graph { A @join__graph(name: "a", url: "") B @join__graph(name: "b", url: "") }
    ${types}
  `;

  test.each([
    [
      'a field of an object',
      'type Query @join__type(graph: A) { t: T } type T @join__type(graph: A, key: "id") { id: ID! x: String @join__field(graph: B) }',
      'No subgraph answers T.x for the objects of a.',
    ],
    ['a root field', 'type Query { t: String }', 'No subgraph answers Query.t.'],
  ])('where no subgraph answers %s', (_what, types, message) => {
    expect(() => findFieldOwners(mapSupergraph(supergraph(types)))).toThrow(message);
  });
});
