import { describe, expect, test } from 'vitest';
import { rowsOf, searchResultOf } from '../../../subgraphs/work-study/jobs/search.js';
import { JobSearch } from '../../../subgraphs/work-study/jobs/shapes.js';

const ORIGIN = { service: 'work-study', drift: () => {} } as const;
const jobs = Array.from({ length: 600 }, (_, id) => ({ identifier: { id: String(id), partner_label: 'Hellowork' } }));
const FOUND = JobSearch.view({ jobs, recruiters: [], warnings: [] }, ORIGIN);
const found = (operation: { readonly request: object }) => searchResultOf(FOUND, [], rowsOf(operation));

describe('Rows of all searches', () => {
  test('are bounded in one request, and those of another one are not counted for it', () => {
    const [operation, other] = [{ request: {} }, { request: {} }];
    for (let search = 0; search < 166; search += 1) expect(found(operation).jobs).toHaveLength(600);
    expect(() => found(operation).jobs).toThrow(expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }));
    expect(found(other).jobs).toHaveLength(600);
  });

  test('count only where they are selected', () => {
    const operation = { request: {} };
    for (let search = 0; search < 1_000; search += 1) expect(found(operation).truncated).toBe(true);
    expect(found(operation).jobs).toHaveLength(600);
  });
});
