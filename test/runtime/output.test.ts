import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makePipe } from '../program/support/program.js';
import { temporaryFolder } from '../temporary-folder.js';
import { SHORT_LIVED } from '../v8-flags.js';

/** Guards the output of a process that writes faster than anybody reads, or ends at once. */

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a process that writes this many thousand lines of a kilobyte, and ends. */
function write(thousands: number, end: 'exit' | 'throw' | 'return', log: 'pipe' | number) {
  const child = fork(new URL('./support/writing-process.mjs', import.meta.url), [String(thousands), end], {
    execArgv: SHORT_LIVED,
    stdio: ['ignore', log, 'ignore', 'ipc'],
  });
  children.push(child);
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  const figures: { dropped: number; memory: number }[] = [];
  child.on('message', (message) => void figures.push(message as (typeof figures)[0]));
  return { figures, text: () => text, closed: once(child, 'close') };
}

const ALL = Array.from({ length: 1_000 }, (_, index) => String(index));
const numbersOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ')[0]);

describe('The output of a process', () => {
  it.each([
    ['exit', 3],
    ['throw', 1],
    ['return', 0],
  ] as const)('has every line that was accepted, whole and in order, when it ends by %s', async (end, code) => {
    const { text, closed } = write(1, end, 'pipe');
    expect((await closed)[0]).toBe(code);
    expect(numbersOf(text())).toEqual(end === 'throw' ? [...ALL, 'last'] : ALL);
  });

  it('has every line in a file as well', async () => {
    const file = join(temporaryFolder(), 'log');
    expect((await write(1, 'exit', openSync(file, 'a')).closed)[0]).toBe(3);
    expect(numbersOf(readFileSync(file, 'utf8')).sort((one, other) => Number(one) - Number(other))).toEqual(ALL);
  });

  it.each([
    ['a pipe that nobody reads', () => openSync(makePipe(), 'r+')],
    ['a full disk', () => openSync('/dev/full', 'a')],
  ])('holds no more memory after 200 MB than after 20 MB for %s, and lets the process end', async (_name, log) => {
    const { figures, closed } = write(200, 'exit', log());
    expect((await closed)[0]).toBe(3);
    const [first, last] = [figures[1], figures.at(-1)];
    expect(last?.dropped).toBeGreaterThan(198_000);
    const held = (last?.memory ?? Number.NaN) - (first?.memory ?? Number.NaN);
    expect(held).toBeLessThan(0.25 * 180 * 1024 * 1024);
  });
});
