import { Session } from 'node:inspector/promises';
import type { Log } from '../../kernel/log.js';

/** State of a process. It is `draining` from the signal to end, and still answers queries until its parts close. */
export type Phase = 'starting' | 'ready' | 'draining';

/** Opens the parts of a process in order, and closes them once, in reverse order. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Time limit for one part to close, unless requests may take longer. */
const CLOSE_MS = 30_000;
/** What the limit adds to the longest request, as the response still has to be sent. */
const BEYOND_REQUESTS_MS = 5_000;

/**
 * The lifecycle of a process that is starting. A process that was ready still answers for `drainMs` before the first
 * part closes, until balancers have noticed that it is draining; a request may take `requestDeadlineMs`.
 */
export function createLifecycle(
  log: Log,
  { drainMs = 0, requestDeadlineMs = 0 }: { readonly drainMs?: number; readonly requestDeadlineMs?: number } = {},
) {
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

  /** Closes everything; resolves when it is done. A second call waits for the first. */
  function close(): Promise<void> {
    closing ??= closeAll();
    return closing;
  }

  return {
    get phase() {
      return phase;
    },
    /** Registers a part that has been opened. It is closed before every part that was opened earlier. */
    opened(name: string, closePart: () => Promise<void>): void {
      parts.push({ name, close: closePart });
    },
    ready(): void {
      if (phase === 'starting') phase = 'ready';
    },
    close,
    /** Closes on SIGTERM and SIGINT and lets the process end; a second signal ends it at once. SIGHUP does nothing. */
    closeOnSignals(): void {
      const stop = (signal: NodeJS.Signals) => {
        if (phase === 'draining') return process.exit(1);
        log.info({ signal }, 'closing');
        void close().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      };
      process.on('SIGTERM', stop).on('SIGINT', stop);
      // Otherwise a terminal that closes would end the process in the middle of its requests.
      process.on('SIGHUP', () => {});
    },
  };
}

function inTime(closed: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not closed after ${limitMs} ms.`)), limitMs);
    closed.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Frees what this thread's startup has left, a third of the memory: V8 keeps it until it needs the room, and offers no
 * other way to collect it without flags of Node. On the main thread this takes a fifth of a second in which nobody is
 * answered.
 */
export async function collectAfterStart(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    // Nothing depends on it.
  }
  // Disconnecting a session from within its own response stops the process.
  setImmediate(() => session.disconnect());
}

/**
 * Keeps @apollo/gateway from phoning home: from the moment a gateway is constructed, it sends metrics to its vendor and
 * queries the cloud's metadata service for our identity. Call this before that.
 */
export function disableApolloTelemetry(): void {
  // biome-ignore lint/style/noProcessEnv: the library's only switch is this variable.
  process.env['APOLLO_TELEMETRY_DISABLED'] = '1';
}
