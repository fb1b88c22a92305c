import { Readable } from 'node:stream';
import type { StoredData } from '../../kernel/trace.js';
import type { Cell, SortKey } from '../../rows/cells.js';
import { countRows, describeExtent } from '../../rows/extent.js';
import { fileName } from '../../rows/formats.js';
import type { Layout, LayoutRow, LonLat, Position } from '../../rows/layout.js';
import { omittedNote, writeOmitted } from '../../rows/lists.js';
import { MAX_ROWS } from '../../rows/page-query.js';
import type { JsonObject } from '../../rows/path.js';
import type { PickedRow, RowPicker, Sortable } from '../../rows/row-choice.js';
import { type AboutLine, aboutLines, type WritableRow } from '../../rows/row-file.js';
import { sortSteps } from '../../rows/steps.js';
import { freshTurn, isTurnSpent, stepsInTurns } from '../../runtime/event-loop/turns.js';
import type { RowRequest } from './row-request.js';

/** A response with rows instead of JSON. */
export interface RowResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Whether the format is already compressed. */
  readonly isCompressed: boolean;
}

/** What a file of rows is created from. */
interface RowFileOptions {
  readonly caller: RowCaller;
  readonly path: string;
  readonly request: RowRequest;
  readonly layout: Layout;
  readonly picker: RowPicker;
  /** The data of each page. */
  readonly pages: AsyncIterable<JsonObject>;
  readonly soFar: FileProgress;
  /** Characters that the rows may take in the file, before any compression. */
  readonly maxSize: number;
  /** Why the file will be incomplete, if that is known from the start. */
  readonly expectedCut: string | null;
  /** Names of the lists that have no columns in the file. */
  readonly omitted: readonly string[];
}

/** Characters of cells that are held in memory for sorting, and as many for recognizing equal rows. */
const MAX_HELD = 32_000_000;

/** Bytes that are buffered before the headers are sent, so that early failures show in headers and file name. */
const HELD_BYTES = 1024 * 1024;

/**
 * A file with its headers, written while it is sent. `x-passerelle-errors` is the number of errors, whose fields are
 * empty cells; `x-passerelle-incomplete` says what the file lacks, as do its name and its end. The lists in
 * `x-passerelle-omitted-lists` are also named in the file if its format has room beside the rows.
 */
export async function fileResponse(options: RowFileOptions): Promise<RowResponse> {
  const { path, request, soFar } = options;
  const { format } = request;
  const turns = createRowTurns(options.caller, soFar);
  const parts = bytesOf(options, turns);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  while (heldBytes < HELD_BYTES) {
    const { value, done } = await parts.next();
    if (done === true) break;
    held.push(value);
    heldBytes += value.length;
  }
  turns.sent();
  const incomplete = soFar.cut ?? options.expectedCut ?? failedNote(soFar);
  const omitted = writeOmitted(options.omitted);
  const charset = format.mediaType.startsWith('text/') ? '; charset=utf-8; header=present' : '';
  return {
    headers: {
      'content-type': `${format.mediaType}${charset}`,
      'content-disposition': `attachment; filename="${fileName(path, format, incomplete === null)}"`,
      'x-content-type-options': 'nosniff',
      'x-passerelle-errors': String(soFar.errors),
      ...(incomplete !== null && { 'x-passerelle-incomplete': incomplete.replace(/[^\x20-\x7e]/g, '?') }),
      ...(omitted !== null && { 'x-passerelle-omitted-lists': omitted }),
    },
    body: Readable.from(inTurn(held, parts), { objectMode: false }),
    isCompressed: format.isCompressed,
  };
}

async function* inTurn(held: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* held;
  yield* rest;
}

/** The bytes of the file. Yields to the event loop between rows, whether they are written or dropped. */
async function* bytesOf(options: RowFileOptions, turns: RowTurns): AsyncGenerator<Uint8Array> {
  const { request, layout, picker, soFar } = options;
  const file = request.format.createFile({ columns: picker.columns, positions: layout.positions });
  let written = 0;
  for await (const rows of rowsOf(options, turns)) {
    const cutBefore = soFar.cut;
    for (const row of rows) {
      const turn = turns.next();
      if (turn !== undefined) await turn;
      const isFull = file.size() > options.maxSize;
      if (isFull) soFar.cutOff(`a file has at most ${options.maxSize} characters`);
      if (isFull || soFar.cut !== cutBefore) {
        // After sorting, the number of rows that were read does not show where the file ends.
        soFar.read = picker.order === null ? soFar.read - (soFar.rows - written) : written;
        soFar.rows = written;
        break;
      }
      if (row === null) continue;
      written += 1;
      for (const part of file.add([row])) yield Buffer.from(part);
    }
  }
  const end = { note: noteOf(soFar), omitted: omittedNote(options.omitted, 'en'), about: provenanceOf(options) };
  for (const part of file.end(end)) yield Buffer.from(part);
}

function provenanceOf({ path, request: { provenance = {}, choice }, soFar }: RowFileOptions): AboutLine[] {
  const { services, stored, callsMade: calls, errors } = soFar;
  const read = { services, stored, calls, errors };
  return aboutLines({ request: provenance, writtenAt: new Date(), path, choice, ...read, language: 'en' });
}

