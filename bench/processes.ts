import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './servers/load.js';
import type { ClockShift, MeterRequest, Usage } from './servers/meter.js';
import type { CallTally, UpstreamsReady, UpstreamsRequest } from './servers/upstreams.js';

/** Output folder of the bench's own servers (`servers/tsconfig.json`): nothing that is measured runs from source. */
const COMPILED = new URL('../node_modules/.cache/bench-servers/bench/servers/', import.meta.url);
// The compiler leaves out what is no TypeScript.
for (const file of ['kernel/json-bounds.js', 'subgraphs/codes/epcis.tsv', 'subgraphs/codes/occupations.tsv'])
  cpSync(new URL(`../${file}`, import.meta.url), new URL(`../../${file}`, COMPILED));

/** The compiled file of one of the bench's servers. */
export function compiled(name: string): string {
  return fileURLToPath(new URL(`${name}.js`, COMPILED));
}

/** A measured process. */
export interface Server {
  /** Its address, without a path. */
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its start until it reported its address. */
  readonly readyMs: number;
  usage(): Promise<Usage>;
  /** Moves its clocks forward. */
  age(shift: ClockShift): Promise<void>;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Node flags, the program and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Sent to a server that reports that it is waiting for it. */
  readonly given?: object;
}

/** Starts a server with the meter loaded; resolves when it has printed `… answers at http://…`. */
export async function startServer({ command, env, cwd, given }: ServerOptions): Promise<Server> {
  const startedMs = performance.now();
  const child = start(['--import', compiled('meter'), ...command], { env, ...(cwd !== undefined && { cwd }) });
  if (given !== undefined) {
    await message(child, 'waiting');
    child.send(given);
  }
  const url = await urlSaid(child);
  const meter = async (message: MeterRequest) => (await exchange<{ usage: Usage }>(child, message, 'usage')).usage;
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedMs,
    usage: () => meter({ meter: 'usage' }),
    age: async (shift) => void (await meter({ meter: 'shift', ...shift })),
    close: () => stop(child),
  };
}

/** The sandbox, as the upstream of all variants. */
export interface Upstreams extends UpstreamsReady {
  /** Number of calls since the last count. */
  calls(): Promise<number>;
  /** The calls since the last count, without starting a new one. */
  tally(): Promise<CallTally>;
  /**
   * Restarts all windows of calls: the export may be fetched twice a minute, and each variant loads it. The
   * volunteering service then allows this many calls per key and minute; without a number, more than any variant makes.
   */
  openWindows(callsPerMinute?: number): Promise<void>;
  /** Delays each response by this long. */
  delay(ms: number): Promise<void>;
  age(shift: ClockShift): Promise<void>;
  close(): Promise<void>;
}

export async function startUpstreams(): Promise<Upstreams> {
  const child = start(['--import', compiled('meter'), compiled('upstreams')], {});
  const ready = await message<UpstreamsReady>(child, 'variables');
  const command = (request: UpstreamsRequest, key: string) => exchange<Record<string, number>>(child, request, key);
  return {
    ...ready,
    calls: async () => (await command({ upstreams: 'count calls' }, 'calls'))['calls'] ?? 0,
    tally: async () => (await exchange<{ tally: CallTally }>(child, { upstreams: 'tally' }, 'tally')).tally,
    openWindows: async (callsPerMinute) => {
      const request = { upstreams: 'open windows', ...(callsPerMinute !== undefined && { callsPerMinute }) } as const;
      await command(request, 'opened');
    },
    delay: async (ms) => void (await command({ upstreams: 'delay', ms }, 'delayed')),
    age: async (shift) => void (await exchange(child, { meter: 'shift', ...shift }, 'usage')),
    close: () => stop(child),
  };
}

/** The process that generates the load. */
export interface Load {
  /** Runs a job. Throws if a response differed in status or length from the others to the same request. */
  run(job: LoadJob): Promise<LoadResult>;
  close(): Promise<void>;
}

export function startLoad(): Load {
  const child = start([compiled('load')], {});
  return {
    async run(job) {
      const { result } = await exchange<{ result: LoadResult }>(child, job, 'result');
      if (result.bad !== null) throw new Error(`An answer under load was wrong: ${result.bad.slice(0, 2000)}`);
      return result;
    },
    close: () => stop(child),
  };
}

function start(command: readonly string[], { env = {}, cwd }: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, command, {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    ...(cwd !== undefined && { cwd }),
  });
  child.once('exit', onEarlyExit);
  return child;
}

function onEarlyExit(this: ChildProcess, code: number | null): void {
  console.error(`A process of the bench ended (${code}): ${this.spawnargs.slice(1).join(' ')}`);
  process.exit(1);
}

async function stop(child: ChildProcess): Promise<void> {
  child.off('exit', onEarlyExit);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function urlSaid({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('A server of the bench does not say where it listens.');
  let said = '';
  for (;;) {
    const [chunk] = (await once(stdout, 'data')) as [Buffer];
    said += chunk.toString();
    const url = /answers at (http:\/\/[^/\s"]+)/.exec(said)?.[1];
    if (url === undefined) continue;
    stdout.resume();
    return url;
  }
}

/** Sends a message, and waits for the reply that has this key. */
async function exchange<T>(child: ChildProcess, request: object, key: string): Promise<T> {
  const coming = message<T>(child, key);
  child.send(request);
  return coming;
}

function message<T>(child: ChildProcess, key: string): Promise<T> {
  return new Promise((resolve) => {
    const listen = (said: unknown) => {
      if (typeof said !== 'object' || said === null || !(key in said)) return;
      child.off('message', listen);
      resolve(said as T);
    };
    child.on('message', listen);
  });
}
