import { describe, expect, it } from 'vitest';
import { createSlots } from '../../subgraphs/rest/quota/fair-queue.js';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';

const { signal } = new AbortController();
const somebody = { caller: 'somebody', request: {}, signal };

describe('places', () => {
  it('go in the order of asking, to people before background work', async () => {
    const slots = createSlots(() => 1);
    const entered: string[] = [];
    const leave: (() => void)[] = [];
    const send = (name: string, background: boolean) =>
      void slots.enter(somebody, background).then((left) => {
        entered.push(name);
        leave.push(left);
      });
    send('first', true);
    send('warming', true);
    send('a person', false);
    send('another', false);
    for (let n = 0; n < 4; n += 1) {
      await settle();
      leave[n]?.();
    }
    expect(entered).toEqual(['first', 'a person', 'another', 'warming']);
  });

  it('are given back once, however often it is said', async () => {
    const slots = createSlots(() => 1);
    const leave = await slots.enter(somebody, false);
    leave();
    leave();
    await slots.enter(somebody, false);
    let both = false;
    void slots.enter(somebody, false).then(() => {
      both = true;
    });
    await settle();
    expect(both).toBe(false);
  });

  it('are not waited for by who is gone, before or meanwhile', async () => {
    const slots = createSlots(() => 1);
    await slots.enter(somebody, false);
    const controller = new AbortController();
    const waiting = slots.enter({ ...somebody, signal: controller.signal }, false);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    await expect(slots.enter({ ...somebody, signal: controller.signal }, false)).rejects.toMatchObject({
      kind: 'aborted',
    });
  });

  it('may become more', async () => {
    let places = 0;
    const slots = createSlots(() => places);
    const entering = slots.enter(somebody, false);
    places = 1;
    slots.refresh();
    await expect(entering).resolves.toBeTypeOf('function');
  });

  it('are thirty-two on the wire, and the next call goes as soon as one of them has its response', async () => {
    const { toolkit, transport, clock } = createHarness();
    for (let n = 0; n < 40; n += 1) void toolkit.call(search({ path: `/${n}` }), createOperation()).catch(() => {});
    await clock.advance(0);
    expect(transport.sent).toHaveLength(32);
    transport.sent[7]?.respond({});
    await clock.advance(0);
    expect(transport.sent.at(-1)?.request.url.pathname).toBe('/32');
  });
});
