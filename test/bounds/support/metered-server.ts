import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../temporary-folder.js';
import { type CacheFigure, cacheFigures } from './cache-figures.js';
import { freePort } from './free-port.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const PROBE = new URL('probe.mjs', import.meta.url).href;

/** A young generation of fixed size, a collector that can be called, and no more heap than full caches need. */
const FLAGS = [
  ...['--min-semi-space-size=32', '--max-semi-space-size=32', '--max-old-space-size=2688'],
  ...['--expose-gc', '--import', PROBE],
];

/** A server that is unresponsive for this long is killed: it is beyond any limit. */
const GIVEN_UP_MS = 60_000;

/** The highest values since the last reset, in milliseconds and bytes. */
export interface Peaks {
  /** The longest time in which the event loop served nobody else. */
  readonly stallMs: number;
  readonly heapBytes: number;
  /** Bytes of buffers and the like, which are outside the heap. */
  readonly outsideBytes: number;
  readonly residentBytes: number;
}

/** Memory in use after a garbage collection. */
export type Held = Pick<Peaks, 'heapBytes' | 'outsideBytes'>;

/** The built server in a process of its own, with a probe inside. */
export interface MeteredServer {
  readonly url: string;
  /** Milliseconds that the calibrating work takes in that process now: time limits are multiples of this. */
  calibrate(): Promise<number>;
  /** Starts to record pairs of the time and how long the main thread has worked. */
  note(): Promise<void>;
  /** Stops recording, and returns the notes for `workedBetween`. */
  noted(): Promise<readonly number[]>;
  reset(): Promise<void>;
  /** Reads the peaks, once the event loop turns again. */
  read(): Promise<Peaks>;
  /** Upper bound of the memory in use, from a collection of young garbage. */
  sweep(): Promise<Held>;
  /** Upper bound from one full collection: it finds buffers that only the next one frees. */
  collectOnce(): Promise<Held>;
  collect(): Promise<Held>;
  /** The size of each of its caches, from its metrics. */
  caches(): Promise<readonly CacheFigure[]>;
  close(): Promise<void>;
}

/** Of which process, and how, the built server is started. */
export interface Launch {
  /** Further flags for V8. */
  readonly flags?: readonly string[];
  /** The words that say which process it is; none for all in one. */
  readonly role?: readonly string[];
  /** Whether every write to a file fails: of the log, the cache folder and the export. */
  readonly isDiskFull?: boolean;
}

/**
 * Starts the built server; `env` is its whole environment except where it listens. Resolves when startup is complete,
 * which only a log at level info reports. Rejects if it does not start.
 */
export async function startMeteredServer(
  env: Readonly<Record<string, string>>,
  { flags = [], role = [], isDiskFull = false }: Launch = {},
): Promise<MeteredServer> {
  const [metricsPort, port] = [await freePort(), isDiskFull ? await freePort() : 0];
  const folder = isDiskFull ? temporaryFolder() : null;
  const node = [...FLAGS, ...flags];
  const child = fork(MAIN, role, {
    // The limit on the size of a file stands for the disk: no right is needed for it.
    ...(isDiskFull && { execPath: 'prlimit' }),
    execArgv: isDiskFull ? ['--fsize=0', process.execPath, ...node] : node,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      CACHE_DIR: folder ?? 'off',
      ...env,
    },
    stdio: ['ignore', folder === null ? 'pipe' : openSync(join(folder, 'log'), 'w'), 'inherit', 'ipc'],
  });
  const url = isDiskFull ? await onceReady(`http://127.0.0.1:${port}`) : await addressOnceStarted(child);
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
      // An unresponsive server does not react to the signal.
      const last = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(last);
    },
  };
}

type Command = 'calibrate' | 'reset' | 'read' | 'sweep' | 'collectOnce' | 'collect' | 'note' | 'noted';

/** Sends commands to the probe. Rejects if the process ends, or is killed because it is unresponsive. */
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

/** The server's address from its banner, once its log says that startup is complete. */
async function addressOnceStarted({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(chunk);
    const url = /answers at (\S+)\/graphql"/.exec(said)?.[1];
    if (url !== undefined && said.includes('"msg":"startup complete"')) return url;
  }
  throw new Error(`The server did not start: ${said}`);
}

/** The address of a server that can say nothing, once none of its sources is loading. */
async function onceReady(url: string): Promise<string> {
  for (;;) {
    const said = await fetch(`${url}/readyz`).then(
      (response) => response.text(),
      () => 'LOADING',
    );
    if (!said.includes('LOADING')) return url;
    await pause(100);
  }
}
