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
async function make(folder: string, hasParent = dirname(folder) === folder): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || hasParent) throw error;
    await make(dirname(folder));
    await make(folder, true);
  }
}
