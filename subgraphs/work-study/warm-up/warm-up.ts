import type { SourceStatus } from '../../../kernel/operation.js';
import { type Progress, runWarmUp, type WarmUpOptions } from './run-warm-up.js';

/** Fetches geography ahead of queries. */
export interface WarmUp {
  /** Starts the run, which continues in the background. */
  start(): void;
  /** The source's status, with what is being fetched if anything is. */
  describe(status: SourceStatus): SourceStatus;
  /** Aborts the run. */
  close(): Promise<void>;
}

/**
 * Fetches the lists that most queries need (départements, missions locales), then, one by one, the communes that
 * missions used before. What is still cached from an earlier run costs no call.
 */
export function createWarmUp(options: WarmUpOptions): WarmUp {
  const { used, log } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const progress: Progress = { stage: 'idle', done: 0, of: 0, calls: 0 };
  let running: Promise<void> = Promise.resolve();

  return {
    start() {
      running = runWarmUp(options, progress, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'warm-up failed');
        })
        .finally(() => {
          progress.stage = 'idle';
        });
    },
    describe: (status) => withProgress(status, progress),
    async close() {
      closing.abort();
      await running;
      await used.close();
    },
  };
}

function withProgress(status: SourceStatus, { stage, done, of }: Progress): SourceStatus {
  if (stage === 'idle' || status.state !== 'UP') return status;
  if (stage === 'lists')
    return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
  return { ...status, detail: status.detail ?? `fetching communes that missions use: ${done} of ${of}` };
}
