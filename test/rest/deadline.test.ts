import { describe, expect, it } from 'vitest';
import type { Transport, WireResponse } from '../../subgraphs/rest/ports/transport.js';
import { createOperation } from './support/operation.js';
import { createHarness, createToolkit, search } from './support/toolkit.js';
import { createVirtualClock } from './support/virtual-clock.js';

describe('time', () => {
  it('is over for an attempt whose response was still being decompressed, whatever it was', async () => {
    const clock = createVirtualClock();
    let respond = (_response: WireResponse) => {};
    const transport: Transport = {
      // A complete response is decompressed in a thread, which closing the socket does not stop.
      send: () =>
        new Promise((resolve) => {
          respond = resolve;
        }),
      open: () => Promise.reject(new Error('Nothing is streamed here.')),
      close: async () => {},
    };
    const toolkit = createToolkit('http://service.test', {}, { clock, transport });
    const call = expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    await clock.advance(10_000);
    respond({ status: 503, headers: {}, body: Buffer.from('{}') });
    await clock.advance(0);
    await call;
    expect(toolkit.rows).toMatchObject([{ row: { sent: 1 } }]);
    expect(clock.pending).toBe(0);
  });

  it('gives a slow route the time that its client requests', async () => {
    const { toolkit, transport, clock } = createHarness();
    const call = toolkit.call(search({ attemptMs: 12_000 }), createOperation());
    await clock.advance(11_999);
    transport.sent[0]?.respond({ late: true });
    expect(await call).toEqual({ late: true });
  });

  it('ends a call when the request’s own time is over, and says so', async () => {
    const { toolkit, transport, clock } = createHarness();
    const operation = createOperation({ remainingMs: () => 3_000 - clock.monotonicMs() });
    const call = expect(toolkit.call(search(), operation)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await clock.advance(3_000);
    await call;
    expect(transport.sent[0]?.closed).toBe(true);
    expect(operation.rows).toMatchObject([{ error: 'DEADLINE_EXCEEDED', sent: 1, status: null }]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['the attempt’s', 25_000, 'UPSTREAM_TIMEOUT'],
    ['the request’s own', 3_000, 'DEADLINE_EXCEEDED'],
  ])('that is over for a write, %s, says that it may have been done', async (_whose, deadlineMs, code) => {
    const { toolkit, clock } = createHarness();
    const operation = createOperation({ remainingMs: () => deadlineMs - clock.monotonicMs() });
    const call = toolkit.call(search({ method: 'POST', cache: 'never', body: {} }), operation);
    const message = 'volunteering did not confirm this write, which may have been done: check before you repeat it.';
    const failed = expect(call).rejects.toMatchObject({ code, message });
    await clock.advance(10_000);
    await failed;
  });

  it('leaves no timer behind after a response', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search(), createOperation());
    expect(clock.pending).toBe(0);
  });
});
