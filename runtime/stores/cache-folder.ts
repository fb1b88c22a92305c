import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../kernel/log.js';

/**
 * The folder, created if missing. Null, with one line in the log, if it cannot be created or written: then its content
 * is in memory only.
 */
export async function openCacheFolder(folder: string | null, log: Log): Promise<string | null> {
  if (folder === null) return null;
  try {
    await make(folder);
    const probe = join(folder, `${randomUUID()}.draft`);
    await writeFile(probe, '', { mode: 0o600 });
    await rm(probe);
    return folder;
  } catch (error) {
    log.warn({ folder, err: error }, 'the cache folder cannot be used: nothing survives a restart');
    return null;
  }
}

/** Level by level: where nothing can be created, as below `/proc`, Node's own `recursive` tries for ever. */
async function make(folder: string): Promise<void> {
  const made = await makeOne(folder);
  if (made || dirname(folder) === folder) return;
  await make(dirname(folder));
  if (!(await makeOne(folder))) throw new Error('Nothing can be made in its parent.');
}

/** Whether the folder exists now; false if its parent is missing. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    return code === 'EEXIST';
  }
}
