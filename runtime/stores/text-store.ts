import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../kernel/log.js';
import type { RedisGuard } from '../redis/redis-guard.js';

/**
 * Texts that outlive a process or are shared by several: files or Redis. All calls are best effort: a store that is
 * down or damaged returns undefined and stores nothing; it never fails a request, and never holds one up for long.
 */
export interface TextStore {
  /** The text stored under a key; undefined if it is absent, expired or cannot be read quickly. */
  get(key: string): Promise<string | undefined>;
  /** Stores a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Completes pending writes. */
  close(): Promise<void>;
}

/** 12 hex digits that separate what is stored for different addresses of a service, without naming the addresses. */
export function addressHash(baseUrl: string): string {
  return sha256(baseUrl).slice(0, 12);
}

/** Texts in Redis, stored as they are: Redis itself expires them. */
export function createRedisStore(redis: RedisGuard): TextStore {
  const keyOf = (key: string) => `passerelle:cache:${key}`;
  return {
    get: (key) =>
      redis
        .run((client) => client.get(keyOf(key)))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
    async set(key, text, ttlMs) {
      const ms = Math.max(1, Math.ceil(ttlMs));
      await redis.run((client) => client.set(keyOf(key), text, 'PX', ms)).catch(() => {});
    },
    async delete(key) {
      await redis.run((client) => client.del(keyOf(key))).catch(() => {});
    },
    close: async () => {},
  };
}

/** Hexadecimal digits of a SHA-256 digest. */
const DIGEST_LENGTH = 64;

/**
 * Texts in a folder: one file for each, readable by the owner only. A file is written atomically, under another name
 * first, and holds `<digest><expiry> <text>`: the digest of the rest, and milliseconds since 1970. A damaged one is
 * deleted, with a line in the log. Keys are `<folder>:<name>`, of letters, digits and hyphens.
 */
export function createFileStore(root: string, log: Log): TextStore {
  const writes = new Set<Promise<void>>();
  let writable = true;

  const fileOf = (key: string) => {
    const [folder = '', name = ''] = key.split(':');
    return join(root, folder, name.slice(0, 2), name);
  };

  async function write(file: string, content: string): Promise<void> {
    const draft = `${file}.${randomUUID()}.draft`;
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(draft, sha256(content) + content, { mode: 0o600 });
      await rename(draft, file);
      if (!writable) log.info({ root }, 'the cache folder can be written again');
      writable = true;
    } catch (error) {
      if (writable) log.warn({ root, err: error }, 'the cache folder cannot be written: nothing survives a restart');
      writable = false;
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  return {
    async get(key) {
      const file = fileOf(key);
      const stored = await readFile(file, 'utf8').catch(() => undefined);
      if (stored === undefined) return undefined;
      const content = stored.slice(DIGEST_LENGTH);
      const isDamaged = sha256(content) !== stored.slice(0, DIGEST_LENGTH);
      if (isDamaged) log.warn({ file }, 'a damaged file of the cache was thrown away');
      else if (Date.now() <= Number.parseInt(content, 10)) return content.slice(content.indexOf(' ') + 1);
      await rm(file, { force: true }).catch(() => {});
      return undefined;
    },
    async set(key, text, ttlMs) {
      const writing = write(fileOf(key), `${Date.now() + ttlMs} ${text}`);
      writes.add(writing);
      await writing.finally(() => writes.delete(writing));
    },
    async delete(key) {
      await rm(fileOf(key), { force: true }).catch(() => {});
    },
    async close() {
      await Promise.allSettled(writes);
    },
  };
}

/** No cache entry lives longer than a week and a day, so an older file is an orphan. */
const OLDEST_MS = 8 * 24 * 60 * 60 * 1000;
/** A draft is written at once. */
const OLDEST_DRAFT_MS = 60 * 60 * 1000;

/** Removes files that will not be read again: expired ones, and drafts left by a process that was killed. */
export async function sweepFolder(root: string): Promise<void> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  for (const name of names) {
    const file = join(root, name);
    const found = await stat(file).catch(() => null);
    const oldestMs = name.endsWith('.draft') ? OLDEST_DRAFT_MS : OLDEST_MS;
    if (found?.isFile() && Date.now() - found.mtimeMs > oldestMs) await rm(file, { force: true });
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
