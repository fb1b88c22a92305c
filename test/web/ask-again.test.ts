import { describe, expect, test } from 'vitest';
import { mergeMissing, missingQuery } from '../../analyst/page/results/missing.js';

const at = (...path: (string | number)[]) => ({ message: 'No.', path });

/** The query for what is missing at some paths, on one line. */
function missing(query: string, errors: ReturnType<typeof at>[], rest: object = {}): string | undefined {
  return missingQuery({ query, ...rest }, errors)?.query.replaceAll(/\s+/g, ' ');
}

describe('The request for what is missing', () => {
  const QUERY = `query Q($n: Int, $r: Float) {
    missions(first: $n) { totalCount nodes { id title commune { nom code { insee } } organization { title } } }
    commune(insee: "76540") { nom missions(radius: $r) { totalCount } }
  }`;

  test('has the missing fields, the plain values beside them, and the variables that they use', () => {
    const request = missingQuery({ query: QUERY, variables: { n: 2, r: 5 } }, [
      at('missions', 'nodes', 0, 'commune'),
      at('missions', 'nodes', 1, 'commune'),
    ]);
    expect(request?.query.replaceAll(/\s+/g, ' ')).toBe(
      'query Q($n: Int) { missions(first: $n) { totalCount nodes { id title commune { nom code { insee } } } } }',
    );
    expect(request).toMatchObject({ variables: { n: 2 }, operationName: 'Q' });
  });

  test('has a missing root field as it is, and only that', () => {
    expect(missing(QUERY, [at('commune')])).toBe(
      'query Q($r: Float) { commune(insee: "76540") { nom missions(radius: $r) { totalCount } } }',
    );
  });

  test('follows aliases and fragments, and keeps the fragments that it needs', () => {
    const query = `{ a: mission(id: "1") { ...M } b: mission(id: "2") { ...M } }
      fragment M on Mission { id link: commune { ...C } organization { title } }
      fragment C on Commune { nom }`;
    expect(missing(query, [at('b', 'link')])).toBe(
      '{ b: mission(id: "2") { ... on Mission { id link: commune { ...C } } } } fragment C on Commune { nom }',
    );
  });

  test('is the operation that ran, of several', () => {
    const query = 'query A { a: regions { nom } } query B { b: regions { nom } c: regions { nom } }';
    expect(missing(query, [at('b')], { operationName: 'B' })).toBe('query B { b: regions { nom } }');
  });

  test.each<[string, string, ReturnType<typeof at>[]]>([
    ['everything is missing', '{ a { b } }', [at('a')]],
    ['an error does not say where', '{ a { b } c }', [at('a'), at()]],
    ['nothing is missing', '{ a c }', []],
    ['the query does not have it', '{ a c }', [at('x')]],
    ['it is a mutation', 'mutation { a c }', [at('a')]],
  ])('is the whole where %s', (_why, query, errors) => {
    expect(missingQuery({ query }, errors)).toBeNull();
  });
});

describe('What was missing is put into the data', () => {
  test('of the same rows; what is there already stays', () => {
    const before = {
      count: 2,
      rows: [
        { id: 1, c: { n: 'A' }, o: 'x' },
        { id: 2, c: null, o: 'y' },
      ],
      other: { z: 1 },
    };
    const fresh = {
      count: 3,
      rows: [
        { id: 1, c: null },
        { id: 2, c: { n: 'B' } },
      ],
    };
    expect(mergeMissing(before, fresh)).toEqual({
      count: 2,
      rows: [
        { id: 1, c: { n: 'A' }, o: 'x' },
        { id: 2, c: { n: 'B' }, o: 'y' },
      ],
      other: { z: 1 },
    });
  });

  test('of edges, told by what their nodes have', () => {
    const before = { edges: [{ node: { id: 1, c: null } }] };
    expect(mergeMissing(before, { edges: [{ node: { id: 1, c: 'A' } }] })).toEqual({
      edges: [{ node: { id: 1, c: 'A' } }],
    });
  });

  test.each([
    ['other rows', [{ id: 2, c: 'B' }]],
    [
      'more rows',
      [
        { id: 1, c: 'A' },
        { id: 2, c: 'B' },
      ],
    ],
    ['rows that nothing tells apart', [{ c: 'A' }]],
  ])('of no %s', (_what, rows) => {
    expect(mergeMissing({ rows: [{ id: 1, c: null }] }, { rows })).toBeNull();
  });
});
