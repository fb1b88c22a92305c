import { statfs } from 'node:fs/promises';

/** The index has 20 bytes for a row of about 3 kB; blocks and other files take a little as well. */
const NEEDED_PER_BYTE = 1.02;
const MB = 1024 * 1024;

/** The disk has no room for the export. The message is for the log and for the state of the source. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/** Rejects with a NoSpaceError if a file of this size does not fit on the disk of a folder; `label` names the folder. */
export async function requireSpace(folder: string, label: string, bytes: number): Promise<void> {
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
