import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Log } from '../../kernel/log.js';
import type { Configuration } from '../configuration/configuration.js';
import { requireFreePort } from '../http/server.js';
import type { Metrics } from './metrics.js';
import { listenMetrics } from './metrics-listener.js';

/**
 * `WORKERS=n`: one program on several cores, by Node's `cluster`. The primary process opens no graph: it starts n
 * workers, gives each new connection to the next one, starts a worker again that has ended (at once, then after 1, 2, 4
 * … 30 seconds), and serves their metrics, summed, at one address. Workers are replicas: they share quota, sessions,
 * writes and limits of callers through Redis, and the export through `CACHE_DIR`.
 *
 * SIGTERM and SIGINT close all workers; SIGHUP replaces them one after the other, each once its successor listens, so
 * that a new build or safelist is used without a connection refused. Variables stay those of the primary process.
 */

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that has listened for so long is started again without a pause. */
const GOOD_MS = 60_000;
/** How long a worker may take to answer a question for its metrics. */
const ASK_MS = 2_000;
/** Beyond the time in which a worker closes its parts by itself. */
const CLOSE_MS = 60_000;

type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[];
type Question = 'metrics' | 'sources';
type Ending = 'draining' | 'replaced';

/** What the primary and a worker send each other. */
type Message =
  | { readonly kind: 'ask'; readonly id: number; readonly what: Question }
  | { readonly kind: 'told'; readonly id: number; readonly told: unknown }
  | { readonly kind: 'close'; readonly through: Ending };

/**
 * Starts the workers and keeps them running until a signal; resolves with the URL at which they answer. Rejects if one
 * of them ends before it listens.
 */
export async function superviseWorkers(configuration: Configuration, log: Log): Promise<{ readonly url: string }> {
  const { workers: count, host, port, metricsHost, metricsPort } = configuration;
  await requireFreePort(host, port);
  const figures = createFigures();
  if (metricsPort !== null) await listenMetrics({ metrics: figures, host: metricsHost, port: metricsPort, log });
  const supervisor = new Supervisor(figures, log);
  const url = await supervisor.start(count);
  process.on('SIGTERM', (signal) => supervisor.close(signal));
  process.on('SIGINT', (signal) => supervisor.close(signal));
  process.on('SIGHUP', () => supervisor.replaceAll());
  return { url };
}

class Supervisor {
  readonly #figures: Figures;
  readonly #log: Log;
  #isClosing = false;
  #replacing: Promise<void> = Promise.resolve();

  constructor(figures: Figures, log: Log) {
    this.#figures = figures;
    this.#log = log;
  }

  async start(count: number): Promise<string> {
    const workers = Array.from({ length: count }, (_, at) => startWorker(at + 1));
    try {
      const [first = { address: '', port: 0 }] = await Promise.all(workers.map(listening));
      for (const worker of workers) this.#keep(worker, 0);
      return urlOf(first);
    } catch (error) {
      for (const worker of workers) worker.process.kill('SIGKILL');
      throw error;
    }
  }

  /** Starts a worker again when it ends by itself. `pauseMs` passed before it was started. */
  #keep(worker: Worker, pauseMs: number): void {
    const number = NUMBERS.get(worker) ?? 0;
    const sinceMs = performance.now();
    worker.once('exit', (code, signal) => {
      this.#figures.left(worker);
      if (this.#isClosing || REPLACED.has(worker)) return;
      const isGood = performance.now() - sinceMs > GOOD_MS;
      const nextMs = isGood ? 0 : Math.min(LONGEST_PAUSE_MS, 2 * pauseMs || FIRST_PAUSE_MS);
      this.#log.error(
        { worker: number, code, signal, pauseMs: nextMs },
        'a worker ended by itself: it is started again',
      );
      setTimeout(() => this.#isClosing || this.#keep(startWorker(number), nextMs), nextMs);
    });
  }

