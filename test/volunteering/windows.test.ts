import { afterAll, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const harness = await startHarness(world({ missions: Array.from({ length: 90 }, (_, index) => mission(`m${index}`)) }));
const key = { fingerprint: 'windows', reveal: () => volunteeringKeys.operator };
afterAll(() => harness.close());

it('what was given of a window counts towards the bytes of its cached response, and goes with it', async () => {
  const read = async (field: string) => {
    const { data, errors } = await harness.send(`{ ${field} }`, { key });
    expect(errors).toEqual([]);
    return data.missions;
  };
  const { endCursor } = (await read('missions(first: 30) { pageInfo { endCursor } }')).pageInfo;
  const first = harness.entryBytes();
  await read(`missions(first: 30, after: "${endCursor}") { nodes { id } }`);
  const second = harness.entryBytes();
  expect(second).toBeGreaterThan(first);
  await read(`missions(first: 30, after: "${endCursor}") { pageInfo { endCursor } }`);
  expect([harness.entryBytes() - second, harness.service.calls.length]).toEqual([0, 2]);
  // All start at once, so the second window was read from the first mission on: a walk of such pages has it for its first.
  await read('missions(first: 120) { nodes { id } }');
  expect(harness.entryBytes() - second).toBeGreaterThanOrEqual(90 * 100);
  expect(harness.service.calls.length).toBe(2);
});
