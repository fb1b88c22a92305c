import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ready } from '../../../kernel/cached-values.js';
import { CACHES } from '../../../kernel/caches.js';
import { isBeingWritten } from '../../../runtime/stores/cache-folder.js';
import { encodeIndex, readIndex, readIndexHeader, type SiretIndex } from './siret-index.js';

/** Bytes of heap for each byte of a row in the file. */
const HEAP_PER_BYTE = 3;
/** Bytes of heap for a SIRET, its list and their place in the map. */
const ENTRY_BYTES = 300;

const NO_ROWS: readonly unknown[] = [];

/** An export on disk with its index. Holds the file open, so that it stays readable after it is replaced. */
export class ExportFile {
  readonly lastUpdate: string;
  readonly index: SiretIndex;
  readonly #handle: FileHandle;
  readonly #reads = new Set<Promise<unknown>>();
  /** Rows already read, because what was requested is likely to be requested again. */
  readonly #cached = new LRUCache<string, readonly unknown[]>({ maxSize: CACHES['export-rows'].boundBytes });

  constructor(handle: FileHandle, lastUpdate: string, index: SiretIndex) {
    this.#handle = handle;
    this.lastUpdate = lastUpdate;
    this.index = index;
  }

  /**
   * The rows of a SIRET as the service wrote them, in file order, with null for a row that cannot be read. Callers
   * share them, so they must not be modified.
   */
  read(siret: string): PromiseLike<readonly unknown[]> {
    const cached = this.#cached.get(siret);
    if (cached !== undefined) return ready(cached);
    if (!this.index.has(siret)) return ready(NO_ROWS);
    const reading = this.#readAll(siret).finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }

  /** Estimated bytes of heap of the rows in memory. */
  bytes(): number {
    return this.#cached.calculatedSize;
  }

  /** For the log. */
  summary(): object {
    return { lastUpdate: this.lastUpdate, rows: this.index.size, sirets: this.index.siretCount };
  }

  /** Releases the file as soon as the reads in progress are done. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reads);
    await this.#handle.close();
  }

  async #readAll(siret: string): Promise<readonly unknown[]> {
    const rows: unknown[] = [];
    let size = ENTRY_BYTES;
    for (const { start, length } of this.index.rangesOf(siret)) {
      const bytes = Buffer.allocUnsafe(length);
      const { bytesRead } = await this.#handle.read(bytes, 0, length, start);
      if (bytesRead < length) throw new Error('The export file is shorter than its index.');
      rows.push(parseRow(bytes));
      size += HEAP_PER_BYTE * length;
    }
    this.#cached.set(siret, rows, { size });
    return rows;
  }
}

function parseRow(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

const INDEX_FILE = 'export.index';
/** Exports and parts of files, those of earlier versions included. */
const WRITTEN = /^(export|index)-.*\.(part|json)$/;

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
  /** Name of the file in the folder, without the ending `.part`. */
  readonly name: string;
  readonly handle: FileHandle;
  readonly header: { readonly lastUpdate: string; readonly bytes: number };
  readonly index: SiretIndex;
}

/**
 * Points the folder's index at a complete export that was written there, then removes the one that it replaces. If it
 * fails, only the part that was written is left.
 */
export async function storeExport({ folder, name, handle, header, index }: StoreOptions): Promise<void> {
  const place = (file: string) => join(folder, file);
  const [part, file, indexPart] = [place(`${name}.part`), `${name}.json`, place(`${name}.index.part`)];
  const stored = await readIndexHeader(place(INDEX_FILE));
  // Two replicas may load at once; the last to finish must not replace a newer export with an older one.
  if (stored !== null && Date.parse(stored.lastUpdate) > Date.parse(header.lastUpdate)) return rm(part);
  try {
    await handle.datasync();
    await writeFile(indexPart, encodeIndex({ ...header, file }, index.rows()), { mode: 0o600, flush: true });
    await rename(part, place(file));
    await rename(indexPart, place(INDEX_FILE));
  } catch (error) {
    for (const path of [indexPart, place(file)]) await rm(path, { force: true });
    throw error;
  }
  if (stored !== null) await rm(place(basename(stored.file)), { force: true });
}

/** Removes what no living process is writing, and no index points at: what was being written when a process died. */
export async function sweepExports(folder: string): Promise<void> {
  const inUse = await indexedFile(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!WRITTEN.test(name) || name === inUse || (await isBeingWritten(folder, name))) continue;
    await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

/** Bytes of the export in the folder; null when there is no complete one. */
export async function storedBytes(folder: string): Promise<number | null> {
  return (await readIndexHeader(join(folder, INDEX_FILE)))?.bytes ?? null;
}

/** Name of the export in the folder; null when there is no complete one. */
async function indexedFile(folder: string): Promise<string | null> {
  const header = await readIndexHeader(join(folder, INDEX_FILE));
  if (header === null) return null;
  const found = await stat(join(folder, header.file)).catch(() => null);
  return found?.size === header.bytes ? header.file : null;
}
