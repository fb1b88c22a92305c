import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { makePipe, type Program, runProgram, startProgram } from './support/program.js';

/** Guards that the log of the shipped program never holds it up, whatever its standard streams lead to. */

const DROPPED = 'passerelle_log_lines_dropped_total';
const AT_ONCE = 100;
/** Times so many requests: more lines than a pipe holds. */
const FEW = 2;
/** More than may wait as well. */
const MANY = 25;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

const open = (path: string, mode: string | number) => openSync(path, mode);
/** Opens a pipe to read it later, or never. */
const openReader = (pipe: string) => open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);

/** Sends requests; returns their statuses, and the figures of the process after them. */
async function load(program: Program, times: number) {
  const statuses = new Set<string>();
  for (let time = 0; time < times; time += 1) {
    for (const status of Object.keys(await program.send(AT_ONCE))) statuses.add(status);
  }
  const [memory = Number.NaN, dropped = Number.NaN] = [
    await program.metric('process_resident_memory_bytes'),
    await program.metric(DROPPED),
  ];
  return { statuses: [...statuses], memory, dropped };
}

describe('The program', () => {
  const expectGoodOrder = ({ code, ms }: Awaited<ReturnType<Program['end']>>) => {
    expect(code).toBe(0);
    // A part that does not close would cost half a minute.
    expect(ms).toBeLessThan(15_000);
  };

  it('whose log and errors go to one pipe drops no line that is read, but what has waited too long, says how many lines are missing once somebody reads again, and ends in good order if nobody does', async () => {
    const pipe = makePipe();
    const socket = new Socket({ fd: openReader(pipe), writable: false });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    const events = () => text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const answered = () => events().filter(({ msg }) => msg === 'request answered').length;
    const writer = open(pipe, 'w');
    const program = await startProgram(['ignore', writer, writer], children);

    const read = await load(program, FEW);
    expect(read).toMatchObject({ statuses: ['200'], dropped: 0 });
    while (answered() < AT_ONCE * FEW) await once(socket, 'data');

    socket.pause();
    const { statuses, memory, dropped } = await load(program, MANY);
    expect(statuses).toEqual(['200']);
    expect(dropped).toBeGreaterThan(0);
    expect(memory).toBeLessThan(1.5 * read.memory);
    socket.resume();
    while (!/log lines are missing.*\n/.test(text)) await once(socket, 'data');
    socket.pause();
    const missing = events().filter(({ msg }) => msg.startsWith('log lines are missing'));
    expect(missing).toMatchObject([{ level: 'warn', lines: dropped }]);
    expect(answered()).toBe(AT_ONCE * (FEW + MANY) - dropped);

    expect((await load(program, FEW)).statuses).toEqual(['200']);
    expectGoodOrder(await program.end());
  });

  it.each<[string, () => number]>([['a pipe that nobody reads', () => open(makePipe(), 'r+')]])(
    'that cannot start says why before it ends, though its log goes to %s',
    async (_name, log) => {
      const errors = open(makePipe(), 'r+');
      expect(await runProgram(['ignore', log(), errors], { PORT: 'none' })).toBe(1);
      const read = Buffer.alloc(1_000);
      const text = read.toString('utf8', 0, readSync(errors, read));
      expect(text).toBe('Invalid configuration:\n  PORT must be a whole number from 0 to 65535\n');
    },
  );
});
