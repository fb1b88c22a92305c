import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requireOwnFile } from '../../../database/own-file.js';
import { takeLock } from '../../../database/sqlite.js';
import { instantOf } from '../../../kernel/dates.js';
import { CodedError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSlots, type Slots } from '../../rest/quota/fair-queue.js';
import type { About, LoadedExport, RowAt } from './ask.js';
import { ExportThread } from './export-thread.js';
import { MAX_ROW_BYTES } from './stored-rows.js';
import { LAYOUT } from './tables.js';

/** Whose request needs rows. */
export type Reader = Pick<OperationContext, 'request' | 'caller' | 'signal' | 'dryRun'>;

/** The rows of a SIRET, and where they are. */
export interface SiretRows {
  readonly rows: readonly unknown[];
  readonly at: readonly RowAt[];
}

const MB = 1024 * 1024;
/** Bytes of rows that one request may read: half more than its 10,000 items, as real rows have 2 kB. */
const MAX_REQUEST_BYTES = 32 * MB;
/** Bytes of rows that are being read at any time; parsed, they take about three times as much. */
const MAX_READING_BYTES = 64 * MB;
/** What a row counts as at least: however short, objects are made of it. */
const LEAST_ROW_BYTES = 3 * 1024;

/** Of this process, however many exports it has open. */
const reading = createSlots(() => MAX_READING_BYTES);
const ofRequest = new WeakMap<object, number>();

/** An export on disk. Holds the file open, so that it stays readable after it is replaced. */
export class ExportFile {
  readonly path: string;
  readonly about: About;
  /** Whether it was replaced, and can no longer be read. */
  isClosed = false;
  readonly #thread: ExportThread<LoadedExport>;
  readonly #turns = createSlots(() => 1);
  readonly #reads = new Set<Promise<unknown>>();

  private constructor(path: string, about: About, thread: ExportThread<LoadedExport>) {
    this.path = path;
    this.about = about;
    this.#thread = thread;
  }

