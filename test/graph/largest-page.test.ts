import { expect, it } from 'vitest';
import { LARGEST_PAGE as COUNTED_PAGE } from '../../gateway/limits/operation-limits.js';
import { MAX_MISSIONS } from '../../subgraphs/volunteering/missions/client.js';
import { MAX_ORGANIZATIONS } from '../../subgraphs/volunteering/organizations/client.js';
import { MAX_PAGE_SIZE } from '../../subgraphs/work-study/values/calls.js';

/** Guards that the cost limit knows the largest page of every source. */

it('the cost of an operation counts no page smaller than the largest of any source', () => {
  expect(COUNTED_PAGE).toBe(Math.max(MAX_MISSIONS, MAX_ORGANIZATIONS, MAX_PAGE_SIZE));
});
