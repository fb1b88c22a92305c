import { rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instantOf } from '../../../kernel/dates.js';
import type { Log } from '../../../kernel/log.js';
import { startWriting } from '../../../runtime/stores/cache-folder.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import { ExportThread } from './export-thread.js';
import { draftOf, type ExportLoad, type Received } from './load.js';
import { type ExportFile, keepNewest, makeFolder, placeExport, storedBytes, sweepExports } from './stored-export.js';

/** Received bytes are passed on in parts of about this size. */
const PART_BYTES = 128 * 1024;

/** Which export to receive, and where to store it. */
interface ReceiveOptions {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Expected bytes of the file, once the first piece has arrived; null if unknown. */
  readonly length: () => number | null;
  readonly lastUpdate: string;
  /** Folder of this service alone; null deletes the file when it is closed. */
  readonly folder: string | null;
  readonly origin: Origin;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** Called with the share of the work that is left after the last byte, from 0 to 1. */
  readonly onIndexed: (share: number) => void;
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
 * Loads an export into a file while it arrives. It appears in the folder complete, or not at all: for a truncated,
 * unreadable or refused file, or one without SIRETs, nothing changes and the promise rejects; with a NoSpaceError for one
 * that does not fit on the disk. Without a folder, the file is in the temporary one, and its name is gone once it is open.
 */
export async function receiveExport(options: ReceiveOptions): Promise<ExportFile> {
  const { folder, log } = options;
  const place = folder ?? tmpdir();
  const label = folder === null ? 'the temporary folder' : 'CACHE_DIR';
  await makeFolder(place);
  await sweepExports(place, folder !== null);
  const { name, end } = startWriting('export');
  const path = join(place, `${name}.part`);
  const { lastUpdate, nowMs } = options;
  const thread = new ExportThread<ExportLoad>({ load: { path, lastUpdate, nowMs } }, log);
  try {
    await load(thread, { ...options, pieces: withRoom(options, place, label) });
    const file = await placeExport(path, log);
    await (folder === null ? forgetName(file) : keepNewest(folder, file, log));
    return file;
  } catch (error) {
    throw explainFullDisk(error, label);
  } finally {
    await thread.close();
    for (const part of [path, draftOf(path)]) await rm(part, { force: true }).catch(() => {});
    end();
  }
}

/** So that nothing is left when the process is killed. Where a file that is open keeps its name, it goes when it is closed. */
async function forgetName(file: ExportFile): Promise<void> {
  await file.opened();
  await rm(file.path, { force: true }).catch(() => {});
}

async function load(thread: ExportThread<ExportLoad>, options: ReceiveOptions): Promise<void> {
  const { lastUpdate, origin, previous, signal, onIndexed } = options;
  let [held, bytes]: [Uint8Array[], number] = [[], 0];
  const push = async () => {
    const piece = Buffer.concat(held);
    [held, bytes] = [[], 0];
    await thread.call('push', piece);
  };
  for await (const piece of options.pieces) {
    signal.throwIfAborted();
    held.push(piece);
    bytes += piece.length;
    if (bytes >= PART_BYTES) await push();
  }
  await push();
  const received = await thread.call('end');
  refuseUseless(received, origin);
  refuseShrunken(received.withSiret, lastUpdate, previous);
  if (received.cut > 0) origin.drift('JobOffer export[]', 'form');
  for (let share: number | null = 0; share !== null; share = await thread.call('finish')) {
    signal.throwIfAborted();
    onIndexed(share);
  }
}

function refuseUseless({ rows, withSiret }: Received, origin: Origin): void {
  if (rows === 0) throw wrongType('a list of offers', 'JobOffer export', origin);
  // Without SIRETs every one would seem to have no workplaces. Few offers lack one, and no recruiter does.
  if (2 * withSiret < rows) throw wrongType('14 digits', 'JobOffer export[].workplace.siret', origin);
}

/** The pieces, of which none is passed on unless the whole file fits on the disk, as far as its size is known. */
async function* withRoom({ pieces, length, folder }: ReceiveOptions, place: string, label: string) {
  let isChecked = false;
  for await (const piece of pieces) {
    const bytes = isChecked ? null : (length() ?? (folder === null ? null : await storedBytes(folder)));
    isChecked = true;
    if (bytes !== null) await requireSpace(place, label, bytes);
    yield piece;
  }
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

/** With its indexes, and the draft beside it; texts of other words may take more. */
const NEEDED_PER_BYTE = 2;
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
function explainFullDisk(error: unknown, label: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'SQLITE_FULL') return error;
  return new NoSpaceError(`the daily export does not fit in ${label}, whose disk is full`, { cause: error });
}
