import { describe, expect, it } from 'vitest';
import { createTurnQueue, type TurnQueue, takeTurnsFor } from '../../../runtime/event-loop/turns.js';

/** Runs this many turns, each with room for one owner. */
function serve(queue: TurnQueue, turns: number): void {
  for (let turn = 0; turn < turns; turn += 1) {
    queue.pass();
    queue.next()?.resume();
  }
}

/** Work that queues another turn in each of its turns. */
function endless(queue: TurnQueue, name: string, served: string[], owner = {}): void {
  const again = () => {
    served.push(name);
    queue.push(owner, again);
  };
  queue.push(owner, again);
}

describe('The queue for turns of the event loop', () => {
  it('The queue for turns of the event loop serves all of one owner in a turn, the last of it first, then others', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    const [one, other] = [{}, {}];
    for (const step of [1, 2]) {
      queue.push(one, () => served.push(`one ${step}`));
      queue.push(other, () => served.push(`other ${step}`));
    }
    queue.pass();
    for (let next = queue.next(); next !== undefined; next = queue.next()) next.resume();
    expect(served).toEqual(['one 2', 'one 1', 'other 2', 'other 1']);
    expect(queue.isEmpty).toBe(true);
  });

  it('The queue for turns of the event loop serves what is last after all other work of its owner, also later work', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    const owner = {};
    queue.pushLast(owner, () => served.push('last'));
    queue.push(owner, () => {
      served.push('one');
      queue.push(owner, () => served.push('later'));
    });
    serve(queue, 3);
    expect([served, queue.isEmpty]).toEqual([['one', 'later', 'last'], true]);
  });

  it('The queue for turns of the event loop goes on with somebody else when the turn of one was too short', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    const [one, other] = [{}, {}];
    for (const step of [1, 2]) {
      queue.push(one, () => served.push(`one ${step}`));
      queue.push(other, () => served.push(`other ${step}`));
    }
    serve(queue, 4);
    expect(served).toEqual(['one 2', 'other 2', 'one 1', 'other 1']);
  });

  it('The queue for turns of the event loop forgets the work of an owner, and serves others in its turn', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    const [one, other] = [{}, {}];
    for (const owner of [one, one, other]) queue.push(owner, () => served.push(owner === one ? 'one' : 'other'));
    queue.drop(one);
    queue.pass();
    for (let next = queue.next(); next !== undefined; next = queue.next()) next.resume();
    expect([served, queue.isEmpty]).toEqual([['other'], true]);
    queue.push(one, () => served.push('again'));
    queue.next()?.resume();
    expect(served).toEqual(['other', 'again']);
  });

  it('lets callers take turns, however many requests one of them has, and goes on with the earliest of each', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    for (const name of ['noisy 1', 'noisy 2', 'noisy 3', 'other']) {
      const owner = {};
      takeTurnsFor(name.startsWith('noisy') ? 'noisy' : 'other', owner);
      endless(queue, name, served, owner);
    }
    serve(queue, 20);
    expect([...new Set(served)].sort()).toEqual(['noisy 1', 'other']);
    expect(served.filter((name) => name === 'other').length).toBe(10);
  });

  it('lets who had few turns wait for one of all who had many, and those not for ever', () => {
    const queue = createTurnQueue(() => true);
    const served: string[] = [];
    for (const name of ['a', 'b', 'c']) endless(queue, name, served);
    serve(queue, 60);
    served.length = 0;
    queue.push({}, () => served.push('new'));
    serve(queue, 2);
    expect(served).toContain('new');
    served.length = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      queue.push({}, () => served.push('new'));
      serve(queue, 1);
    }
    expect(served.filter((name) => name !== 'new').length).toBeGreaterThanOrEqual(9);
  });
});
