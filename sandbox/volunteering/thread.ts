import { setTimeout as sleep } from 'node:timers/promises';

/** What a call costs the service, beside `CALL_MS`; all at the size of the real one (volunteering 6.1). */
export interface Work {
  /** Rows that are read and written as JSON. */
  readonly rows: number;
  /** Milliseconds of the database, in which the thread serves others; none if omitted. */
  readonly databaseMs?: number;
}

/** How loaded the service is, and has been since the figures were cleared. */
export interface Load {
  /** Rows of calls that have arrived and are not done, also of those that nobody waits for any more. */
  readonly rowsInFlight: number;
  readonly mostRowsInFlight: number;
  /** The same of calls of more than a hundred rows alone. */
  readonly mostRowsOfLargePages: number;
  readonly callsInFlight: number;
  readonly mostCallsInFlight: number;
  /** Milliseconds until the thread has done everything that waits. */
  readonly queueMs: number;
  readonly mostQueueMs: number;
  /** How often the process has ended. */
  readonly deaths: number;
}

/** The one thread of the service, and the database behind it. */
export interface Thread {
  /**
   * Resolves once the work is done, whether or not anybody waits for it: true, or false if the process has ended
   * meanwhile. At once where time is not modelled.
   */
  serve(work: Work): Promise<boolean>;
  /** Whether the process has ended and is not up again. */
  isDown(): boolean;
  revive(): void;
  load(): Load;
  clearLoad(): void;
}

/** The parts of the model that can be changed while it runs. */
export interface ThreadSettings {
  /** Whether calls take the time that they take at the real service. */
  readonly timing: boolean;
  /** Rows in flight above which the process ends, for lack of memory; null for never. */
  readonly diesAbove: number | null;
}

const CALL_MS = 3;
const ROW_MS = 0.24;
const LARGE_PAGE = 100;
/** The database has two cores, for which what is longer than this waits; shorter queries get their share at once. */
const CORES = 2;
const SCAN_MS = 100;
/** How long the process is away after it has ended. */
const DOWN_MS = 5_000;

/**
 * Creates the model. Nothing is computed to take time: each call waits for a timer.
 * @param onDeath closes every connection
 */
export function createThread(settings: () => ThreadSettings, onDeath: () => void): Thread {
  const most = { rows: 0, large: 0, calls: 0, queueMs: 0 };
  let process = createProcess();
  let downUntil = 0;
  let deaths = 0;
  const measure = (): void => {
    most.rows = Math.max(most.rows, process.rows);
    most.large = Math.max(most.large, process.large);
    most.calls = Math.max(most.calls, process.calls);
    most.queueMs = Math.max(most.queueMs, process.thread.lengthMs());
  };
  return {
    async serve({ rows, databaseMs = 0 }) {
      const { timing, diesAbove } = settings();
      if (!timing) return true;
      const mine = process;
      mine.begin(rows);
      if (diesAbove !== null && mine.rows > diesAbove) {
        deaths += 1;
        process = createProcess();
        downUntil = performance.now() + DOWN_MS;
        onDeath();
        return false;
      }
      if (databaseMs > 0) await (databaseMs > SCAN_MS ? mine.database.done(databaseMs) : sleep(databaseMs));
      const done = mine.thread.done(CALL_MS + rows * ROW_MS);
      if (mine === process) measure();
      await done;
      mine.end(rows);
      return mine === process;
    },
    isDown: () => performance.now() < downUntil,
    revive() {
      downUntil = 0;
    },
    load: () => ({
      rowsInFlight: process.rows,
      mostRowsInFlight: most.rows,
      mostRowsOfLargePages: most.large,
      callsInFlight: process.calls,
      mostCallsInFlight: most.calls,
      queueMs: Math.round(process.thread.lengthMs()),
      mostQueueMs: Math.round(most.queueMs),
      deaths,
    }),
    clearLoad() {
      Object.assign(most, { rows: 0, large: 0, calls: 0, queueMs: 0 });
      deaths = 0;
    },
  };
}

/** What ends with the process: its queues and the calls in them. */
function createProcess() {
  const count = (rows: number, sign: 1 | -1): void => {
    process.calls += sign;
    process.rows += sign * rows;
    if (rows > LARGE_PAGE) process.large += sign * rows;
  };
  const process = {
    calls: 0,
    rows: 0,
    large: 0,
    thread: createQueue(1),
    database: createQueue(CORES),
    begin: (rows: number) => count(rows, 1),
    end: (rows: number) => count(rows, -1),
  };
  return process;
}

/** Work that is done one piece after the other by each of so many servers. */
function createQueue(servers: number) {
  const freeAt = Array.from({ length: servers }, () => 0);
  return {
    /** Resolves once a piece of work that arrives now is done. */
    async done(ms: number): Promise<void> {
      const now = performance.now();
      const first = Math.min(...freeAt);
      const end = Math.max(first, now) + ms;
      freeAt[freeAt.indexOf(first)] = end;
      await sleep(Math.ceil(end - now), undefined, { ref: false });
    },
    lengthMs: () => Math.max(0, ...freeAt.map((at) => at - performance.now())),
  };
}
