import type { Log } from '../../schema/log.js';

/** Where a process stands: queries are answered only while it is `ready`. */
export type Phase = 'starting' | 'ready' | 'draining';

/** Opens in order, closes in the reverse order, once. */
export interface Lifecycle {
  readonly phase: Phase;
  /** Registers what has been opened. It is closed before everything that was opened earlier. */
  opened(name: string, close: () => Promise<void>): void;
  ready(): void;
  /** Closes everything; resolves when it is done. A second call waits for the first. */
  close(): Promise<void>;
  /** Closes on SIGTERM and SIGINT and lets the process end; a second signal ends it at once. */
  closeOnSignals(): void;
  /** Calls back on SIGHUP, which would end the process otherwise. */
  onHangup(reload: () => void): void;
}

/** How long one part may take to close, at least, before the next one's turn. */
const CLOSE_MS = 30_000;
/** What it has beyond the longest request: the response has to be sent. */
const BEYOND_REQUESTS_MS = 5_000;

/** What closing waits for, in milliseconds. */
export interface LifecycleOptions {
  /** Until balancers have seen that the process leaves. */
  readonly drainMs?: number;
  /** How long a request may take. */
  readonly requestDeadlineMs?: number;
}

/**
 * The lifecycle of a process that is starting; parts close in the reverse order of their opening. A process that was
 * ready goes on answering for `drainMs` before the first part closes, until balancers have seen that it leaves.
 */
export function createLifecycle(log: Log, { drainMs = 0, requestDeadlineMs = 0 }: LifecycleOptions = {}): Lifecycle {
  const closeMs = Math.max(CLOSE_MS, requestDeadlineMs + BEYOND_REQUESTS_MS);
  const parts: { readonly name: string; readonly close: () => Promise<void> }[] = [];
  let phase: Phase = 'starting';
  let closing: Promise<void> | null = null;

  async function closeAll(): Promise<void> {
    const wasReady = phase === 'ready';
    phase = 'draining';
    if (wasReady && drainMs > 0) await new Promise((resolve) => setTimeout(resolve, drainMs));
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      try {
        await inTime(part.close(), closeMs);
      } catch (error) {
        log.error({ part: part.name, err: error }, 'a part did not close');
      }
    }
  }

  const lifecycle: Lifecycle = {
    get phase() {
      return phase;
    },
    opened: (name, close) => parts.push({ name, close }),
    ready() {
      if (phase === 'starting') phase = 'ready';
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
    closeOnSignals() {
      const stop = (signal: NodeJS.Signals) => {
        if (phase === 'draining') return process.exit(1);
        log.info({ signal }, 'closing');
        lifecycle.close().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      };
      process.on('SIGTERM', stop);
      process.on('SIGINT', stop);
    },
    onHangup: (reload) => void process.on('SIGHUP', reload),
  };
  return lifecycle;
}

function inTime(closed: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not closed after ${limitMs} ms.`)), limitMs);
    closed.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