  close(signal: NodeJS.Signals): void {
    if (this.#isClosing) process.exit(1);
    this.#isClosing = true;
    const workers = workersNow();
    this.#log.info({ signal, workers: workers.length }, 'closing');
    Promise.all(workers.map((worker) => end(worker, 'draining'))).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }

  /** Replaces all workers, each once its successor listens. Stops at the first successor that does not start. */
  replaceAll(): void {
    const replace = async () => {
      for (const worker of workersNow()) if (!this.#isClosing) await this.#replace(worker);
    };
    this.#replacing = this.#replacing
      .then(replace)
      .catch((error) => this.#log.error({ err: error }, 'a worker was not replaced: its successor did not start'));
  }

  async #replace(worker: Worker): Promise<void> {
    const number = NUMBERS.get(worker) ?? 0;
    const successor = startWorker(number);
    await listening(successor);
    this.#keep(successor, 0);
    REPLACED.add(worker);
    await this.#figures.readLast(worker);
    await end(worker, 'replaced');
    this.#log.info({ worker: number }, 'a worker was replaced');
  }
}

/** Where a listener can be reached from this machine. */
function urlOf({ address, port }: { readonly address: string; readonly port: number }): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (address.includes(':') ? `[${address}]` : address);
  return `http://${name}:${port}`;
}

const NUMBERS = new WeakMap<Worker, number>();
const REPLACED = new WeakSet<Worker>();

const workersNow = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

function startWorker(number: number): Worker {
  const worker = cluster.fork({ [NUMBER]: String(number) });
  NUMBERS.set(worker, number);
  return worker;
}

/** The address of a worker once it listens; rejects if it ends before. */
async function listening(worker: Worker): Promise<{ readonly address: string; readonly port: number }> {
  const ended = once(worker, 'exit').then(([code]) => {
    const message = `A worker ended with ${code} before it listened: its own lines say why.`;
    throw Object.assign(new Error(message), { code: 'WORKER_ENDED' });
  });
  const [address] = await Promise.race([once(worker, 'listening'), ended]);
  return address;
}

async function end(worker: Worker, through: Ending): Promise<void> {
  if (worker.isDead()) return;
  const exit = once(worker, 'exit');
  tell(worker, { kind: 'close', through });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), CLOSE_MS);
  await exit;
  clearTimeout(timer);
}

function tell(worker: Worker, message: Message): void {
  // A worker that is ending may no longer be told anything.
  if (worker.isConnected()) worker.send(message, () => {});
}

type Figures = ReturnType<typeof createFigures>;

/** The figures of all workers as one: counters never fall, although a worker's own begin at zero. */
function createFigures() {
  const latest = new Map<Worker, Snapshot>();
  let gone: Snapshot = [];
  let questions = 0;
  const waiting = new Map<number, (told: unknown) => void>();
  cluster.on('message', (_worker, message: Message) => {
    if (message.kind === 'told') waiting.get(message.id)?.(message.told);
  });

  /** Null from a worker that does not answer in time. */
  function ask(worker: Worker, what: Question): Promise<unknown> {
    const id = questions++;
    return new Promise((resolve) => {
      const settle = (told: unknown) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(told);
      };
      const timer = setTimeout(settle, ASK_MS, null);
      waiting.set(id, settle);
      tell(worker, { kind: 'ask', id, what });
    });
  }

  async function readLast(worker: Worker): Promise<void> {
    const told = (await ask(worker, 'metrics')) as Snapshot | null;
    if (told !== null) latest.set(worker, told);
  }

  return {
    contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE,
    readLast,
    /** Keeps what a worker has counted. Its gauges go with it. */
    left(worker: Worker): void {
      const counted = (latest.get(worker) ?? []).filter(({ type }) => COUNTING.has(String(type)));
      latest.delete(worker);
      gone = sum([gone, counted]);
    },
    async text(): Promise<string> {
      const workers = workersNow().filter((worker) => worker.isConnected());
      await Promise.all(workers.map(readLast));
      return AggregatorRegistry.aggregate([...latest.values(), gone]).metrics();
    },
    async sources(): Promise<object> {
      const [worker] = workersNow();
      return ((worker && (await ask(worker, 'sources'))) ?? {}) as object;
    },
  };
}

const COUNTING = new Set(['counter', 'histogram']);

/** One snapshot with the sums of several. */
function sum(snapshots: readonly Snapshot[]): Snapshot {
  const registry = AggregatorRegistry.aggregate([...snapshots]);
  // The library's type lacks the values, which the metrics of an aggregate have beside their names.
  return registry.getMetricsAsArray().map((metric) => ({ ...metric })) as unknown as Snapshot;
}

const NUMBER = 'WORKER_NUMBER';

/** The number of this process among the workers; null if it is none. */
export function workerNumber(): number | null {
  // biome-ignore lint/style/noProcessEnv: the primary tells each worker its number there.
  return cluster.isWorker ? Number(process.env[NUMBER]) : null;
}

/** Answers the primary's questions, and closes when it says so or has gone. */
export function obeyPrimary(metrics: Metrics | null, close: (through: Ending) => Promise<void>): void {
  const end = (through: Ending): void => {
    close(through).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const tell = (id: number, told: unknown) =>
    process.send?.({ kind: 'told', id, told } satisfies Message, undefined, undefined, () => {});
  process.on('disconnect', () => end('replaced'));
  process.on('message', (message: Message) => {
    if (message.kind === 'close') end(message.through);
    if (message.kind !== 'ask') return;
    const asked = (message.what === 'metrics' ? metrics?.snapshot() : metrics?.sources()) ?? Promise.resolve(null);
    asked.then(
      (told) => tell(message.id, told),
      () => tell(message.id, null),
    );
  });
}