/** The picked rows, page by page, or all at once if they are sorted; null for a dropped row. */
async function* rowsOf(options: RowFileOptions, turns: RowTurns): AsyncGenerator<Iterable<WritableRow | null>> {
  const { layout, picker, pages, soFar } = options;
  const { order } = picker;
  const held: HeldRow[] = [];
  let size = 0;
  for await (const data of pages) {
    const rows = limited(picker, layout.rowsOf(data), soFar);
    if (order === null) yield rows;
    else {
      for (const row of rows) {
        const turn = turns.next();
        if (turn !== undefined) await turn;
        if (row === null) continue;
        const copy = new HeldRow(row, layout.positions[0]);
        held.push(copy);
        size += copy.size;
        if (size > MAX_HELD) soFar.cutOff(tooMuch('sorted'));
      }
    }
    if (soFar.cut !== null) break;
  }
  if (order !== null) yield await stepsInTurns(sortSteps(held, order));
}

function tooMuch(done: string): string {
  return `rows of more than ${MAX_HELD / 1e6} million characters cannot be ${done}`;
}

/** Characters that a cell takes besides its text. */
const CELL_SIZE = 2;

/** The cells of a row without its page, which would otherwise stay in memory until all rows are sorted. */
class HeldRow implements WritableRow, Sortable {
  readonly sortKey: SortKey;
  /** In characters. */
  readonly size: number;
  readonly #cells: readonly Cell[];
  readonly #at: LonLat | null;

  constructor(row: PickedRow, position: Position | undefined) {
    this.sortKey = row.sortKey;
    this.#cells = row.cells();
    this.#at = position === undefined ? null : row.at(position);
    this.size = this.#cells.reduce<number>((sum, cell) => sum + CELL_SIZE + String(cell ?? '').length, 0);
  }

  cells(): readonly Cell[] {
    return this.#cells;
  }

  at(): LonLat | null {
    return this.#at;
  }
}

/** The picked rows up to the limits of a file; null for a dropped row. */
function* limited(picker: RowPicker, rows: Iterable<LayoutRow>, soFar: FileProgress): Generator<PickedRow | null> {
  for (const row of rows) {
    if (soFar.cut !== null) return;
    const picked = picker.pick(row);
    if (picked !== null && soFar.rows >= MAX_ROWS) soFar.cutOff(`a file has at most ${MAX_ROWS} rows`);
    if (picker.heldCharacters() > MAX_HELD) soFar.cutOff(tooMuch('compared'));
    if (soFar.cut !== null) return;
    soFar.read += 1;
    if (picked !== null) soFar.rows += 1;
    yield picked;
  }
}

/** The note at the end of the file: where it ends and why, and how many errors left gaps in it. */
function noteOf(soFar: FileProgress): string | null {
  const { cut, rows, read } = soFar;
  const chosen = read === rows ? '' : `, ${rows} of them in this file`;
  const notes = [cut === null ? null : `cut after ${countRows(read, 'en')}${chosen}: ${cut}`, failedNote(soFar)];
  return notes.filter((note) => note !== null).join('; ') || null;
}

function failedNote({ failed }: FileProgress): string | null {
  return failed === 0 ? null : describeExtent({ kind: 'failed', errors: failed }, '', 'en');
}

/** The request that a file is for. */
export interface RowCaller {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  remainingMs(): number;
}

/** Milliseconds that rows may take in any case, so that what a service sent at the deadline is still written. */
const LEAST_MS = 2_000;

type RowTurns = ReturnType<typeof createRowTurns>;

/**
 * Yields to the event loop while rows are read, whether or not they get into the file. Cuts it in `soFar` when the
 * client is gone, or at the deadline if nothing has been sent.
 */
function createRowTurns(caller: RowCaller, soFar: FileProgress) {
  // The deadline may already have aborted upstream calls. After that, only a disconnecting client aborts.
  const wasOver = caller.signal.aborted;
  let endsAt = performance.now() + Math.max(LEAST_MS, caller.remainingMs());
  async function turn(): Promise<void> {
    await freshTurn();
    if (caller.signal.aborted && !wasOver) soFar.cutOff('the client disconnected');
    else if (performance.now() > endsAt) soFar.cutOff('the deadline of the request was exceeded');
  }
  return {
    /** Resolves in a fresh turn; undefined while this one is not used up, which is cheaper than a promise. */
    next: () => (isTurnSpent() ? turn() : undefined),
    /** Call it when the headers are sent: from now on, the client's connection decides how long the file takes. */
    sent() {
      endsAt = Number.POSITIVE_INFINITY;
    },
  };
}

/** How far an export has come. */
export class FileProgress {
  pages = 0;
  callsMade = 0;
  /** The services that the rows come from. */
  services: readonly string[] = [];
  /** What of them was read without a call. */
  stored: readonly StoredData[] = [];
  /** Rows that were written. */
  rows = 0;
  /** Rows that were read for them, whether or not they were chosen. */
  read = 0;
  errors = 0;
  /** Number of those errors that may have left rows or their cells empty. */
  failed = 0;
  /** Why the file does not have the whole list, or may not; null while nothing is missing. */
  cut: string | null = null;

  /** Ends the export. The first of several reasons counts. */
  cutOff(reason: string): void {
    this.cut ??= reason;
  }
}
