import { describe, expect, it } from 'vitest';
import { createSlots } from '../../subgraphs/rest/resilience/slots.js';
import { settle } from './support/virtual-clock.js';

const { signal } = new AbortController();

describe('places', () => {
  it('go in the order of asking, to people before background work', async () => {
    const slots = createSlots(() => 1);
    const entered: string[] = [];
    const leave: (() => void)[] = [];
    const send = (name: string, background: boolean) =>
      void slots.enter(signal, background).then((left) => {
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
    const leave = await slots.enter(signal, false);
    leave();
    leave();
    await slots.enter(signal, false);
    let both = false;
    void slots.enter(signal, false).then(() => {
      both = true;
    });
    await settle();
    expect(both).toBe(false);
  });

  it('are not waited for by who is gone, before or meanwhile', async () => {
    const slots = createSlots(() => 1);
    await slots.enter(signal, false);
    const controller = new AbortController();
    const waiting = slots.enter(controller.signal, false);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    await expect(slots.enter(controller.signal, false)).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('may become more', async () => {
    let places = 0;
    const slots = createSlots(() => places);
    const entering = slots.enter(signal, false);
    places = 1;
    slots.refresh();
    await expect(entering).resolves.toBeTypeOf('function');
  });
});
