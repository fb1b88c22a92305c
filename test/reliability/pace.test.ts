import { expect, test } from 'vitest';
import { openReplicas } from './support/replicas.js';

/** Guards the pace on routes without a quota. */

/**
 * Requests at once, with this many certifications each: in all more than the proxy's burst of a hundred (work-study
 * 4.2).
 */
const REQUESTS = 6;
const IN_EACH = 25;
/** The requests take three seconds, and longer on a busy machine. */
const REQUEST_DEADLINE_MS = '60000';

test('a burst of uncounted routes is paced: the proxy before the service refuses nothing', async () => {
  const replicas = await openReplicas({ CACHE_DIR: 'off', REQUEST_DEADLINE_MS });
  try {
    const { workStudy } = replicas.sandbox;
    workStudy.limitAtProxy(true);
    const replica = await replicas.open();
    const responses = await Promise.all(
      Array.from({ length: REQUESTS }, (_, request) => {
        const fields = Array.from(
          { length: IN_EACH },
          (_, field) => `c${field}: certifications(rncp: "RNCP${1000 + request * IN_EACH + field}") { totalCount }`,
        );
        return replica.send(`{ ${fields.join(' ')} }`);
      }),
    );
    for (const { errors } of responses) expect(errors).toEqual([]);
    expect(workStudy.calls.map(({ status }) => status)).toEqual(Array(REQUESTS * IN_EACH).fill(200));
  } finally {
    await replicas.close();
  }
});
