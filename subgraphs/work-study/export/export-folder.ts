import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExportFile } from './export-file.js';
import { encodeIndex, readIndex } from './index-file.js';
import type { SiretIndex } from './siret-index.js';

/** A partial file older than this was left behind by a process that died. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;

const INDEX_FILE = 'export.index';

/** The export that an earlier run left in the folder; null when there is no complete one. */
export async function reopenExport(folder: string): Promise<ExportFile | null> {
  const stored = await readIndex(join(folder, INDEX_FILE));
  if (stored === null) return null;
  const { header, index } = stored;
  const handle = await open(join(folder, header.file)).catch(() => null);
  if (handle === null) return null;
  if ((await handle.stat()).size === header.bytes) return new ExportFile(handle, header.lastUpdate, index);
  await handle.close();
  return null;
}

interface StoreOptions {
  readonly folder: string;
  readonly part: string;
  readonly handle: FileHandle;
  readonly header: { readonly lastUpdate: string; readonly bytes: number };
  readonly index: SiretIndex;
}

/**
 * Moves a complete export from `part`, where it was written, into the folder, then points the folder's index at it,
 * then removes the files it replaces.
 */
export async function storeExport({ folder, part, handle, header, index }: StoreOptions): Promise<void> {
  const stored = await readIndex(join(folder, INDEX_FILE));
  // Two replicas may load at once; the last to finish must not replace a newer export with an older one.
  if (stored !== null && Date.parse(stored.header.lastUpdate) > Date.parse(header.lastUpdate)) return rm(part);
  const file = `export-${randomUUID()}.json`;
  await handle.datasync();
  await rename(part, join(folder, file));
  const indexPart = join(folder, `index-${randomUUID()}.part`);
  await writeFile(indexPart, encodeIndex({ ...header, file }, index.rows()), { mode: 0o600, flush: true });
  await rename(indexPart, join(folder, INDEX_FILE));
  await removeOthers(folder, file);
}

async function removeOthers(folder: string, file: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const replaced = /^export-.*\.json$/.test(name) && name !== file;
    const leftover = /\.part$/.test(name) && (await ageMs(path)) > LEFTOVER_MS;
    if (replaced || leftover) await rm(path, { force: true });
  }
}

async function ageMs(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs;
}
