import { open, rename, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instantOf } from '../../../kernel/dates.js';
import type { Log } from '../../../kernel/log.js';
import { type Sender, wrongType } from '../../rest/shape.js';
import type { ExportLink } from './export-link.js';
import { ExportThread } from './export-thread.js';
import { draftOf, type ExportLoad, UnusableExport } from './load.js';
import { ExportFile, exportName, keepNewest, lockFolder, remove, temporaryFolder } from './stored-export.js';

/** Where the export comes from, and where it is stored. */
export interface ExportSource {
  readonly log: Log;
  readonly exportLink: (signal: AbortSignal) => Promise<ExportLink>;
  /** The file's bytes as they arrive; `onLength` is called with the expected size if it is known. */
  readonly download: (
    url: string,
    signal: AbortSignal,
    onLength?: (bytes: number) => void,
  ) => AsyncIterable<Uint8Array>;
  /** Folder of this service alone where the file survives a restart; null stores nothing. */
  readonly folder: string | null;
  /** Counts the drift of a file that is refused. */
  readonly sender: Sender;
}

/** Which export to receive. */
interface Receiving extends ExportLink {
  /** The export in use, beside which a much smaller one is refused; null if there is none. */
  readonly previous: Pick<ExportFile, 'about'> | null;
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Called with the share that is done, from 0 to 1; null if that is unknown. */
  readonly onProgress: (share: number | null) => void;
}

/** Bytes that the thread takes at once. */
const SENT_BYTES = 256 * 1024;
/** What follows the last byte takes so many times as long as receiving it. */
const INDEXING = 0.6;

/**
 * Loads an export into a file while it arrives. It appears in the folder complete, or not at all: for a truncated,
 * unreadable or refused file, or one without SIRETs, nothing changes and the promise rejects, as it does for one that does
 * not fit on the disk. Without a folder, the file is in a temporary one, which is gone once it is open.
 */
export async function receiveExport(source: ExportSource, receiving: Receiving): Promise<ExportFile> {
  const { folder, log } = source;
  const { lastUpdate, nowMs } = receiving;
  const place = folder ?? (await temporaryFolder());
  const unlock = folder === null ? await lockFolder(place) : null;
  const path = join(place, 'export.part');
  const thread = new ExportThread<ExportLoad>({ load: { path, lastUpdate, nowMs } }, log);
  try {
    await load(thread, source, receiving);
    return await placeExport(path, source, lastUpdate);
  } catch (error) {
    throw explainFullDisk(error, source);
  } finally {
    await thread.close();
    unlock?.();
    for (const left of folder === null ? [place] : [path, draftOf(path)]) await remove(left);
  }
}

async function load(thread: ExportThread<ExportLoad>, source: ExportSource, receiving: Receiving): Promise<void> {
  const { url, signal, onProgress } = receiving;
  // Both threads have it: of copies, each would keep what it has not yet collected.
  const sent = new Uint8Array(new SharedArrayBuffer(SENT_BYTES));
  let received = 0;
  let expected: number | null = null;
  const pieces = source.download(url, signal, (length) => {
    expected = length;
  });
  for await (const piece of pieces) {
    signal.throwIfAborted();
    if (received === 0) await requireSpace(source, expected);
    received += piece.length;
    onProgress(expected && Math.min(1, received / expected) / (1 + INDEXING));
    for (let at = 0; at < piece.length; at += SENT_BYTES) {
      const part = piece.subarray(at, at + SENT_BYTES);
      sent.set(part);
      await thread.call('push', sent.subarray(0, part.length));
    }
  }
  const { rows, withSiret, cut } = await thread.call('end');
  if (rows === 0) throw wrongType('a list of offers', 'JobOffer export', source.sender);
  // Without SIRETs every one would seem to have no workplaces. Few offers lack one, and no recruiter does.
  if (2 * withSiret < rows) throw wrongType('14 digits', 'JobOffer export[].workplace.siret', source.sender);
  refuseShrunken(withSiret, receiving);
  if (cut > 0) source.sender.drift('JobOffer export[]', 'form');
  for (let share: number | null = 0; share !== null; share = await thread.call('finish')) {
    signal.throwIfAborted();
    onProgress((1 + INDEXING * share) / (1 + INDEXING));
  }
}

/** Gives a file that was written its place, where the next start finds it. */
async function placeExport(part: string, { folder, log }: ExportSource, lastUpdate: string): Promise<ExportFile> {
  const handle = await open(part, 'r+');
  await handle.sync();
  await handle.close();
  // Without a folder it has no place: nothing is left when the process is killed.
  if (folder === null) return ExportFile.open(part, log);
  const path = join(folder, exportName(lastUpdate));
  await rename(part, path);
  const file = await ExportFile.open(path, log);
  await keepNewest(folder);
  return file;
}

/** Milliseconds for which an export is kept rather than replaced by a much smaller one. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1000;
/** Of fewer rows, half may go on any day. */
const MIN_KEPT_ROWS = 100;

function refuseShrunken(rows: number, { lastUpdate, previous }: Receiving): void {
  if (previous === null) return;
  const { about } = previous;
  if (about.rows < MIN_KEPT_ROWS || 2 * rows >= about.rows) return;
  if (instantOf(lastUpdate) - instantOf(about.lastUpdate) >= KEPT_MS) return;
  const message = `the daily export of ${lastUpdate} has ${rows} rows, that of ${about.lastUpdate} has ${about.rows}`;
  throw new UnusableExport('shrunken', message);
}

/** With its indexes, and the draft beside it; texts of other words may take more. */
const NEEDED_PER_BYTE = 2;
const MB = 1024 * 1024;

const labelOf = (folder: string | null) => (folder === null ? 'the temporary folder' : 'CACHE_DIR');

/** Rejects if a file of this size does not fit on the disk; some network file systems do not say. */
async function requireSpace({ folder }: ExportSource, bytes: number | null): Promise<void> {
  const disk = await statfs(folder ?? tmpdir()).catch(() => null);
  if (bytes === null || disk === null || disk.blocks === 0) return;
  const [needed, free] = [bytes * NEEDED_PER_BYTE, disk.bavail * disk.bsize];
  if (needed <= free) return;
  const [neededMb, freeMb] = [Math.ceil(needed / MB), Math.floor(free / MB)];
  const message = `the daily export needs ${neededMb} MB in ${labelOf(folder)}, where ${freeMb} MB are free`;
  throw new UnusableExport('full', message);
}

/** Says so if the disk, or the share of it that we may use, is full. */
function explainFullDisk(error: unknown, { folder }: ExportSource): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'SQLITE_FULL') return error;
  return new UnusableExport('full', `the daily export does not fit in ${labelOf(folder)}, whose disk is full`);
}
