import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { type DestinationStream, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Log } from '../../kernel/log.js';
import { CREDENTIAL_HEADERS } from '../../kernel/services.js';
import type { LogLevel } from '../configuration/configuration.js';

/** How much is logged, in which form, and to where. */
export interface LoggingOptions {
  readonly level: LogLevel;
  /** For people at a terminal; otherwise one JSON line per event. */
  readonly pretty: boolean;
  /** Where lines are written. */
  readonly into: DestinationStream;
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
export function createLog({ level, pretty, into }: LoggingOptions): Log {
  const options: LoggerOptions = {
    level,
    base: null,
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
    const format = pretty.prettyFactory({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss' });
    return { write: (line) => into.write(format(line)) };
  } catch {
    return into;
  }
}
