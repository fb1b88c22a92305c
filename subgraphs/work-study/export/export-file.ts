import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { CACHES } from '../../../kernel/caches.js';
import { ready } from '../../../kernel/ready.js';
import type { SiretIndex } from './siret-index.js';

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
