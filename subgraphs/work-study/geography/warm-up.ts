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

/**
 * Fetches the lists that most queries need ahead of them: départements, missions locales. What is still cached from an
 * earlier run, as communes are, costs no call.
 */
export class WarmUp {
  readonly #options: WarmUpOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  /** Calls sent so far. */
  #calls = 0;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  /** Starts the run, which continues in the background. */
  start(): void {
    const { log } = this.#options;
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) log.error({ err: error }, 'warm-up failed');
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** The source's status, with what is being fetched if anything is. */
  describe(status: SourceStatus): SourceStatus {
    if (this.#running === null || status.state !== 'UP') return status;
    return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
  }

  /** Aborts the run. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** When it is closed, it ends and rejects with the signal's reason. */
  async #run(): Promise<void> {
    const { upstream, log } = this.#options;
    await this.#untilDone((operation) => readDepartements(upstream, operation));
    await this.#untilDone((operation) => readMissionsLocales(upstream, null, operation));
    log.info({ calls: this.#calls }, 'départements and missions locales are ready');
  }

  async #untilDone(fetch: (operation: OperationContext) => unknown): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    const onCall = ({ sent = 0 }) => {
      this.#calls += sent;
    };
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        await fetch(unattendedOperation({ purpose: 'warm-up', ms: CALL_MS, signal, background: true, onCall }));
        return;
      } catch (error) {
        signal.throwIfAborted();
        log.debug({ err: error }, 'a call of the warm-up failed');
      }
      await sleep(waitMs, clock, signal);
    }
  }
}
