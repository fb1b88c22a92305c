import { expect, it } from 'vitest';
import { LARGEST_PAGE as COUNTED_PAGE } from '../../gateway/limits/operation-cost.js';
import { MAXIMUM_MISSIONS } from '../../subgraphs/volunteering/missions/client.js';
import { MAXIMUM_ORGANIZATIONS } from '../../subgraphs/volunteering/organizations/client.js';
import { LARGEST_PAGE } from '../../subgraphs/work-study/lists/paged.js';

/** Guards that the cost limit knows the largest page of every source. */

it('the cost of an operation counts no page smaller than the largest of any source', () => {
  expect(COUNTED_PAGE).toBe(Math.max(MAXIMUM_MISSIONS, MAXIMUM_ORGANIZATIONS, LARGEST_PAGE));
});
