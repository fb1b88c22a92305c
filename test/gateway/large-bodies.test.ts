import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createBodyReader, KEYED_BODY_BYTES } from '../../runtime/http/parameters.js';

/** Guards the total size of large bodies in memory at once, from all callers. */

it('refuses a large body while others fill the memory for them, with a code that says so', async () => {
  const read = createBodyReader();
  const headers = { 'x-work-study-key': 'k', 'content-type': 'application/json' };
  const chunk = Buffer.alloc(KEYED_BODY_BYTES, ' ');
  const sent = Array.from({ length: 44 }, () => new Readable({ read() {} }));
  const bodies = sent.map((body) => read(headers, body));
  for (const body of sent) body.push(chunk);
  await expect(Promise.race(bodies)).rejects.toMatchObject({
    status: 503,
    code: 'GATEWAY_UNAVAILABLE',
    headers: { 'retry-after': '5' },
  });
  for (const body of sent) body.destroy(new Error('left'));
  await Promise.allSettled(bodies);
});
