import { type FileHandle, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { CACHES } from '../../../kernel/caches.js';
import { instantOf } from '../../../kernel/dates.js';
import { CodedError } from '../../../kernel/errors.js';
import { isBeingWritten } from '../../../runtime/stores/cache-folder.js';
import { openSealed, Seal, type SealCheck, type SealedFile } from '../../../runtime/stores/sealed-file.js';
import { type Reader, ReadingBounds } from './reading-bounds.js';
import { MAX_ROW_BYTES } from './row-scanner.js';
import { type ByteRange, encodeIndex, readIndex, readIndexHeader, type SiretIndex } from './siret-index.js';
import { readingSpaces } from './spares.js';
import type { Stock } from './stock.js';

/** Bytes of heap for each byte of a row in the file. */
const HEAP_PER_BYTE = 3;
/** Bytes of heap for a SIRET, its list and their place in the map. */
const ENTRY_BYTES = 300;

const NO_ROWS: readonly unknown[] = [];

/** Of this process, however many exports it has open. */
const bounds = new ReadingBounds();

/** An export on disk with its index. Holds the file open, so that it stays readable after it is replaced. */
export class ExportFile {
  readonly lastUpdate: string;
  readonly index: SiretIndex;
  /** Where its columns are stored; null for an export without a name, whose columns have none either. */
  readonly stockPath: string | null;
  /** All its rows, to be asked; null until they are indexed. */
  stock: Stock | null = null;
  readonly file: SealedFile;
  readonly #reads = new Set<Promise<unknown>>();
  #isClosed = false;
  /** Rows already read, because what was requested is likely to be requested again. */
  readonly #cached = new LRUCache<string, readonly unknown[]>({ maxSize: CACHES['export-rows'].boundBytes });

  constructor(file: SealedFile, lastUpdate: string, index: SiretIndex, stockPath: string | null) {
    this.file = file;
    this.lastUpdate = lastUpdate;
    this.index = index;
    this.stockPath = stockPath;
  }

  /** Whether it was replaced, and can no longer be read. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Keeps the file open until the work is done, even if it is replaced meanwhile. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    const working = work().finally(() => this.#reads.delete(working));
    this.#reads.add(working);
    return working;
  }

  /**
   * The rows at some places, in the same order, with null for one that cannot be read. Reads them in file order, until
   * the reader leaves. Rejects with `COST_EXCEEDED` for more bytes than a request may read.
   */
  async readRows(ranges: readonly ByteRange[], reader: Reader): Promise<unknown[]> {
    bounds.charge(reader, lengthsOf(ranges));
    return this.#readCharged(ranges, reader);
  }

  async #readCharged(ranges: readonly ByteRange[], reader: Reader): Promise<unknown[]> {
    const rows: unknown[] = new Array(ranges.length).fill(null);
    const inFileOrder = ranges
      .map((range, place) => ({ range, place }))
      .filter(({ range }) => range.length <= MAX_ROW_BYTES)
      .sort((a, b) => a.range.start - b.range.start);
    const reads: PlacedRange[][] = [];
    for (let from = 0; from < inFileOrder.length; from += reads.at(-1)?.length ?? 1) {
      reads.push(readTogether(inFileOrder, from));
    }
    const next = reads.values();
    const readNext = async (space: Buffer) => {
      for (const together of next) {
        reader.signal.throwIfAborted();
        await this.#readInto(rows, together, space);
      }
    };
    await bounds.read(reader, lengthsOf(ranges), () =>
      Promise.all(Array.from({ length: READS_AT_ONCE }, () => readingSpaces.lend(readNext))),
    );
    return rows;
  }

  async #readInto(rows: unknown[], together: readonly PlacedRange[], space: Buffer): Promise<void> {
    const { start } = together[0]?.range ?? { start: 0 };
    const end = Math.max(...together.map(({ range }) => range.start + range.length));
    const bytes = await this.file.read(start, end - start, space);
    for (const { range, place } of together) {
      rows[place] = parseRow(bytes.subarray(range.start - start, range.start - start + range.length));
    }
  }

  /** The rows of a SIRET that are in memory, or that need not be read; else undefined. */
  cached(siret: string): readonly unknown[] | undefined {
    return this.#cached.get(siret) ?? (this.index.has(siret) ? undefined : NO_ROWS);
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
    this.#isClosed = true;
    await Promise.allSettled(this.#reads);
    await this.file.close();
    await this.stock?.close();
  }

  /**
   * The rows of each SIRET as the service wrote them, in file order, with null for a row that cannot be read. All are
   * read in one pass through the file. Callers share them, so they must not be modified. In place of the rows with which
   * the reader would read too much, the error that says so.
   */
  readSirets(sirets: readonly string[], reader: Reader): Promise<(readonly unknown[] | CodedError)[]> {
    return this.hold(async () => {
      const found = sirets.map((siret) => this.cached(siret) ?? this.#charged(siret, reader));
      const ranges = found.map((rows) => ('ranges' in rows ? rows.ranges : []));
      const read = await this.#readCharged(ranges.flat(), reader);
      let from = 0;
      return found.map((rows, place) => {
        if (!('ranges' in rows)) return rows;
        const own = read.slice(from, from + rows.ranges.length);
        from += own.length;
        const size = rows.ranges.reduce((sum, { length }) => sum + HEAP_PER_BYTE * length, ENTRY_BYTES);
        this.#cached.set(sirets[place] ?? '', own, { size });
        return own;
      });
    });
  }

  #charged(siret: string, reader: Reader): { readonly ranges: readonly ByteRange[] } | CodedError {
    try {
      bounds.charge(reader, this.index.lengthsOf(siret));
      return { ranges: this.index.rangesOf(siret) };
    } catch (error) {
      if (error instanceof CodedError) return error;
      throw error;
    }
  }
}

