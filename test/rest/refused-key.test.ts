import { expect, it } from 'vitest';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

/** Guards that a refused key is not sent again and again. */

const MINUTE = 60_000;

/** A service that refuses some keys, and the outcomes of distinct searches that are made one after the other. */
function refusing() {
  const harness = createHarness();
  const refused = new Set(['secret-of-operator']);
  harness.transport.respond = ({ headers }) =>
    refused.has(headers['x-api-key'] ?? '') ? { body: 'Unauthorized', status: 401 } : { body: { good: true } };
  let number = 0;
  const send = async (calls: number, key: string | null = null) => {
    const outcomes: unknown[] = [];
    for (let call = 0; call < calls; call += 1) {
      number += 1;
      const operation = createOperation({ credential: key === null ? null : createKey(key) });
      const pending = harness.toolkit.call(search({ path: `/${number}` }), operation);
      outcomes.push(await pending.catch((error: { code: string }) => error.code));
    }
    return outcomes;
  };
  return { ...harness, refused, send };
}

it('an operator’s key that the service has refused for a minute is sent once a minute', async () => {
  const { send, transport, clock } = refusing();
  expect(await send(5)).toEqual(Array(5).fill('SOURCE_OFF'));
  expect(transport.sent).toHaveLength(5);
  await clock.advance(MINUTE);
  expect(await send(5)).toEqual(Array(5).fill('SOURCE_OFF'));
  expect(transport.sent).toHaveLength(6);
  await clock.advance(MINUTE - 1);
  await send(5);
  expect(transport.sent).toHaveLength(6);
  await clock.advance(1);
  await send(5);
  expect(transport.sent).toHaveLength(7);
});

it('an operator’s key is used again from the first call that it is good for', async () => {
  const { send, refused, clock } = refusing();
  await send(1);
  await clock.advance(MINUTE);
  await send(1);
  refused.clear();
  expect(await send(1)).toEqual(['SOURCE_OFF']);
  await clock.advance(MINUTE);
  expect(await send(3)).toEqual(Array(3).fill({ good: true }));
});

it('a refusal now and then holds nothing back', async () => {
  const { send, refused, transport, clock } = refusing();
  for (let minute = 0; minute < 5; minute += 1) {
    refused.add('secret-of-operator');
    await send(2);
    refused.clear();
    await send(1);
    await clock.advance(MINUTE);
  }
  expect(transport.sent).toHaveLength(15);
});

it('a caller’s own key that was refused is not sent again for a minute, and meets no obstacle in the operator’s', async () => {
  const { send, refused, transport, clock } = refusing();
  refused.add('secret-of-alice');
  // The cache library treats a time of 0 as none.
  await clock.advance(1);
  await Promise.all([send(1), send(1, 'alice')]);
  await clock.advance(MINUTE + 1);
  await send(3);
  expect(await send(5, 'alice')).toEqual(Array(5).fill('CREDENTIALS_REJECTED'));
  expect(await send(2, 'bob')).toEqual([{ good: true }, { good: true }]);
  expect(transport.sent).toHaveLength(2 + 1 + 1 + 2);
  refused.delete('secret-of-alice');
  await clock.advance(MINUTE - 1);
  expect(await send(1, 'alice')).toEqual(['CREDENTIALS_REJECTED']);
  await clock.advance(1);
  expect(await send(2, 'alice')).toEqual([{ good: true }, { good: true }]);
});

it('a proxy that refuses in the name of the service is believed nothing of a caller’s key', async () => {
  const { send, transport } = refusing();
  const { respond } = transport;
  transport.respond = () => ({ body: '<html>Unauthorized</html>', status: 401 });
  expect(await send(1, 'alice')).toEqual(['UPSTREAM_UNAVAILABLE']);
  transport.respond = respond;
  expect(await send(1, 'alice')).toEqual([{ good: true }]);
});

it('what the service says of callers’ own keys changes nothing of what is reported of the operator’s', async () => {
  const { send, refused, toolkit } = refusing();
  const off = { state: 'OFF', detail: "it refuses the operator's key", upstream: 'real' };
  await send(1);
  expect(toolkit.status()).toEqual(off);
  expect(await send(1, 'alice')).toEqual([{ good: true }]);
  expect(toolkit.status()).toEqual(off);
  refused.clear();
  await send(1);
  expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
  refused.add('secret-of-alice');
  expect(await send(1, 'alice')).toEqual(['CREDENTIALS_REJECTED']);
  expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
});
