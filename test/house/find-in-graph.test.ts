import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { findInGraph, readApi } from '../../scripts/docs/api.js';

const SMALL = buildSchema(`
  type Query { shop(id: ID): Shop shops("Kilometres around the point." radius: Float = 20): [Shop] }
  type Shop { "Its number in the register." number: String owner: Person }
  type Person { name: String shop: Shop }
`);

describe('Looking for a word in the graph', () => {
  test('finds fields by name and by description, with every field that leads there', () => {
    expect(findInGraph(SMALL, 'REGISTER')).toEqual([
      'Shop.number: String',
      '  Its number in the register.',
      '  reached by Query.shop, Query.shops, Person.shop',
    ]);
  });

  test('finds arguments, and tells them', () => {
    const shops = ['Query.shops: [Shop]', '  argument radius: Float = 20. Kilometres around the point.'];
    expect(findInGraph(SMALL, 'radius')).toEqual(shops);
    expect(findInGraph(SMALL, 'kilometres')).toEqual(shops);
  });

  test('finds what has all words of a phrase, in any order', () => {
    expect(findInGraph(SMALL, 'point  Shops')[0]).toBe('Query.shops: [Shop]');
    expect(findInGraph(SMALL, 'register shop')[0]).toBe('Shop.number: String');
    expect(findInGraph(SMALL, 'register radius')).toEqual([]);
    expect(findInGraph(SMALL, 'person')).toEqual([
      'Shop.owner: Person',
      '  reached by Query.shop, Query.shops, Person.shop',
    ]);
  });

  test('finds a field by its place in the schema, and no other', () => {
    const number = findInGraph(SMALL, 'register');
    expect(findInGraph(SMALL, 'Shop.number')).toEqual(number);
    expect(findInGraph(SMALL, 'query.SHOPS radius')).toEqual(findInGraph(SMALL, 'radius'));
  });

  test('finds members of inputs and values of enums, with what has them', () => {
    const schema = buildSchema(`
      type Query { shop(filter: Filter): Shop } type Shop { kind: Kind }
      input Filter { "Its number in the register." number: Int kinds: [Kind!] }
      enum Kind { "Sells bread." BAKERY OTHER }
    `);
    const member = ['Filter.number: Int', '  Its number in the register.', '  part of Query.shop(filter:)'];
    for (const phrase of ['REGISTER', 'filter number', 'Filter.number'])
      expect(findInGraph(schema, phrase)).toEqual(member);
    expect(findInGraph(schema, 'bread')).toEqual([
      'Kind.BAKERY',
      '  Sells bread.',
      '  part of Filter.kinds, Shop.kind',
    ]);
  });

  test('finds nothing where there is nothing', () => {
    expect(findInGraph(SMALL, 'siret')).toEqual([]);
  });

  test('leads an analyst to every SIRET of the real graph', () => {
    const found = findInGraph(readApi(), 'SIRET');
    for (const field of [
      'Organization.siret',
      'Workplace.siret',
      'MissionLocale.siret',
      'Company.siret',
      'Query.organisme',
    ]) {
      expect(
        found.some((line) => line.startsWith(`${field}:`)),
        field,
      ).toBe(true);
    }
    expect(found.join('\n')).toMatch(/reached by .*Mission\.organization/);
  });
});
