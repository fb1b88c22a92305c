import { describe, expect, test } from 'vitest';
import { countRows } from '../../../subgraphs/work-study/jobs/search.js';

const FOUND = { jobs: Array.from({ length: 600 }, () => null), recruiters: null, warnings: null, truncated: true };

describe('Rows of all searches', () => {
  test('are bounded in one request, and those of another one are not counted for it', () => {
    const [operation, other] = [{ request: {} }, { request: {} }];
    for (let search = 0; search < 166; search += 1) expect(countRows(FOUND, operation).jobs).toHaveLength(600);
    expect(() => countRows(FOUND, operation).jobs).toThrow(expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }));
    expect(countRows(FOUND, other).jobs).toHaveLength(600);
  });

  test('count only where they are selected', () => {
    const operation = { request: {} };
    for (let search = 0; search < 1_000; search += 1) expect(countRows(FOUND, operation).truncated).toBe(true);
    expect(countRows(FOUND, operation).jobs).toHaveLength(600);
  });
});
