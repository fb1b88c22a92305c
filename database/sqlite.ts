/** The one driver of SQLite, behind the few calls that this program makes. All of them block: call them in a thread. */
import { closeSync, openSync } from 'node:fs';
import Database, { type Database as Connection, type Statement } from 'libsql';

/** What a column holds; numbers are doubles, which are exact up to 2^53. */
export type Value = string | number | null;
/** Values of parameters by name, or in order. */
export type Parameters = Readonly<Record<string, Value>> | readonly Value[];

/** Bytes of the pages that a connection keeps in memory. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Different texts of questions are few; a statement takes some kB. */
const MAX_STATEMENTS = 100;

/** An open database file. What it throws has the `code` of SQLite, such as `SQLITE_CORRUPT`. */
export class Sqlite {
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();

  private constructor(path: string, cacheBytes: number) {
    this.#connection = new Database(path);
    this.exec(`pragma cache_size = -${cacheBytes / 1024}`);
  }

  /** Opens a file that nobody writes any more. It is not created if it is missing; then the first question fails. */
  static read(path: string, cacheBytes = CACHE_BYTES): Sqlite {
    return new Sqlite(`file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}?immutable=1&mode=ro`, cacheBytes);
  }

  /** Opens a file to read and write, creating it for this user alone if it is missing. */
  static write(path: string, cacheBytes = CACHE_BYTES): Sqlite {
    createFile(path);
    return new Sqlite(path, cacheBytes);
  }

  /** For temporary tables, in a file without a name that goes with whoever has it. */
  static temporary(cacheBytes: number): Sqlite {
    const sqlite = new Sqlite(':memory:', cacheBytes);
    sqlite.exec(`pragma temp_store = file; pragma temp.cache_size = -${cacheBytes / 1024}`);
    return sqlite;
  }

  /** Runs statements without parameters. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Runs one statement. */
  run(sql: string, parameters: Parameters = []): void {
    this.#statement(sql).run(parameters);
  }

  /** All rows, each with its columns in order. */
  all(sql: string, parameters: Parameters = []): Value[][] {
    return this.#statement(sql).all(parameters) as unknown as Value[][];
  }

  /** The first column of the first row; null without one. */
  value(sql: string, parameters: Parameters = []): Value {
    return this.all(sql, parameters)[0]?.[0] ?? null;
  }

  /** Does all of the work or nothing of it. */
  transaction(work: () => void): void {
    this.exec('begin');
    try {
      work();
      this.exec('commit');
    } catch (error) {
      this.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    // Only what returns rows can return them as arrays.
    const raw = statement.reader ? statement.raw() : statement;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, raw);
    return raw;
  }
}

/** Creates an empty file that only its owner can read, unless it is there. */
export function createFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Takes a lock that goes with its process, and returns how to release it; null if somebody has it. Where there are no locks,
 * as on some network file systems, everybody has it.
 */
export function takeLock(path: string): (() => void) | null {
  createFile(path);
  const connection = new Database(path);
  try {
    connection.exec('pragma busy_timeout = 0; begin exclusive');
    return () => connection.close();
  } catch (error) {
    connection.close();
    return (error as { readonly code?: unknown }).code === 'SQLITE_BUSY' ? null : () => {};
  }
}
