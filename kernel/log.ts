/**
 * Where a room logs its events, one line each, fields first; pino's loggers fit. No field may contain a key, a token, a
 * code or a cookie.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