function lengthsOf(ranges: readonly ByteRange[]): number[] {
  return ranges.map(({ length }) => length);
}

/** An export whose rows can be asked. */
export type StockedExport = ExportFile & { readonly stock: Stock };

/** Rows are read with their neighbours up to this many bytes: a read costs as much as copying them. */
const TOGETHER_BYTES = 32 * 1024;

/** So many reads run at once: as many as Node has threads for them. */
const READS_AT_ONCE = 4;

/** A row's place in the file, and in the list of those wanted. */
interface PlacedRange {
  readonly range: ByteRange;
  readonly place: number;
}

/** The next places that lie so close that one read has them all. */
function readTogether(inFileOrder: readonly PlacedRange[], from: number): PlacedRange[] {
  const start = inFileOrder[from]?.range.start ?? 0;
  let to = from + 1;
  while (to < inFileOrder.length) {
    const { range } = inFileOrder[to] ?? { range: { start: 0, length: 0 } };
    if (range.start + range.length - start > TOGETHER_BYTES) break;
    to++;
  }
  return inFileOrder.slice(from, to);
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
const WRITTEN = /^(export|index)-.*\.(part|json|stock)$/;

/** Name of the file with the columns of an export, by the name of the export's. */
function stockFile(exportFile: string): string {
  return exportFile.replace(/\.json$/, '.stock');
}

/** The export that an earlier run left in the folder; null when there is no complete one with the right mark. */
export async function reopenExport(folder: string, check: SealCheck): Promise<ExportFile | null> {
  const stored = await readSealed(join(folder, INDEX_FILE), check, readIndex);
  if (stored === null) return null;
  const { header, index } = stored;
  const file = await openSealed(join(folder, header.file), check);
  if (file === null) return null;
  if (file.size === header.bytes)
    return new ExportFile(file, header.lastUpdate, index, join(folder, stockFile(header.file)));
  await file.close();
  return null;
}

/** What a sealed file says; null where it is not believed or cannot be read. */
async function readSealed<T>(path: string, check: SealCheck, read: (file: SealedFile) => Promise<T | null>) {
  const file = await openSealed(path, check);
  return (
    file &&
    read(file)
      .catch(() => null)
      .finally(() => file.close())
  );
}

interface StoreOptions {
  readonly folder: string;
  /** Name of the file in the folder, without the ending `.part`. */
  readonly name: string;
  readonly handle: FileHandle;
  readonly header: { readonly lastUpdate: string; readonly bytes: number };
  readonly index: SiretIndex;
  readonly check: SealCheck;
}

/**
 * Points the folder's index at a complete export that was written there, then removes the one that it replaces. If it
 * fails, only the part that was written is left.
 */
export async function storeExport({ folder, name, handle, header, index, check }: StoreOptions): Promise<void> {
  const place = (file: string) => join(folder, file);
  const [part, file, indexPart] = [place(`${name}.part`), `${name}.json`, place(`${name}.index.part`)];
  const stored = await readSealed(place(INDEX_FILE), check, readIndexHeader);
  // Two replicas may load at once; the last to finish must not replace a newer export with an older one.
  if (stored !== null && instantOf(stored.lastUpdate) > instantOf(header.lastUpdate)) return rm(part);
  try {
    await handle.datasync();
    const bytes = encodeIndex({ ...header, file }, index.rows());
    const seal = new Seal();
    seal.push(bytes);
    const sealed = [bytes, seal.end(place(INDEX_FILE), check.markKeys[0])];
    await writeFile(indexPart, sealed, { mode: 0o600, flush: true });
    await rename(part, place(file));
    await rename(indexPart, place(INDEX_FILE));
  } catch (error) {
    for (const path of [indexPart, place(file)]) await rm(path, { force: true });
    throw error;
  }
  if (stored === null) return;
  for (const old of [stored.file, stockFile(stored.file)]) await rm(place(basename(old)), { force: true });
}

/** Removes what no living process is writing, and no index points at: what was being written when a process died. */
export async function sweepExports(folder: string, check: SealCheck): Promise<void> {
  const inUse = await indexedFile(folder, check);
  for (const name of await readdir(folder).catch(() => [])) {
    const isUsed = inUse !== null && (name === inUse || name === stockFile(inUse));
    if (!WRITTEN.test(name) || isUsed || (await isBeingWritten(folder, name))) continue;
    await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

/** Bytes of the export in the folder; null when there is no complete one. */
export async function storedBytes(folder: string, check: SealCheck): Promise<number | null> {
  return (await readSealed(join(folder, INDEX_FILE), check, readIndexHeader))?.bytes ?? null;
}

/** Name of the export in the folder; null when there is no complete one. */
async function indexedFile(folder: string, check: SealCheck): Promise<string | null> {
  const header = await readSealed(join(folder, INDEX_FILE), check, readIndexHeader);
  if (header === null) return null;
  const found = await stat(join(folder, header.file)).catch(() => null);
  return found !== null && found.size > header.bytes ? header.file : null;
}
