import { describe, expect, it } from 'vitest';
import { isRecord } from '../../kernel/text.js';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

/** A service that cannot read the records in `broken`, and that may be down altogether. */
function breaking() {
  const harness = createHarness({
    dialect: {
      headers: () => ({}),
      mayBeOfRecord: ({ status, json }) => status === 500 && isRecord(json),
    },
  });
  const broken = new Set(['/7']);
  const state = { isDown: false };
  harness.transport.respond = ({ url }) =>
    state.isDown || broken.has(url.pathname) ? { body: { error: 'no' }, status: 500 } : { body: { good: true } };
  const send = (id: string) =>
    harness.toolkit
      .call(search({ path: `/${id}`, template: '/v0/mission/{id}', cache: 'never' }), createOperation())
      .catch((error: unknown) => error);
  return { ...harness, broken, state, send };
}

const BROKEN = {
  code: 'UPSTREAM_INVALID_RESPONSE',
  message: expect.stringContaining('cannot be read at its source'),
};

describe('a record that its service cannot read', () => {
  it('is told apart from an outage once its routes have answered meanwhile, and is never the service’s state', async () => {
    const { send, toolkit, clock, transport } = breaking();
    expect(await send('7')).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await clock.advance(1);
    expect(await send('8')).toEqual({ good: true });
    for (let time = 0; time < 20; time += 1) {
      await clock.advance(1000);
      expect(await send('7')).toMatchObject(BROKEN);
      expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
    }
    expect(transport.sent).toHaveLength(22);
  });

  it('is an outage while nothing else is answered, which ends its calls', async () => {
    const { send, state, toolkit, clock } = breaking();
    state.isDown = true;
    for (let time = 0; time < 6; time += 1) {
      await clock.advance(100);
      expect(await send('7')).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    }
    expect(toolkit.status()).toMatchObject({ state: 'DOWN' });
  });

  it('is forgotten once it is answered', async () => {
    const { send, broken, clock } = breaking();
    await send('7');
    await clock.advance(1);
    await send('8');
    broken.clear();
    expect(await send('7')).toEqual({ good: true });
    broken.add('/7');
    await clock.advance(1);
    expect(await send('7')).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});
