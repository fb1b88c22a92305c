import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type CacheFigure, cacheFigures } from './cache-figures.js';
import { freePort } from './free-port.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const PROBE = new URL('probe.mjs', import.meta.url).href;

/** With a young generation of one size, a collector that can be called, and no more heap than full caches need. */
const FLAGS = [
  ...['--min-semi-space-size=32', '--max-semi-space-size=32', '--max-old-space-size=2688'],
  ...['--expose-gc', '--import', PROBE],
];

/** A server that stands still for so long is given up: whatever the limit, this is beyond it. */
const GIVEN_UP_MS = 60_000;

/** What was seen since the last reset: the highest of each, milliseconds and bytes. */
export interface Peaks {
  /** The longest time in which the event loop served nobody else. */
  readonly stallMs: number;
  readonly heapBytes: number;
  /** Of buffers and the like, which lie beside the heap. */
  readonly outsideBytes: number;
  readonly residentBytes: number;
}

/** What is held once garbage is gone. */
export type Held = Pick<Peaks, 'heapBytes' | 'outsideBytes'>;

/** The built server in a process of its own, with a probe in it. */
export interface MeteredServer {
  readonly url: string;
  /** Milliseconds that the calibrating work takes in that process now: limits of time are multiples of it. */
  calibrate(): Promise<number>;
  /** Begins to note when its main thread had worked for how long. */
  note(): Promise<void>;
  /** Ends that. The notes are for `workedBetween`. */
  noted(): Promise<readonly number[]>;
  reset(): Promise<void>;
  /** Waits until the event loop turns again. */
  read(): Promise<Peaks>;
  /** What is held without young garbage, at most. */
  sweep(): Promise<Held>;
  /** What is held without garbage, at most: buffers that it finds are given back by the next. */
  collectOnce(): Promise<Held>;
  collect(): Promise<Held>;
  /** What each of its caches takes, as its metrics say. */
  caches(): Promise<readonly CacheFigure[]>;
  close(): Promise<void>;
}

/**
 * Starts the built server; `env` is all of its environment but where it listens. Resolves when its start is over, which
 * only a log of level info tells. Rejects when it does not start. `flags` are further ones of V8.
 */
export async function startMeteredServer(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<MeteredServer> {
  const metricsPort = await freePort();
  const child = fork(MAIN, [], {
    execArgv: [...FLAGS, ...flags],
    env: { PATH: process.env['PATH'], PORT: '0', METRICS_PORT: String(metricsPort), CACHE_DIR: 'off', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await addressOnceStarted(child);
  child.stdout?.resume();
  const command = createLine(child);
  return {
    url,
    calibrate: () => command('calibrate'),
    note: () => command('note'),
    noted: () => command('noted'),
    reset: () => command('reset'),
    read: () => command('read'),
    sweep: () => command('sweep'),
    collectOnce: () => command('collectOnce'),
    collect: () => command('collect'),
    caches: async () => cacheFigures(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      // One that stands still hears nothing.
      const last = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(last);
    },
  };
}

type Command = 'calibrate' | 'reset' | 'read' | 'sweep' | 'collectOnce' | 'collect' | 'note' | 'noted';

/** Asks the probe, one query after the other. Rejects when the process is gone or stands still for good. */
function createLine(child: ChildProcess): <T>(command: Command) => Promise<T> {
  const waiting = new Map<number, { resolve(response: unknown): void; reject(why: Error): void }>();
  let nextId = 0;
  child.on('message', ({ id, response }: { id: number; response: unknown }) => {
    waiting.get(id)?.resolve(response);
    waiting.delete(id);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended: ${signal ?? code}.`));
  });
  return <T>(command: Command) =>
    new Promise<T>((resolve, reject) => {
      const id = nextId++;
      const standsStill = setTimeout(() => child.kill('SIGKILL'), GIVEN_UP_MS);
      const settled =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          clearTimeout(standsStill);
          settle(value);
        };
      waiting.set(id, { resolve: settled(resolve as (response: unknown) => void), reject: settled(reject) });
      child.send({ id, command }, (error) => error && reject(error));
    });
}

/** Where the server answers, as its banner says, once its log says that no work of the start is left. */
async function addressOnceStarted({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    const url = /answers at (\S+)\/graphql\n/.exec(said)?.[1];
    if (url !== undefined && said.includes('"msg":"startup complete"')) return url;
  }
  throw new Error(`The server did not start: ${said}`);
}
