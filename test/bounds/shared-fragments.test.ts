import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../scenarios/stack.js';
import { cacheFigures } from './support/cache-figures.js';
import { freePort } from './support/free-port.js';

/** Guards the bound of programs: a short text has large ones if its operations spread a large fragment many times. */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const OPERATIONS = 4;
const LISTS = 28;
/** Per field, in a program that fetches it and one that answers it from the cache. */
const LEAST_BYTES = 1_500;
const LEAVES = `id clientId title description descriptionHtml type domain activity tasks audience softSkills requirements
  romeSkills tags remote remoteRaw openToMinors reducedMobilityAccessible closeToTransport places schedule duration
  priority metadata startAt endAt postedAt createdAt updatedAt deletedAt lastSyncAt deleted statusCode statusComment
  applicationUrl publisherId publisherName publisherUrl publisherLogo address adresse postalCode city departmentCode
  departmentName region country distance`;

let stack: Stack;
let metricsUrl: string;

beforeAll(async () => {
  const port = String(await freePort());
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  stack = await startStack({ shape: 'in process', env: { METRICS_PORT: port } });
});

afterAll(() => stack?.close());

async function taken(): Promise<{ readonly heapBytes: number; readonly countedBytes: number }> {
  const figures = cacheFigures(await (await fetch(metricsUrl)).text());
  collect();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    countedBytes: figures.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Sends each operation of a document once to plan and compile it, and again to answer it from the cache. */
async function sendAll(name: string): Promise<void> {
  const names = Array.from({ length: OPERATIONS }, (_, index) => `${name}${index}`);
  const lists = Array.from({ length: LISTS }, (_, index) => `list${index}: missions(first: 0) { nodes { ...Whole } }`);
  const query = `${names.map((one) => `query ${one} { ...Lists }`).join(' ')}
    fragment Lists on Query { ${lists.join(' ')} } fragment Whole on Mission { ${LEAVES} }`;
  for (const operationName of [...names, ...names]) {
    const response = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName }),
    });
    const { errors } = (await response.json()) as { errors?: unknown };
    expect([response.status, errors]).toEqual([200, undefined]);
  }
}

test('Operations of one document that spread the same fragments are counted with all that they take once compiled', async () => {
  await sendAll('Warm');
  const before = await taken();
  await sendAll('Counted');
  const after = await taken();
  const countedBytes = after.countedBytes - before.countedBytes;
  // They are stored, and count at least what the programs of each field of each list take.
  expect(countedBytes).toBeGreaterThan(OPERATIONS * LISTS * LEAVES.split(/\s+/).length * LEAST_BYTES);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(countedBytes);
});
