import { createRequire } from 'node:module';
import { type DestinationStream, destination, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Log } from '../../schema/log.js';
import type { LogLevel } from '../configuration/configuration.js';

/** How much is logged, in which form, and to where. */
export interface LoggingOptions {
  readonly level: LogLevel;
  /** For people at a terminal; otherwise one JSON line per event. */
  readonly pretty: boolean;
  /** Where lines are written; standard output if omitted. */
  readonly into?: DestinationStream;
}

/**
 * A safety net: callers of the log pass chosen fields and never headers, but if one slips in, its value is redacted.
 * These are the names of our own credential headers and of the services'.
 */
const SENSITIVE = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'apikey',
  'x-work-study-key',
  'x-volunteering-key',
  'code',
  'access_token',
  'client_secret',
];

/** The log of the process. A line is written before the call returns, so none is lost at exit. */
export function createLog({ level, pretty, into }: LoggingOptions): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: stdSerializers.err, cause: stdSerializers.err },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['headers', '*.headers'].flatMap((place) => SENSITIVE.map((name) => `${place}["${name}"]`)),
      censor: '[secret]',
    },
  };
  return pino(options, into ?? (pretty ? prettyStream() : null) ?? destination({ fd: 1, sync: true }));
}

/** Whether a person reads the lines: on a terminal, and not in production. */
export function readsLikeAPerson(production: boolean): boolean {
  return !production && process.stdout.isTTY === true;
}

/** pino-pretty is for development only: without it the lines are JSON. */
function prettyStream(): DestinationStream | null {
  try {
    const pretty: unknown = createRequire(import.meta.url)('pino-pretty');
    return typeof pretty === 'function'
      ? pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' })
      : null;
  } catch {
    return null;
  }
}
