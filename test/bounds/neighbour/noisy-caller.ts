import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const SCRIPT = new URL('../support/noisy-caller.mjs', import.meta.url);

/** What the noisy caller received. */
export interface Noise {
  readonly answered: number;
  readonly bytes: number;
}

/** What the noisy caller sends, and on how many connections at once. */
export interface Noisy {
  readonly bodies: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
}

/** Sends as often as it can, in its own thread, until stopped. */
export function startNoisyCaller(url: string, noisy: Noisy): () => Promise<Noise> {
  const worker = new Worker(SCRIPT, { workerData: { url, ...noisy }, execArgv: [] });
  const ended = once(worker, 'message') as Promise<[Noise]>;
  return async () => {
    worker.postMessage('stop');
    const [noise] = await ended;
    return noise;
  };
}
