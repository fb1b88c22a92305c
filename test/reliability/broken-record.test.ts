import { afterAll, beforeAll, expect, test } from 'vitest';
import { offer, storeId } from '../work-study/support/records.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';

const [WELL, BROKEN, MORE] = [storeId(1), storeId(2), storeId(3)];

let replicas: Replicas;
let replica: Replica;
beforeAll(async () => {
  const offers = [
    offer({ id: WELL }),
    offer({ id: BROKEN, offer: { status: 'Suspended' } }),
    offer({ id: MORE, contract: { type: ['Apprentissage'] } }),
  ];
  replicas = await openReplicas({ CACHE_DIR: 'off' }, tinyWorld({ offers }));
  replica = await replicas.open();
});
afterAll(() => replicas.close());

const read = (id: string) => replica.send(`{ jobOffer(id: "${id}") { isDelegated } sources { name state } }`);

test('An offer that work-study cannot read is no outage: who asks is told, and others’ offers and the source stand', async () => {
  expect((await read(BROKEN)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect((await read(WELL)).errors).toEqual([]);
  for (let time = 0; time < 8; time += 1) {
    const { data, errors } = await read(BROKEN);
    expect(data.jobOffer).toBeNull();
    expect(errors).toMatchObject([
      {
        path: ['jobOffer'],
        message: expect.stringContaining('cannot be read at its source'),
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE', service: 'work-study' },
      },
    ]);
    expect(data.sources).toContainEqual({ name: 'work-study', state: 'UP' });
  }
  expect((await read(MORE)).data.jobOffer).toEqual({ isDelegated: false });
  const calls = replicas.sandbox.workStudy.calls.filter(({ url }) => url.includes('/offer/'));
  expect(calls).toHaveLength(1 + 1 + 8 + 1);
});
