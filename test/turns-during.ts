import { setImmediate } from 'node:timers/promises';

/** Counts the turns of the event loop that work leaves to others. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = async () => {
    while (!isOver) {
      await setImmediate();
      turns += 1;
    }
  };
  const counting = count();
  await work();
  isOver = true;
  await counting;
  return turns;
}
