import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const SCRIPT = new URL('../support/noisy-caller.mjs', import.meta.url);

/** What the noisy caller was answered. */
export interface Noise {
  readonly answered: number;
  readonly bytes: number;
}

/** Asks these bodies as often as it can, on so many connections, in a thread of its own, until stopped. */
export function startNoisyCaller(url: string, bodies: readonly string[], connections: number): () => Promise<Noise> {
  const worker = new Worker(SCRIPT, { workerData: { url, bodies, connections }, execArgv: [] });
  const ended = once(worker, 'message') as Promise<[Noise]>;
  return async () => {
    worker.postMessage('stop');
    const [noise] = await ended;
    return noise;
  };
}
