import { type FileHandle, mkdir, open, rm, statfs, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { instantOf } from '../../../kernel/dates.js';
import { startWriting } from '../../../runtime/stores/cache-folder.js';
import { readSeal, Seal, type SealCheck } from '../../../runtime/stores/sealed-file.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import { MAX_ROW_BYTES, RowScanner } from './row-scanner.js';
import { SiretIndex } from './siret-index.js';
import { ExportFile, storedBytes, storeExport, sweepExports } from './stored-export.js';

/** Received bytes are scanned in parts of this size: about a quarter of a millisecond of work. */
const PART_BYTES = 64 * 1024;

/**
 * Pause after each part. A daily file can wait, queries cannot: at full speed the scan would occupy the event loop.
 * With pauses it takes about a third of it, and half a minute for a gigabyte (`test/bench/siret-index.ts`).
 */
const REST_MS = 1;

/** Which export to receive, and where to store it. */
interface ReceiveOptions {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Expected bytes of the file, once the first piece has arrived; null if unknown. */
  readonly length: () => number | null;
  readonly lastUpdate: string;
  /** Folder of this service alone; null deletes the file when it is closed. */
  readonly folder: string | null;
  readonly origin: Origin;
  readonly check: SealCheck;
  /** The export in use, beside which a much smaller one is refused; null if there is none, or it is too old. */
  readonly previous: PreviousExport | null;
}

/** An export that a newer one is to replace. */
export interface PreviousExport {
  readonly lastUpdate: string;
  /** Its rows with a SIRET. */
  readonly rows: number;
}

/**
 * Writes an export to disk and indexes it as it arrives. It appears in the folder complete, with its index, or not at
 * all: for a truncated, unreadable or refused file, or one without SIRETs, nothing changes and the promise rejects; with
 * a NoSpaceError for one that does not fit on the disk.
 */
export async function receiveExport(options: ReceiveOptions): Promise<ExportFile> {
  const { lastUpdate, folder, check } = options;
  const place = folder ?? tmpdir();
  const label = folder === null ? 'the temporary folder' : 'CACHE_DIR';
  await mkdir(place, { recursive: true, mode: 0o700 });
  if (folder !== null) await sweepExports(folder, check);
  const { name, end } = startWriting('export');
  const part = join(place, `${name}.part`);
  try {
    const handle = await open(part, 'wx+', 0o600);
    try {
      if (folder === null) await unlink(part);
      const { index, seal } = await receive(withRoom(options, place, label), handle, options.origin);
      refuseShrunken(index.size, lastUpdate, options.previous);
      const path = join(place, `${name}.json`);
      await handle.writeFile(seal.end(path, check.markKeys[0]));
      const file = await readSeal(handle, path, check.markKeys);
      if (file === null) throw new Error('The export was not written as a whole.');
      if (folder !== null)
        await storeExport({ folder, name, handle, header: { lastUpdate, bytes: file.size }, index, check });
      const stockPath = folder === null ? null : join(folder, `${name}.stock`);
      return new ExportFile(file, lastUpdate, index, stockPath);
    } catch (error) {
      await handle.close();
      await rm(part, { force: true });
      throw error;
    }
  } catch (error) {
    throw explainFullDisk(error, label);
  } finally {
    end();
  }
}

/** The pieces, of which none is passed on unless the whole file fits on the disk, as far as its size is known. */
async function* withRoom({ pieces, length, folder, check }: ReceiveOptions, place: string, label: string) {
  let isChecked = false;
  for await (const piece of pieces) {
    const bytes = isChecked ? null : (length() ?? (folder === null ? null : await storedBytes(folder, check)));
    isChecked = true;
    if (bytes !== null) await requireSpace(place, label, bytes);
    yield piece;
  }
}

async function receive(
  pieces: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  origin: Origin,
): Promise<{ index: SiretIndex; seal: Seal }> {
  const index = new SiretIndex();
  const seal = new Seal();
  let rows = 0;
  const scanner = new RowScanner(({ siret, start, end }) => {
    rows++;
    // However long it is, the index has room for its length, which says that it is too long.
    if (siret !== null) index.add(Number(siret), { start, length: Math.min(end - start, MAX_ROW_BYTES + 1) });
  });
  let bytes = 0;
  let restAt = PART_BYTES;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PART_BYTES) {
      const part = piece.subarray(from, from + PART_BYTES);
      scanner.push(part);
      seal.push(part);
      await handle.writeFile(part);
      bytes += part.length;
      if (bytes < restAt) continue;
      await rest(REST_MS);
      restAt = bytes + PART_BYTES;
    }
  }
  scanner.end();
  if (rows === 0) throw wrongType('a list of offers', 'JobOffer export', origin);
  // With an empty index every SIRET would seem to have no workplaces. Few offers lack a SIRET, and no recruiter does.
  if (2 * index.size < rows) throw wrongType('14 digits', 'JobOffer export[].workplace.siret', origin);
  return { index, seal };
}

/** Milliseconds for which an export is kept rather than replaced by a much smaller one. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1000;

/** Of fewer rows, half may go on any day. */
const MIN_KEPT_ROWS = 100;

/** The export has less than half as many rows as the one in use, which is kept for three days. */
export class ShrunkenExportError extends Error {
  override readonly name = 'ShrunkenExportError';
  /** The service's date of the refused export. */
  readonly lastUpdate: string;

  constructor(lastUpdate: string, rows: number, previous: PreviousExport) {
    super(`the daily export of ${lastUpdate} has ${rows} rows, that of ${previous.lastUpdate} has ${previous.rows}`);
    this.lastUpdate = lastUpdate;
  }
}

function refuseShrunken(rows: number, lastUpdate: string, previous: PreviousExport | null): void {
  if (previous === null || previous.rows < MIN_KEPT_ROWS || 2 * rows >= previous.rows) return;
  const ageMs = instantOf(lastUpdate) - instantOf(previous.lastUpdate);
  if (ageMs < KEPT_MS) throw new ShrunkenExportError(lastUpdate, rows, previous);
}

/** The columns and words of its rows take about a seventh of its bytes; texts of other words may take more. */
const NEEDED_PER_BYTE = 1.5;
const MB = 1024 * 1024;

/** The disk has no room for the export. The message is for the log and for the state of the source. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/** Rejects with a NoSpaceError if a file of this size does not fit on the disk of a folder; `label` names the folder. */
async function requireSpace(folder: string, label: string, bytes: number): Promise<void> {
  const disk = await statfs(folder).catch(() => null);
  // Some network file systems do not say.
  if (disk === null || disk.blocks === 0) return;
  const free = disk.bavail * disk.bsize;
  const needed = bytes * NEEDED_PER_BYTE;
  if (needed <= free) return;
  const [neededMb, freeMb] = [Math.ceil(needed / MB), Math.floor(free / MB)];
  throw new NoSpaceError(`the daily export needs ${neededMb} MB in ${label}, where ${freeMb} MB are free`);
}

/** The error as a NoSpaceError if it says that the disk, or the share of it that we may use, is full. */
export function explainFullDisk(error: unknown, label: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new NoSpaceError(`the daily export does not fit in ${label}, whose disk is full`, { cause: error });
}
