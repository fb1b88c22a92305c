import type { Log } from '../../../kernel/log.js';
import type { OperationContext, SourceStatus } from '../../../kernel/operation.js';
import { type Clock, sleep } from '../../rest/ports/ports.js';
import { type Upstream, unattendedOperation } from '../../rest/upstream.js';
import { readDepartements, readMissionsLocales } from './client.js';

/** What a warm-up reads with. */
interface WarmUpOptions {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause after a failure, doubled after each further one. */
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 10 * 60_000;
/** How long one call may wait for its turn behind callers' requests. */
const CALL_MS = 60_000;

/** A warm-up in the background. */
interface WarmUp {
  /** The source's status, with what is being fetched if anything is. */
  describe(status: SourceStatus): SourceStatus;
  close(): Promise<void>;
}

/**
 * Fetches the lists that most queries need ahead of them: départements, missions locales. What is still cached from an
 * earlier run costs no call.
 */
export function startWarmUp({ upstream, clock, log }: WarmUpOptions): WarmUp {
  const closing = new AbortController();
  const { signal } = closing;
  let isRunning = true;

  async function untilDone(fetch: (operation: OperationContext) => unknown): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        await fetch(unattendedOperation({ purpose: 'warm-up', ms: CALL_MS, signal, background: true }));
        return;
      } catch (error) {
        signal.throwIfAborted();
        log.debug({ err: error }, 'a call of the warm-up failed');
      }
      await sleep(waitMs, clock, signal);
    }
  }

  const running = untilDone((operation) => readDepartements(upstream, operation))
    .then(() => untilDone((operation) => readMissionsLocales(upstream, null, operation)))
    .then(() => log.info({}, 'départements and missions locales are ready'))
    .catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'warm-up failed');
    })
    .finally(() => {
      isRunning = false;
    });
  return {
    describe(status) {
      if (!isRunning || status.state !== 'UP') return status;
      return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
