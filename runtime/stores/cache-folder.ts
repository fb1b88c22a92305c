import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../schema/log.js';

/**
 * The folder, made where it is missing. Null, with one line in the log, when it cannot be made or written: then what
 * would lie there is in memory only.
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

/** Step by step: where nothing can be made, as below `/proc`, Node's own `recursive` tries for ever. */
async function make(folder: string): Promise<void> {
  const made = await makeOne(folder);
  if (made || dirname(folder) === folder) return;
  await make(dirname(folder));
  if (!(await makeOne(folder))) throw new Error('Nothing can be made in its parent.');
}

/** Whether it is there now; false when its parent is missing. */
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
