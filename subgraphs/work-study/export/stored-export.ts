import { statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireOwnFile } from '../../../database/own-file.js';
import { Sqlite } from '../../../database/sqlite.js';
import { instantOf } from '../../../kernel/dates.js';
import { CodedError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { isBeingWritten } from '../../../runtime/stores/cache-folder.js';
import { createSlots } from '../../rest/quota/fair-queue.js';
import type { LoadedExport, RowAt } from './ask.js';
import { ExportThread } from './export-thread.js';
import { MAX_ROW_BYTES } from './raw-row.js';
import { charge, inTurn, type Reader, readInTurn } from './reading-bounds.js';
import { APPLICATION, LAYOUT } from './stored-rows.js';

/** Rows are read and parsed in parts of so many bytes, between which the event loop turns: a few milliseconds. */
const PART_BYTES = 256 * 1024;

/** What a file says of itself. */
interface About {
  /** The service's date of the export. */
  readonly lastUpdate: string;
  /** Rows with a SIRET. */
  readonly rows: number;
  /** Rows that are missing among those that can be asked. */
  readonly unreadable: number;
}

/** An export on disk. Holds the file open, so that it stays readable after it is replaced. */
export class ExportFile {
  readonly path: string;
  readonly about: About;
  /** Whether it was replaced, and can no longer be read. */
  isClosed = false;
  readonly #thread: ExportThread<LoadedExport>;
  readonly #turns = createSlots(() => 1);
  readonly #reads = new Set<Promise<unknown>>();

  constructor(path: string, about: About, log: Log) {
    this.path = path;
    this.about = about;
    this.#thread = new ExportThread({ ask: path }, log);
  }

  get lastUpdate(): string {
    return this.about.lastUpdate;
  }

  /** Asks the file, callers in turns. Rejects with a DatabaseError if it cannot be read. */
  ask<K extends keyof LoadedExport & string>(
    reader: Reader,
    name: K,
    ...args: Parameters<LoadedExport[K]>
  ): Promise<ReturnType<LoadedExport[K]>> {
    return inTurn(this.#turns, reader, () => this.#thread.call(name, ...(args as never)));
  }

  /** Keeps the file open until the work is done, even if it is replaced meanwhile. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    const working = work().finally(() => this.#reads.delete(working));
    this.#reads.add(working);
    return working;
  }

  /** Resolves once the file is open, and needs its name no more. */
  async opened(): Promise<void> {
    await this.#thread.call('rowsOf', []);
  }

  /**
   * The rows at some places, in the same order, with null for one that cannot be read. Rejects with `COST_EXCEEDED` for
   * more bytes than a request may read.
   */
  async readRows(rows: readonly RowAt[], reader: Reader): Promise<unknown[]> {
    charge(reader, lengthsOf(rows));
    return this.#readCharged(rows, reader);
  }

  /**
   * The rows of each SIRET as the service wrote them, in file order, with null for a row that cannot be read. In place of
   * the rows with which the reader would read too much, the error that says so.
   */
  readSirets(sirets: readonly string[], reader: Reader): Promise<(readonly unknown[] | CodedError)[]> {
    return this.hold(async () => {
      const found = await this.ask(reader, 'rowsOf', sirets);
      const charged = found.map((rows) => chargedFor(rows, reader));
      const read = await this.#readCharged(
        charged.flatMap((rows) => (rows instanceof CodedError ? [] : rows)),
        reader,
      );
      return charged.map((rows) => (rows instanceof CodedError ? rows : read.splice(0, rows.length)));
    });
  }

  #readCharged(rows: readonly RowAt[], reader: Reader): Promise<unknown[]> {
    return readInTurn(reader, lengthsOf(rows), async () => {
      const read: unknown[] = [];
      for (const part of parts(rows))
        for (const text of await this.ask(reader, 'texts', part)) read.push(text === null ? null : JSON.parse(text));
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

function chargedFor(rows: readonly RowAt[], reader: Reader): readonly RowAt[] | CodedError {
  try {
    charge(reader, lengthsOf(rows));
    return rows;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

function lengthsOf(rows: readonly RowAt[]): number[] {
  return rows.map(({ bytes }) => bytes);
}

/** The places of rows, in parts of about as many bytes. */
function* parts(rows: readonly RowAt[]): Generator<number[]> {
  let [part, bytes]: [number[], number] = [[], 0];
  for (const { row, bytes: length } of rows) {
    part.push(row);
    bytes += Math.min(length, MAX_ROW_BYTES);
    if (bytes < PART_BYTES) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** Ending of an export that is whole; what is being written ends in `.part`. */
const WHOLE = `.${LAYOUT}.db`;
/** What was damaged, or not written by this program, until the next load. */
const ASIDE = 'export.aside';
/** What a process names while it writes, and what earlier versions left. */
const WRITTEN = /^export-[\da-f]{12}-\d+-[\da-f]{8}-[\da-f-]{36}\.[\w.]+$/;
const EARLIER = /^(export|index)[-.].*(part|json|stock|index|db)$/;
/** Files of other versions, which may be running beside this one, are kept for so long. */
const OTHERS_MS = 3 * 24 * 60 * 60 * 1000;

/** The newest whole export in a folder; null if there is none. What is there and cannot be read is set aside. */
export async function reopenExport(folder: string, log: Log): Promise<ExportFile | null> {
  const [newest] = await wholeExports(folder, log);
  return newest === undefined ? null : new ExportFile(newest.path, newest.about, log);
}

/** All whole exports of a folder, the newest first. */
async function wholeExports(folder: string, log: Log) {
  const found: { readonly path: string; readonly about: About }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(WHOLE)) continue;
    const path = join(folder, name);
    const about = await describe(path, log);
    if (about !== null) found.push({ path, about });
  }
  return found.sort((one, other) => instantOf(other.about.lastUpdate) - instantOf(one.about.lastUpdate));
}

/** What a file says of itself; null if it is not one of ours, or damaged. */
async function describe(path: string, log: Log): Promise<About | null> {
  try {
    requireOwnFile(path);
    const db = Sqlite.read(path, 64 * 1024);
    try {
      if (db.value('pragma application_id') !== APPLICATION) throw new Error('It is the database of another program.');
      const facts = new Map(db.all('select key, value from about').map(([key, value]) => [String(key), value]));
      const [rows, unreadable] = [Number(facts.get('rows')), Number(facts.get('unreadable'))];
      return { lastUpdate: String(facts.get('lastUpdate')), rows, unreadable };
    } finally {
      db.close();
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    await setAside(path, error, log);
    return null;
  }
}

/** Takes a file out of use, for whoever wants to look at it, until the next export is loaded. */
export async function setAside(path: string, error: unknown, log: Log): Promise<void> {
  log.warn(
    { file: path, err: error },
    'a file of the export is set aside, and loaded again: it is damaged, or foreign',
  );
  await rename(path, join(dirname(path), ASIDE)).catch(() =>
    rm(path, { force: true, recursive: true }).catch(() => {}),
  );
}

/** Gives a file that was written its place, where the next start finds it. */
export async function placeExport(part: string, log: Log): Promise<ExportFile> {
  const handle = await open(part, 'r+');
  await handle.sync();
  await handle.close();
  const path = part.replace(/\.part$/, WHOLE);
  await rename(part, path);
  const about = await describe(path, log);
  if (about === null) throw new Error('The export was not written as a whole.');
  return new ExportFile(path, about, log);
}

/**
 * Removes what was set aside, and all exports but the newest: if another process has brought a newer one meanwhile, that
 * is not the file that was written last, which then stays open without a name.
 */
export async function keepNewest(folder: string, file: ExportFile, log: Log): Promise<void> {
  await file.opened();
  const [, ...older] = await wholeExports(folder, log);
  for (const path of [join(folder, ASIDE), ...older.map((one) => one.path)])
    await rm(path, { force: true }).catch(() => {});
}

/**
 * Removes what no living process is writing: what was being written when one died. In a folder of its own, also what
 * earlier versions left there, but no export that is whole.
 */
export async function sweepExports(folder: string, isOwn: boolean): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const isPart = WRITTEN.test(name) && !(isOwn && name.endsWith(WHOLE));
    const isLeft = isPart
      ? !(await isBeingWritten(folder, name))
      : isOwn && EARLIER.test(name) && !name.endsWith(WHOLE) && !(await isYoung(join(folder, name)));
    if (isLeft) await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

async function isYoung(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found === null || Date.now() - found.mtimeMs < OTHERS_MS;
}

/** Bytes of the largest export in the folder; null when there is none. */
export async function storedBytes(folder: string): Promise<number | null> {
  const sizes = (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith(WHOLE))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.length === 0 ? null : Math.max(...sizes);
}

/** Creates the folder, for this user alone. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
