import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KeyvStoreAdapter } from 'keyv';
import type { Log } from '../../schema/log.js';

/** No cache entry lives longer than a week and a day, so an older file is an orphan. */
const OLDEST_MS = 8 * 24 * 60 * 60 * 1000;
/** A draft is written at once. */
const OLDEST_DRAFT_MS = 60 * 60 * 1000;
const DIGEST = 'sha256';
const DIGEST_LENGTH = 64;

/**
 * Keyv's adapter for a folder: one file per entry, readable by the owner only. A file is written atomically, under
 * another name first, and starts with the digest of the rest: a damaged one is deleted, with a line in the log. Keys
 * are `<folder>:<name>`, of letters, digits and hyphens.
 */
export function createFileAdapter(root: string, log: Log): KeyvStoreAdapter {
  let writable = true;

  const fileOf = (key: string) => {
    const [folder = '', name = ''] = key.split(':');
    return join(root, folder, name.slice(0, 2), name);
  };

  async function write(file: string, text: string): Promise<void> {
    const draft = `${file}.${randomUUID()}.draft`;
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(draft, digest(text) + text, { mode: 0o600 });
      await rename(draft, file);
      if (!writable) log.info({ root }, 'the cache folder can be written again');
      writable = true;
    } catch (error) {
      if (writable) log.warn({ root, err: error }, 'the cache folder cannot be written: nothing survives a restart');
      writable = false;
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  const adapter: KeyvStoreAdapter = {
    opts: {},
    async get(key: string) {
      const file = fileOf(key);
      const content = await readFile(file, 'utf8').catch(() => undefined);
      if (content === undefined) return undefined;
      const text = content.slice(DIGEST_LENGTH);
      // Keyv casts what an adapter returns to the requested type, and reads it with `deserialize`.
      if (digest(text) === content.slice(0, DIGEST_LENGTH)) return text as never;
      log.warn({ file }, 'a damaged file of the cache was thrown away');
      await rm(file, { force: true });
      return undefined;
    },
    set: (key: string, value: string) => write(fileOf(key), value),
    async delete(key: string) {
      await rm(fileOf(key), { force: true });
      return true;
    },
    async clear() {
      await rm(root, { recursive: true, force: true });
    },
    // Keyv listens for errors of its store; this one logs them itself.
    on: () => adapter,
  };
  return adapter;
}

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

function digest(text: string): string {
  return createHash(DIGEST).update(text).digest('hex');
}
