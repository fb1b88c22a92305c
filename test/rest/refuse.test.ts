import { describe, expect, it } from 'vitest';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

describe('refusing', () => {
  it('answers SOURCE_OFF for a source that is off, without a call', async () => {
    const { toolkit, transport } = createHarness({ mode: 'off' });
    const operation = createOperation();
    await expect(toolkit.call(search(), operation)).rejects.toMatchObject({ code: 'SOURCE_OFF' });
    expect(transport.sent).toHaveLength(0);
    expect(operation.rows).toMatchObject([{ sent: 0, status: null, error: 'SOURCE_OFF' }]);
    expect(toolkit.status()).toEqual({ state: 'OFF', upstream: 'off' });
  });

  it('needs the operator’s key for what all callers share, and some key for the rest', async () => {
    const { toolkit } = createHarness({ operatorKey: null });
    const call = toolkit.call(
      search({ key: 'operator', cache: 'reference' }),
      createOperation({ credential: createKey('alice') }),
    );
    await expect(call).rejects.toMatchObject({ code: 'SOURCE_OFF' });
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'CREDENTIALS_REQUIRED' });
  });

  it('sends no key where none belongs', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search({ key: 'none', cache: 'never' }), createOperation({ credential: createKey('alice') }));
    expect(transport.sent[0]?.request.headers).not.toHaveProperty('x-api-key');
  });

  it('lets no id lead to another route', async () => {
    const { toolkit, transport } = createHarness();
    for (const id of ['.', '..']) {
      const call = toolkit.call(search({ path: `/v0/mission/${id}` }), createOperation());
      await expect(call).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(transport.sent).toHaveLength(0);
  });

  it('makes no address that is too long or holds what no text holds', async () => {
    const { toolkit, transport } = createHarness();
    for (const value of ['x'.repeat(8192), '東'.repeat(1000), '\ud800', 'a\u0000']) {
      const call = toolkit.call(search({ query: [['city', value]] }), createOperation());
      await expect(call).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(transport.sent).toHaveLength(0);
    transport.respond = () => ({ body: {} });
    await toolkit.call(search({ query: [['city', 'x'.repeat(8192 - '?city='.length)]] }), createOperation());
    expect(transport.sent).toHaveLength(1);
  });

  it('makes no call for a caller who is gone or whose time is over', async () => {
    const { toolkit, transport } = createHarness();
    const gone = createOperation();
    gone.leave();
    await expect(toolkit.call(search(), gone)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    const late = createOperation({ remainingMs: () => 0 });
    await expect(toolkit.call(search(), late)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(transport.sent).toHaveLength(0);
  });
});
