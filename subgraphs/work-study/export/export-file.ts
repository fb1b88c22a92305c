import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { encodeIndex, readIndex } from './index-file.js';
import { RowScanner } from './row-scanner.js';
import { SiretIndex } from './siret-index.js';

/** What arrived is scanned in parts of this size: about a quarter of a millisecond of work. */
const PART_BYTES = 64 * 1024;

/**
 * Rest after each part. A daily file has time, queries have not: at full speed it would keep the event loop to
 * itself, so it takes about a third of it, and a gigabyte half a minute (`test/bench/siret-index.ts`).
 */
const REST_MS = 1;

/** A part that no process finished within this time was left behind by one that died. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;

const INDEX_FILE = 'export.index';

/** Bytes of the file whose rows stay in memory once they were read: what is asked for is asked for again. */
const KEPT_BYTES = 8 * 1024 * 1024;

/** One export on disk with its index. It holds the file open, so that it can be read after it was replaced. */
export class ExportFile {
  readonly lastUpdate: string;
  readonly index: SiretIndex;
  readonly #handle: FileHandle;
  readonly #reads = new Set<Promise<unknown>>();
  readonly #kept = new LRUCache<string, readonly unknown[]>({ maxSize: KEPT_BYTES });

  constructor(handle: FileHandle, lastUpdate: string, index: SiretIndex) {
    this.#handle = handle;
    this.lastUpdate = lastUpdate;
    this.index = index;
  }

  /**
   * The rows of a SIRET as the service wrote them, in the order of the file. Unreadable rows are left out. Callers
   * share them: they may not be written into.
   */
  read(siret: string): Promise<readonly unknown[]> {
    const kept = this.#kept.get(siret);
    if (kept !== undefined) return Promise.resolve(kept);
    const reading = this.#readAll(siret).finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }

  /** For the log. */
  summary(): object {
    return { lastUpdate: this.lastUpdate, rows: this.index.size, sirets: this.index.siretCount };
  }

  /** Lets go of the file as soon as the reads under way are done. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reads);
    await this.#handle.close();
  }

  async #readAll(siret: string): Promise<readonly unknown[]> {
    const rows: unknown[] = [];
    let size = 1;
    for (const { start, length } of this.index.rangesOf(siret)) {
      const bytes = Buffer.allocUnsafe(length);
      const { bytesRead } = await this.#handle.read(bytes, 0, length, start);
      if (bytesRead < length) throw new Error('The file of the export is shorter than its index.');
      const row = parseRow(bytes);
      if (row !== undefined) rows.push(row);
      size += length;
    }
    this.#kept.set(siret, rows, { size });
    return rows;
  }
}

/** The export that an earlier run left in the folder; null when there is none that is whole. */
export async function reopenExport(folder: string): Promise<ExportFile | null> {
  const kept = await readIndex(join(folder, INDEX_FILE));
  if (kept === null) return null;
  const { header, index } = kept;
  const handle = await open(join(folder, header.file)).catch(() => null);
  if (handle === null) return null;
  if ((await handle.stat()).size === header.bytes) return new ExportFile(handle, header.lastUpdate, index);
  await handle.close();
  return null;
}

/** Where an export goes and what it is. */
export interface ReceiveOptions {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly lastUpdate: string;
  /** Folder that belongs to this service alone; null keeps the file only as long as it is open. */
  readonly folder: string | null;
}

/**
 * Writes an export to disk as it arrives and indexes it on the way. It appears in the folder whole, with its index,
 * or not at all: a file that is cut, unreadable or refused leaves everything as it was, and rejects.
 */
export async function receiveExport({ pieces, lastUpdate, folder }: ReceiveOptions): Promise<ExportFile> {
  const place = folder ?? tmpdir();
  await mkdir(place, { recursive: true, mode: 0o700 });
  const part = join(place, `export-${randomUUID()}.part`);
  const handle = await open(part, 'wx+', 0o600);
  try {
    if (folder === null) await unlink(part);
    const { index, bytes } = await receive(pieces, handle);
    if (folder !== null) await keep({ folder, part, handle, header: { lastUpdate, bytes }, index });
    return new ExportFile(handle, lastUpdate, index);
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
}

async function receive(
  pieces: AsyncIterable<Uint8Array>,
  handle: FileHandle,
): Promise<{ index: SiretIndex; bytes: number }> {
  const index = new SiretIndex();
  const scanner = new RowScanner(({ siret, start, end }) => {
    if (siret !== null) index.add(Number(siret), { start, length: end - start });
  });
  let bytes = 0;
  let restAt = PART_BYTES;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PART_BYTES) {
      const part = piece.subarray(from, from + PART_BYTES);
      scanner.push(part);
      await handle.writeFile(part);
      bytes += part.length;
      if (bytes < restAt) continue;
      await rest(REST_MS);
      restAt = bytes + PART_BYTES;
    }
  }
  scanner.end();
  return { index, bytes };
}

interface KeepOptions {
  readonly folder: string;
  readonly part: string;
  readonly handle: FileHandle;
  readonly header: { readonly lastUpdate: string; readonly bytes: number };
  readonly index: SiretIndex;
}

/** Gives the file its place, then points the folder's index at it, then removes what it replaces. */
async function keep({ folder, part, handle, header, index }: KeepOptions): Promise<void> {
  const kept = await readIndex(join(folder, INDEX_FILE));
  // Two replicas that could not take turns: whoever is done last must not put an older export in the place of a newer.
  if (kept !== null && Date.parse(kept.header.lastUpdate) > Date.parse(header.lastUpdate)) return rm(part);
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

function parseRow(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