  /** Opens a file, which needs its name no more. Rejects unless it is a whole export of this program. */
  static async open(path: string, log: Log): Promise<ExportFile> {
    requireOwnFile(path);
    const thread = new ExportThread<LoadedExport>({ ask: path }, log);
    try {
      return new ExportFile(path, await thread.call('about'), thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  /** Asks the file, callers in turns. Rejects with a DatabaseError if it cannot be read. */
  ask<K extends keyof LoadedExport & string>(
    reader: Reader,
    name: K,
    ...args: Parameters<LoadedExport[K]>
  ): Promise<ReturnType<LoadedExport[K]>> {
    return inTurn(this.#turns, reader, 1, () => this.#thread.call(name, ...(args as never)));
  }

  /** Keeps the file open until the work is done, even if it is replaced meanwhile. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    const working = work().finally(() => this.#reads.delete(working));
    this.#reads.add(working);
    return working;
  }

  /** The rows at some places, null for one that cannot be read. Rejects with `COST_EXCEEDED` for more than may be read. */
  async readRows(rows: readonly RowAt[], reader: Reader): Promise<unknown[]> {
    const error = overCharged(reader, rows);
    if (error !== null) throw error;
    return this.#read(rows, reader);
  }

  /**
   * The rows of each SIRET as the service wrote them, in file order, with null for a row that cannot be read. In place of
   * the rows with which the reader would read too much, the error that says so.
   */
  readSirets(sirets: readonly string[], reader: Reader): Promise<(SiretRows | CodedError)[]> {
    return this.hold(async () => {
      const found = await this.ask(reader, 'rowsOf', sirets);
      const charged = found.map((rows) => overCharged(reader, rows) ?? rows);
      const read = await this.#read(
        charged.flatMap((rows) => (rows instanceof CodedError ? [] : rows)),
        reader,
      );
      return charged.map((at) => (at instanceof CodedError ? at : { rows: read.splice(0, at.length), at }));
    });
  }

  /** Reads rows once there is room for them, callers in turns; between messages the event loop turns. */
  #read(rows: readonly RowAt[], reader: Reader): Promise<unknown[]> {
    return inTurn(reading, reader, sizeOf(rows), async () => {
      const read: unknown[] = [];
      while (read.length < rows.length) {
        const texts = await this.ask(
          reader,
          'texts',
          rows.slice(read.length).map(({ row }) => row),
        );
        for (const text of texts) read.push(text === null ? null : JSON.parse(text));
      }
      return read;
    });
  }

  /** Releases the file as soon as the reads in progress are done. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.#reads);
    await this.#thread.close();
  }
}

/** Counts rows for the request; if they are too many, they do not count, and the error says so. */
export function overCharged({ request }: Reader, rows: readonly RowAt[]): CodedError | null {
  const bytes = (ofRequest.get(request) ?? 0) + sizeOf(rows);
  if (bytes > MAX_REQUEST_BYTES) {
    const message = `This request reads more than ${MAX_REQUEST_BYTES / MB} MB of the daily export. Select fewer rows with \`first\`, or fewer SIRETs.`;
    return new CodedError('COST_EXCEEDED', message, { service: 'work-study' });
  }
  ofRequest.set(request, bytes);
  return null;
}

/** What rows count, in bytes. */
export function sizeOf(rows: readonly RowAt[]): number {
  return rows.reduce((sum, { bytes }) => sum + (bytes > MAX_ROW_BYTES ? 0 : Math.max(bytes, LEAST_ROW_BYTES)), 0);
}

/** Does work once so many slots are free, callers in turns. Rejects with the reason of the signal if it aborts before. */
async function inTurn<T>(slots: Slots, { request, caller, signal }: Reader, needed: number, work: () => Promise<T>) {
  const leave = await slots.enter({ request, caller: caller ?? request, signal }, false, needed).catch((error) => {
    throw signal.aborted ? signal.reason : error;
  });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    leave();
  }
}

/** Whole exports, by the date of the service in milliseconds since 1970. */
const WHOLE = new RegExp(`^export-(\\d+)\\.${LAYOUT}\\.db$`);
/** What was damaged, or not written by this program, until the next load. */
const ASIDE = 'export.aside';
/** Locked by the process that loads an export into the folder. */
const LOCK = 'loading.lock';

/** The name of the whole export of a date. */
export const exportName = (lastUpdate: string) => `export-${instantOf(lastUpdate) || 0}.${LAYOUT}.db`;

/** Names of all whole exports in a folder, the newest first. */
async function wholeExports(folder: string): Promise<string[]> {
  const dateOf = (name: string) => Number(WHOLE.exec(name)?.[1] ?? -1);
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => WHOLE.test(name)).sort((one, other) => dateOf(other) - dateOf(one));
}

/** The newest whole export in a folder, or that of a date; null if there is none. What cannot be read is set aside. */
export async function openExport(folder: string | null, log: Log, lastUpdate?: string): Promise<ExportFile | null> {
  for (const name of folder === null ? [] : await wholeExports(folder)) {
    if (lastUpdate !== undefined && name !== exportName(lastUpdate)) continue;
    const path = join(folder ?? '', name);
    try {
      return await ExportFile.open(path, log);
    } catch (error) {
      await setAside(path, error, log);
    }
  }
  return null;
}

/** Takes a file out of use, for whoever wants to look at it, until the next export is loaded. */
export async function setAside(path: string, err: unknown, log: Log): Promise<void> {
  log.warn({ file: path, err }, 'a file of the export is set aside, and loaded again: it is damaged, or foreign');
  await rename(path, join(dirname(path), ASIDE)).catch(() => remove(path));
}

/** Removes all but the newest export; whoever has an older one open goes on reading it. */
export async function keepNewest(folder: string): Promise<void> {
  const [newest] = await wholeExports(folder);
  await clear(folder, (name) => name === newest);
}

/**
 * Locks a folder, so that no other process loads an export into it, and removes what processes that died left there.
 * Returns how to unlock it; null while another process has the lock.
 */
export async function lockFolder(folder: string): Promise<(() => void) | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = takeLock(join(folder, LOCK));
  if (unlock !== null) await clear(folder, (name) => WHOLE.test(name) || name === ASIDE);
  return unlock;
}

/** Where a file that is open cannot be removed, it goes with the next load. */
async function clear(folder: string, isKept: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (name !== LOCK && !isKept(name)) await remove(join(folder, name));
}

/** Removes what can be removed. */
export async function remove(path: string): Promise<void> {
  await rm(path, { force: true, recursive: true }).catch(() => {});
}

const TEMPORARY = 'passerelle-export-';

/** A new temporary folder; those of processes that died are removed. */
export async function temporaryFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const folder = join(tmpdir(), name);
    const end = name.startsWith(TEMPORARY) ? await lockFolder(folder).catch(() => null) : null;
    if (end === null) continue;
    end();
    await remove(folder);
  }
  return mkdtemp(join(tmpdir(), TEMPORARY));
}
