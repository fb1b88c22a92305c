import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { type DestinationStream, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Log } from '../../kernel/log.js';
import { CREDENTIAL_HEADERS } from '../../kernel/services.js';
import type { LogLevel } from '../configuration/configuration-variables.js';
import { type Role, VERSION } from '../configuration/role.js';

/** How much is logged, in which form, and to where. */
interface LoggingOptions {
  readonly level: LogLevel;
  /** For people at a terminal; otherwise one JSON line per event. */
  readonly pretty: boolean;
  /** Where lines are written. */
  readonly into: DestinationStream;
  /** Which process writes them, in each line; null for none. */
  readonly from?: ProcessName | null;
}

/** Which process this is, among all that send lines or metrics to one place. */
export type ProcessName = ReturnType<typeof processName>;

/** The name of this process; its instance is host and process. */
export function processName(role: Role) {
  return { role, instance: `${hostname()}:${process.pid}`, version: VERSION };
}

/**
 * A safety net: callers of the log pass chosen fields and never headers, but if one slips in, its value is redacted.
 * These are the names of our own credential headers and of the services'.
 */
const SENSITIVE = new Set([
  ...CREDENTIAL_HEADERS,
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'apikey',
  'code',
  'access_token',
  'client_secret',
]);

/** A log, of the process or of a test. */
export function createLog({ level, pretty, into, from = null }: LoggingOptions): Log {
  const options: LoggerOptions = {
    level,
    base: from,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: stdSerializers.err, cause: stdSerializers.err },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['headers', '*.headers'].flatMap((place) => [...SENSITIVE].map((name) => `${place}["${name}"]`)),
      censor: '[secret]',
    },
  };
  return pino(options, pretty ? forPeople(into) : into);
}

/** Whether a person reads the lines: on a terminal, and not in production. */
export function readsLikeAPerson(production: boolean): boolean {
  return !production && isatty(1);
}

/** pino-pretty is for development only: without it the lines are JSON. */
function forPeople(into: DestinationStream): DestinationStream {
  try {
    const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
    const format = pretty.prettyFactory({ ignore: 'role,instance,version', translateTime: 'HH:MM:ss' });
    return { write: (line) => into.write(format(line)) };
  } catch {
    return into;
  }
}

/** A log in the shape that Apollo's libraries expect; what they log as information is for debugging. */
export function libraryLog(log: Log, from: string) {
  return {
    debug: (message: unknown) => log.debug({ from }, String(message)),
    info: (message: unknown) => log.debug({ from }, String(message)),
    warn: (message: unknown) => log.warn({ from }, String(message)),
    error: (message: unknown) => log.error({ from }, String(message)),
  };
}

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Bytes that may wait to be written: about 3,000 lines, as much as Docker's own buffer holds (`max-buffer-size`). */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Pauses before the next try, in milliseconds: a pipe may be read at any time, a full disk is cleared by people. */
const FULL_PIPE_MS = 20;
const FAILED_MS = 1_000;
/** How long the end of the process waits for a slow reader. */
const EXIT_MS = 1_000;

/** Where a process writes its log. Writing waits for no reader and never throws, whatever becomes of the other end. */
export interface Output {
  /** Writes a text after all earlier ones as soon as they can be written, or drops it if too much waits already. */
  write(text: string): void;
  /** How many texts were dropped so far. */
  readonly dropped: number;
}

/**
 * The standard output. `afterDropping` is called with the number of dropped texts once others can be written again. What
 * waits when the process exits is written then, as far as it is read within a second.
 */
export function openOutput(afterDropping: (count: number) => void): Output {
  // Not sonic-boom, pino's own: at exit it tries for ever to write to a full disk, or to a pipe that nobody reads.
  const fd = openStream(STANDARD_OUTPUT);
  const isFile = fstatSync(fd).isFile();
  let waiting: string[] = [];
  /** What is left of the texts that are being written. */
  let batch: Buffer = Buffer.alloc(0);
  /** Of both. */
  let bytes = 0;
  /** While it writes, or pauses before the next try. */
  let isBusy = false;
  /** While another thread writes the batch to a file, whose disk may be slow. */
  let isUnderWay = false;
  let dropped = 0;
  let reported = 0;

  function nextBatch(): Buffer {
    if (batch.length > 0) return batch;
    const missing = dropped - reported;
    if (missing > 0 && bytes < MAX_WAITING_BYTES / 2) {
      reported = dropped;
      afterDropping(missing);
    }
    const taken = Buffer.from(waiting.join(''));
    waiting = [];
    return taken;
  }

  const writeLater = () =>
    new Promise<ReturnType<typeof writeNow>>((resolve) => {
      isUnderWay = true;
      write(fd, batch, (error, written) => {
        isUnderWay = false;
        resolve({ error, written });
      });
    });

  async function writeWaiting(): Promise<void> {
    isBusy = true;
    for (batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      // All else is written in this turn: it does not block, and the end of the process might cut it off.
      const { error, written } = isFile ? await writeLater() : writeNow(fd, batch);
      batch = batch.subarray(written);
      bytes -= written;
      if (error !== null) return void setTimeout(writeWaiting, isFull(error) ? FULL_PIPE_MS : FAILED_MS).unref();
    }
    isBusy = false;
  }

  process.on('exit', () => {
    // A write to a file completes by itself.
    const left = isUnderWay ? [] : [batch];
    writeInTime(fd, Buffer.concat([...left, Buffer.from(waiting.join(''))]));
  });
  return {
    get dropped() {
      return dropped;
    },
    write(text) {
      const more = Buffer.byteLength(text);
      if (bytes + more > MAX_WAITING_BYTES) return void dropped++;
      bytes += more;
      waiting.push(text);
      if (!isBusy) void writeWaiting();
    },
  };
}

/** Writes to the standard error why the process ends, as far as that is read within a second. */
export function writeLastError(text: string): void {
  writeInTime(openStream(STANDARD_ERROR), Buffer.from(text));
}

/** Writes as much as is taken within a second. */
function writeInTime(fd: number, bytes: Buffer): void {
  const untilMs = performance.now() + EXIT_MS;
  for (let left = bytes; left.length > 0; ) {
    const { error, written } = writeNow(fd, left);
    if (error !== null && (!isFull(error) || performance.now() > untilMs)) return;
    if (error !== null) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    left = left.subarray(written);
  }
}

function writeNow(fd: number, bytes: Buffer): { readonly error: unknown; readonly written: number } {
  try {
    return { error: null, written: writeSync(fd, bytes) };
  } catch (error) {
    return { error, written: 0 };
  }
}

/** Whether a pipe or socket takes nothing at the moment. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/**
 * A standard stream that blocks nobody: opened anew unless it is a file, since whoever shares the inherited descriptor
 * also shares its mode and may change it.
 */
function openStream(fd: typeof STANDARD_OUTPUT | typeof STANDARD_ERROR): number {
  if (fstatSync(fd).isFile()) return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A socket, or no Linux: Node makes its own descriptor non-blocking when it opens this stream.
    (fd === STANDARD_OUTPUT ? process.stdout : process.stderr).on('error', () => {});
    return fd;
  }
}
