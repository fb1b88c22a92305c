/**
 * Where a room writes its events: one line each, the fields first. A pino logger is one. No field may hold a key, a
 * token, a code or a cookie.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
