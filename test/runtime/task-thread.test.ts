import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/** Counts its tasks, and ends over the tasks `end` and `throw`. */
const COUNTS = `import { parentPort } from 'node:worker_threads';
  let count = 0;
  parentPort.on('message', (task) => {
    if (task === 'end') process.exit();
    if (task === 'throw') throw new Error('Thrown.');
    count += 1;
    parentPort.postMessage(count);
  });
  parentPort.postMessage('ready');`;

let thread: TaskThread<string, number> | null = null;
afterEach(() => thread?.close());

function start(source: string, idleMs = 60_000) {
  const log = createMemoryLog();
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const started = new TaskThread<string, number>({ script, data: null, heapMb: 64, idleMs, name: 'a test', log });
  thread = started;
  return { started, log };
}

describe('A thread for tasks', () => {
  it('is waited for while it starts', async () => {
    expect(await start(COUNTS).started.run('')).toBe(1);
  });

  it('rejects the task that ended it, and starts again for the next one', async () => {
    const { started } = start(COUNTS);
    await started.run('');
    await expect(started.run('end')).rejects.toThrow('The thread of a test ended.');
    expect(await started.run('')).toBe(1);
  });

  it('ends over one task, and the next thread does the others', async () => {
    const { started } = start(COUNTS);
    await started.run('');
    const [broken, ...others] = await Promise.allSettled(['end', '', ''].map((task) => started.run(task)));
    expect(broken).toMatchObject({ status: 'rejected' });
    expect(others).toEqual([1, 2].map((value) => ({ status: 'fulfilled', value })));
  });

  it('that fails leaves no other behind', async () => {
    const threads = () => readdirSync('/proc/self/task').length;
    const { started } = start(COUNTS);
    await started.run('');
    const before = threads();
    for (let time = 0; time < 5; time += 1)
      await Promise.allSettled(['throw', '', ''].map((task) => started.run(task)));
    expect(threads()).toBeLessThan(before + 5);
  });

  it('that has nothing to do ends, and another does the next task', async () => {
    const { started } = start(COUNTS, 1);
    expect(await Promise.all(['', ''].map((task) => started.run(task)))).toEqual([1, 2]);
    await expect.poll(() => started.run(''), POLLING).toBe(1);
  });

  it('that is closed does no task that waits', async () => {
    const { started } = start(COUNTS);
    const results = Promise.allSettled(['', '', ''].map((task) => started.run(task)));
    await started.close();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('that cannot start is reported, and leaves its tasks to others', async () => {
    const { started, log } = start('throw new Error("broken")');
    expect(await started.run('')).toBeNull();
    expect(log.text()).toContain('the thread of a test failed');
    expect(await started.run('')).toBeNull();
  });
});
