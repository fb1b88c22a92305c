/** Entries that outlast a restart: one table with key, text and expiry. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../kernel/log.js';
import { requireOwnFile } from './own-file.js';
import { Sqlite } from './sqlite.js';

/** Bytes of pages kept in memory: the entries that are used are in memory anyway. */
const CACHE_BYTES = 1024 * 1024;
/** How long a call may wait for another process that writes. */
const BUSY_MS = 20;
/** Expired entries are removed at the start, and after so many writes. */
const PRUNED_AFTER = 1000;

const FILE = 'entries.db';
/** The table of earlier versions has texts in another form. */
const TABLES = `drop table if exists entry;
  create table if not exists text (key text primary key, text text, expires real) without rowid`;

/** What outlasts a restart: best effort, as a store that is damaged or away returns nothing and keeps nothing. */
export interface EntryStore {
  get(key: string): Promise<string | undefined>;
  /** Stores a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The entries in a folder, which processes may share. A file that is damaged or foreign is set aside, with a line in the log.
 * A call takes a tenth of a millisecond, so it needs no thread.
 */
export function openEntries(folder: string, log: Log): EntryStore {
  const path = join(folder, FILE);
  let db: Sqlite | null = null;
  let writes = 0;
  let isWritable = true;

  function opened(): Sqlite {
    if (db !== null) return db;
    requireOwnFile(path);
    db = Sqlite.write(path, CACHE_BYTES);
    // What the system has not written when it fails is fetched again.
    db.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = truncate; pragma synchronous = off; ${TABLES}`);
    prune(db);
    return db;
  }

  function close(): void {
    db?.close();
    db = null;
  }

  /** Does something with the file, or again with a new one where it is damaged. */
  function used<T>(work: (file: Sqlite) => T): T {
    try {
      return work(opened());
    } catch (error) {
      if (!isUnusable(error)) throw error;
      close();
      log.warn({ file: path, err: error }, 'the file of cached entries is set aside: it is damaged, or foreign');
      setAside(path);
      return work(opened());
    }
  }

  return {
    async get(key) {
      const text = 'select text from text where key = ? and expires > ?';
      try {
        return (used((file) => file.value(text, [key, Date.now()])) as string | null) ?? undefined;
      } catch {
        return undefined;
      }
    },
    async set(key, text, ttlMs) {
      try {
        used((file) => {
          file.run('insert or replace into text values (?, ?, ?)', [key, text, Date.now() + ttlMs]);
          if (++writes % PRUNED_AFTER === 0) prune(file);
        });
        if (!isWritable) log.info({ folder }, 'the cache folder can be written again');
        isWritable = true;
      } catch (error) {
        if (isWritable)
          log.warn({ folder, err: error }, 'the cache folder cannot be written: nothing survives a restart');
        isWritable = false;
      }
    },
    close: async () => close(),
  };
}

function prune(file: Sqlite): void {
  file.run('delete from text where expires <= ?', [Date.now()]);
}

/** Whether a new file would do: not where there is no room, or another process writes. */
function isUnusable(error: unknown): boolean {
  const code = String((error as { readonly code?: unknown }).code);
  return error instanceof Error && /^(SQLITE_(CORRUPT|NOTADB)|FOREIGN)/.test(code);
}

function setAside(path: string): void {
  rmSync(`${path}-journal`, { force: true });
  try {
    renameSync(path, `${path}.aside`);
  } catch {
    rmSync(path, { force: true, recursive: true });
  }
}
