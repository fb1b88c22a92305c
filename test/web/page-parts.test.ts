import { describe, expect, test, vi } from 'vitest';
import { formatDuration } from '../../analyst/page/elements/format.js';
import { shown } from '../../analyst/page/request/fetcher.js';
import { markLinked, mayRun, writesOf } from '../../analyst/page/request/linked-writes.js';
import { ERROR_TEXTS, missingParts } from '../../analyst/page/results/error-banner.js';
import { language, textsNow } from '../../analyst/page/state/language.js';
import { type QueryResult, type Results, withResult } from '../../analyst/page/state/query-result.js';
import { readShareFragment, shareFragment } from '../../analyst/page/state/sharing.js';
import { ERRORS } from '../../kernel/errors.js';
import type { Trace } from '../../kernel/trace.js';

describe('A link to a request', () => {
  test.each([
    ['short, with accents', '{ départ: commune(insee: "76540") { nom } } # é « ✓'],
    ['long', `{ commune(insee: "76540") { ${'nom '.repeat(2000)} } }`],
  ])('comes back as it went, %s', (_name, query) => {
    const fragment = shareFragment({ query, variables: '{"é": 1}' });
    expect(fragment).toMatch(/^#[qz]=[\w-]+$/);
    expect(fragment.length).toBeLessThan(2800);
    expect(readShareFragment(fragment)).toEqual({ query, variables: '{"é": 1}' });
  });

  test.each(['', '#', '#q=', '#q=%%', '#q=AAAA', '#z=AAAA', '#x=abc', '#example=a'])(
    'is none when broken: %s',
    (fragment) => {
      expect(readShareFragment(fragment)).toBeNull();
    },
  );

  test.each([
    [1.9, true],
    [2.1, false],
    [32, false],
  ])('is none if it would inflate to more than 2 MB: %d', (megabytes, isRead) => {
    const query = `{ ${' '.repeat(megabytes * 1024 * 1024)} }`;
    expect(readShareFragment(shareFragment({ query, variables: '' })) !== null).toBe(isRead);
  });

  test('with a mutation asks once, naming its fields and the key, whatever was edited meanwhile', () => {
    const stored = new Map<string, string>();
    const localStorage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    };
    vi.stubGlobal('window', { localStorage });
    const asked: string[] = [];
    const answer = (agrees: boolean) => (text: string) => {
      asked.push(text);
      return agrees;
    };
    const linked = 'mutation M { ...F } fragment F on Mutation { cancelJobOffer(id: "1") }';
    expect(writesOf(linked)).toEqual(['cancelJobOffer']);
    expect(writesOf('query Q { a } # mutation')).toEqual([]);
    markLinked('{ missions { totalCount } }');
    markLinked(linked);
    const edited = 'mutation { gone: cancelJobOffer(id: "2") createJobOffer { offerId } }';
    const keys = { 'X-Work-Study-Key': 'secret' };
    expect(mayRun('{ missions { totalCount } }', keys, answer(false))).toBe(true);
    expect(mayRun('mutation { createJobOffer { offerId } }', keys, answer(false))).toBe(true);
    expect(mayRun(edited, keys, answer(false))).toBe(false);
    expect(mayRun(edited, keys, answer(true))).toBe(true);
    expect(mayRun(edited, keys, answer(false))).toBe(true);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/changes data: cancelJobOffer\..*your key for work-study/);
    expect(asked.join()).not.toContain('secret');
    vi.unstubAllGlobals();
  });

  test('carries what was chosen for the rows', () => {
    const shared = {
      query: '{ a }',
      variables: '',
      memory: { view: 'Map', lists: { 'rows[]': { choice: 'order=a' } } },
    };
    expect(readShareFragment(shareFragment(shared))).toEqual(shared);
  });
});

describe('What a response lacks', () => {
  test('is said by source, place and number of rows', () => {
    const extensions = { code: 'RATE_LIMITED', service: 'work-study', retryAfterSeconds: 30 };
    const errors = [0, 1, 1].map((row) => ({
      message: 'Spent.',
      path: ['missions', 'nodes', row, 'commune'],
      extensions,
    }));
    const parts = missingParts([
      ...errors,
      { message: 'Down.', path: ['viewer'], extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'waste-identity' } },
    ]);
    expect(parts.map(textsNow(ERROR_TEXTS).missing)).toEqual([
      'work-study: RATE_LIMITED. 2 rows lack missions.nodes[].commune. Try again in 30 s.',
      'waste-identity: UPSTREAM_UNAVAILABLE. Missing: viewer.',
    ]);
    expect(parts.map(({ message }) => message)).toEqual(['Spent.', 'Down.']);
  });

  test('is explained in French by each code of the gateway', () => {
    language.set('fr');
    for (const code of [...Object.keys(ERRORS), 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']) {
      const [part] = missingParts([{ message: 'In English.', extensions: { code } }]);
      expect(part && textsNow(ERROR_TEXTS).missing(part)).toMatch(
        new RegExp(`^La requête\u202f: ${code}\\. \\p{Lu}[^.]+\\.$`, 'u'),
      );
    }
    language.set('en');
  });

  test('may be a request that could not be read', () => {
    expect(missingParts([{ message: 'Syntax.' }]).map(textsNow(ERROR_TEXTS).missing)).toEqual(['The query: ERROR.']);
  });
});

const MB = 1024 * 1024;

test('Results are 64 MB at most, however many, but always the newest and that of a tab whose pages are read', () => {
  let results: Results = new Map();
  const keep = (tab: string, bytes: number): string[] => {
    results = withResult(results, tab, result(bytes));
    return [...results.keys()];
  };
  for (const tab of ['a', 'b', 'c']) keep(tab, 16 * MB);
  expect(keep('d', 16 * MB)).toEqual(['a', 'b', 'c', 'd']);
  expect(keep('e', 1)).toEqual(['b', 'c', 'd', 'e']);
  expect(keep('b', 80 * MB)).toEqual(['b']);
  results = withResult(results, 'f', result(1), 'b');
  expect([...results.keys()]).toEqual(['b', 'f']);
  expect(keep('g', 1)).toEqual(['f', 'g']);
});

describe('The rest of the panes', () => {
  test('say a time in the unit that it fills', () => {
    expect([0, 59.2, 119, 120, 7199, 7200, 200_000].map(formatDuration)).toEqual([
      '0 s',
      '60 s',
      '119 s',
      '2 min',
      '119 min',
      '2 h',
      '2 days',
    ]);
  });

  test('show the trace with the response on demand alone, and no response that is too large', () => {
    const trace = { requestId: 'r' } as Trace;
    const small = { ...result(10), response: { data: { a: 1 } }, trace };
    expect(shown(small, false)).toEqual({ data: { a: 1 } });
    expect(shown(small, true)).toEqual({ data: { a: 1 }, extensions: { passerelle: trace } });
    expect(shown({ ...small, bytes: 14 * 1024 * 1024 }, true)).toEqual({ note: expect.stringContaining('14.0 MB') });
  });
});

function result(bytes: number): QueryResult {
  return { request: { query: '' }, response: {}, trace: null, status: 200, ms: 1, bytes, receivedAt: new Date(0) };
}
