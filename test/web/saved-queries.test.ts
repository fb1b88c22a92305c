import { describe, expect, test } from 'vitest';
import {
  MAX_SAVED,
  mergeSaved,
  readSavedFile,
  readSavedQuery,
  type SavedQuery,
  withFolderMoved,
  withQuery,
  writeSavedFile,
} from '../../analyst/page/saved/saved-query.js';

/** A saved query with these properties, the others by default. */
function saved(part: Partial<SavedQuery> & { name: string }): SavedQuery {
  const query = readSavedQuery({ query: '{ communes { nom } }', variables: '{"n":1}', ...part });
  if (query === null) throw new Error('No saved query.');
  return query;
}

describe('Saved queries', () => {
  test('go into a file and come back with view, list, filters and order', () => {
    const memory = {
      view: 'Map',
      list: 'communes',
      lists: {
        communes: {
          hidesUniform: true,
          colour: 'nom',
          position: '',
          frame: { x: 310.5, y: 120.25, width: 40 },
          counting: null,
          widths: {},
          hiddenLayers: [],
          choice: 'where=nom%3Ahas%3Aen&order=-nom',
        },
      },
    };
    const queries = [saved({ name: 'Rouen', folder: 'Normandie', operationName: 'B', memory })];
    expect(readSavedFile(writeSavedFile(queries))).toEqual({ queries, unreadable: 0 });
    expect(queries[0]?.memory).toEqual(memory);
  });

  test('hold nothing but query, variables, operation and view, whatever a file says', () => {
    const headers = { authorization: 'Bearer secret', 'x-work-study-key': 'secret' };
    const read = readSavedQuery({
      name: 'A',
      query: '{ a }',
      headers,
      key: 'secret',
      memory: { headers, view: 'Map' },
    });
    expect(Object.keys(read ?? {}).sort()).toEqual(['folder', 'memory', 'name', 'operationName', 'query', 'variables']);
    expect(JSON.stringify(read)).not.toContain('secret');
  });

  test.each([
    [null],
    ['text'],
    [{ name: 'A' }],
    [{ name: '', query: '{ a }' }],
    [{ name: ' A', query: '{ a }' }],
    [{ name: 'A'.repeat(101), query: '{ a }' }],
    [{ name: 'A', query: ' ' }],
    [{ name: 'A', query: '{ a }', variables: {} }],
    [{ name: 'A', query: '{ a }', folder: 1 }],
    [{ name: 'A', query: '{ a }', operationName: 1 }],
  ])('are not %j', (value) => {
    expect(readSavedQuery(value)).toBeNull();
  });

  test.each(['', 'null', '[]', '{"queries":[]}', '{"format":"passerelle-saved-queries","version":2,"queries":[]}'])(
    'are not in a file of %j',
    (text) => {
      expect(readSavedFile(text)).toBeNull();
    },
  );

  test('of a file are merged: none is replaced, none comes twice, and the report names all', () => {
    const mine = [saved({ name: 'A' }), saved({ name: 'B' }), saved({ name: 'B (2)' })];
    const text = JSON.stringify({
      format: 'passerelle-saved-queries',
      version: 1,
      queries: [saved({ name: 'A' }), saved({ name: 'B', query: '{ b }' }), saved({ name: 'C' }), 'no query'],
    });
    const { queries, report } = mergeSaved(mine, readSavedFile(text) ?? { queries: [], unreadable: 0 });
    expect(queries.map(({ name }) => name)).toEqual(['A', 'B', 'B (2)', 'B (3)', 'C']);
    expect(queries[1]).toEqual(mine[1]);
    expect(report).toEqual({ taken: ['C'], renamed: [['B', 'B (3)']], same: ['A'], noRoom: [], unreadable: 1 });
  });

  test('have a bound on their number and on their size, also in a file', () => {
    const many = Array.from({ length: MAX_SAVED + 3 }, (_, index) => saved({ name: `${index}` }));
    const counted = mergeSaved([], { queries: many, unreadable: 0 });
    expect(counted.queries).toHaveLength(MAX_SAVED);
    expect(counted.report.noRoom).toHaveLength(3);
    const large = Array.from({ length: 5 }, (_, index) => saved({ name: `${index}`, query: 'x'.repeat(600_000) }));
    expect(mergeSaved([], { queries: large, unreadable: 0 }).report.noRoom).toEqual(['3', '4']);
  });

  test('of a folder move together; a name that is taken there gets a number', () => {
    const queries = [saved({ name: 'A', folder: 'x' }), saved({ name: 'B', folder: 'x' }), saved({ name: 'A' })];
    expect(withFolderMoved(queries, 'x', '').map(({ folder, name }) => `${folder}/${name}`)).toEqual([
      '/A',
      '/A (2)',
      '/B',
    ]);
    expect(withQuery(queries, saved({ name: 'A', folder: 'x', query: '{ new }' }))).toHaveLength(3);
  });
});
