/** Entries that outlast a restart: one table with key, value and expiry, as a store of Keyv. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
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
const TABLE = 'create table if not exists entry (key text primary key, value text, expires real) without rowid';

/**
 * The entries in a folder, which processes may share: best effort, as a store that is away returns nothing and keeps
 * nothing. A file that is damaged or foreign is set aside, with a line in the log.
 */
export function openEntries(folder: string, log: Log) {
  const adapter = createAdapter(join(folder, FILE), log);
  const keyv = new Keyv<string>({ store: adapter, useKeyPrefix: false, throwOnErrors: true, emitErrors: false });
  let isWritable = true;
  return {
    get: (key: string) => keyv.get<string>(key).catch(() => undefined),
    /** Stores a text for at most `ttlMs`. */
    async set(key: string, text: string, ttlMs: number) {
      try {
        await keyv.set(key, text, ttlMs);
        if (!isWritable) log.info({ folder }, 'the cache folder can be written again');
        isWritable = true;
      } catch (error) {
        if (isWritable)
          log.warn({ folder, err: error }, 'the cache folder cannot be written: nothing survives a restart');
        isWritable = false;
      }
    },
    close: () => keyv.disconnect(),
  };
}

/** Keyv's adapter for a file. A call takes a tenth of a millisecond, so it needs no thread. */
function createAdapter(path: string, log: Log): KeyvStoreAdapter {
  let db: Sqlite | null = null;
  let writes = 0;

  function opened(): Sqlite {
    if (db !== null) return db;
    requireOwnFile(path);
    db = Sqlite.write(path, CACHE_BYTES);
    // What the system has not written when it fails is fetched again.
    db.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = truncate; pragma synchronous = off; ${TABLE}`);
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

  const adapter: KeyvStoreAdapter = {
    opts: {},
    // Keyv casts what an adapter returns to the requested type, and reads it with its `deserialize`.
    get: async (key: string) =>
      used(
        (file) => file.value('select value from entry where key = ? and expires > ?', [key, Date.now()]) ?? undefined,
      ) as never,
    async set(key: string, value: string, ttlMs = 0) {
      used((file) => {
        file.run('insert or replace into entry values (?, ?, ?)', [key, value, Date.now() + ttlMs]);
        if (++writes % PRUNED_AFTER === 0) prune(file);
      });
    },
    delete: async (key: string) =>
      used((file) => {
        file.run('delete from entry where key = ?', [key]);
        return file.value('select changes()') === 1;
      }),
    clear: async () => used((file) => file.exec('delete from entry')),
    disconnect: async () => close(),
    on: () => adapter,
  };
  return adapter;
}

function prune(file: Sqlite): void {
  file.run('delete from entry where expires <= ?', [Date.now()]);
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
