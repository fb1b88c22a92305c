import { describe, expect, test } from 'vitest';
import { spendRows } from '../../../subgraphs/work-study/jobs/row-budget.js';

describe('Rows of all searches', () => {
  test('are bounded in one request, and those of another one are not counted for it', () => {
    const [operation, other] = [{ request: {} }, { request: {} }];
    for (let search = 0; search < 160; search += 1) spendRows(operation, 600);
    spendRows({ request: operation.request }, 4_000);
    expect(() => spendRows(operation, 1)).toThrow(expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }));
    spendRows(other, 600);
  });
});
