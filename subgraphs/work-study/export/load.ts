/**
 * Loads an export into a database file, while it arrives. Each row is parsed once: its text goes where it stays, what is
 * found of it into a draft beside the file. When all rows are there they are numbered in order, and copied from the draft
 * by SQL alone. What was not finished is of no use, so nothing is journalled.
 */
import { rmSync } from 'node:fs';
import { createFile, Sqlite } from '../../../database/sqlite.js';
import { foldText } from '../../../kernel/fold.js';
import { DEPARTMENTS, REGIONS } from '../../codes/departments.js';
import { communeIndex } from '../communes/commune-index.js';
import { parseRawRow, type RawRow } from './raw-row.js';
import { RepeatsFinder } from './repeats.js';
import { MAX_ROW_BYTES, RowScanner, type ScannedRow } from './row-scanner.js';
import {
  APPLICATION,
  DIMENSIONS,
  type DimensionName,
  GROUPED_TERM,
  INDEXES,
  LAYOUT,
  LISTED,
  type StoredRow,
  storedRow,
  TABLES,
} from './stored-rows.js';

/** Which file to write. Plain data, so that it can be sent to a thread. */
export interface LoadOptions {
  readonly path: string;
  /** The service's date of the export. */
  readonly lastUpdate: string;
  /** In milliseconds since 1970: what has expired by then is not open. */
  readonly nowMs: number;
}

/** What was received. */
export interface Received {
  /** Rows of the file, and those with a SIRET. */
  readonly rows: number;
  readonly withSiret: number;
  /** Those that are no objects in JSON, or too long. */
  readonly unreadable: number;
  /** Those of which labels or lists were cut. */
  readonly cut: number;
}

/** Path of the draft of a file. */
export function draftOf(path: string): string {
  return path.replace(/part$/, 'draft.part');
}

/** Bytes of pages kept in memory, and of the index of words before it is written. */
const CACHE_BYTES = 16 * 1024 * 1024;
const WORDS_BYTES = 24 * 1024 * 1024;
/** Rows of one transaction. */
const BATCH = 5000;

const [SIRET, PARTNER] = [DIMENSIONS.indexOf('siret'), DIMENSIONS.indexOf('partner')];

const DRAFT = `
  create table draft.row (r integer primary key, open integer, created real, starts real, expires real, title text, workplace text,
    x real, y real, z real, ${DIMENSIONS.map((name) => `${name} integer`).join(', ')}, post integer, words text);
  create table draft.code (name text, code integer, rank integer, primary key (name, code)) without rowid;`;

/** A file that is being loaded. */
export class ExportLoad {
  readonly #options: LoadOptions;
  readonly #db: Sqlite;
  readonly #scanner = new RowScanner((row) => this.#found.push(row));
  readonly #repeats = new RepeatsFinder();
  readonly #codes = new Map(DIMENSIONS.map((name) => [name, new Codes()]));
  readonly #nafLabels = new Map<string, string>();
  #found: ScannedRow[] = [];
  /** Bytes that a row yet to be found may need, and where they are in the file. */
  #held: Buffer = Buffer.alloc(0);
  #heldFrom = 0;
  #rows = 0;
  #stored = 0;
  #withSiret = 0;
  #unreadable = 0;
  #cut = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    createFile(draftOf(options.path));
    this.#db = Sqlite.write(options.path, CACHE_BYTES);
    this.#db.exec('pragma page_size = 16384; pragma journal_mode = off; pragma synchronous = off');
    this.#db.exec(`pragma locking_mode = exclusive; attach '${draftOf(options.path).replaceAll("'", "''")}' as draft`);
    this.#db.exec('pragma draft.journal_mode = off; pragma draft.synchronous = off');
    this.#db.exec(TABLES + DRAFT);
    this.#db.exec('begin');
  }

  /** Takes the next bytes of the file. Throws a BrokenExportError where they cannot be an export. */
  push(piece: Uint8Array): void {
    this.#held = Buffer.concat([this.#held, piece]);
    this.#scanner.push(piece);
    for (const row of this.#found) this.#add(row);
    this.#found = [];
    const from = Math.min(this.#scanner.neededFrom, this.#heldFrom + this.#held.length);
    this.#held = this.#held.subarray(from - this.#heldFrom);
    this.#heldFrom = from;
    // The row that begins there is too long to be read.
    if (this.#held.length > MAX_ROW_BYTES) {
      this.#heldFrom += this.#held.length;
      this.#held = Buffer.alloc(0);
    }
    if (this.#rows - this.#stored >= BATCH) this.#commit();
  }

  /** To be called after the last piece. Throws a BrokenExportError if the file is not whole. */
  end(): Received {
    this.#scanner.end();
    this.#commit();
    return { rows: this.#rows, withSiret: this.#withSiret, unreadable: this.#unreadable, cut: this.#cut };
  }

  /** Numbers and indexes the rows. Each step takes a second or two, and gives the share that is done. */
  *finish(): Generator<number, void> {
    const db = this.#db;
    db.exec('commit');
    yield* this.#findPosts();
    yield 0.1;
    this.#writeDimensions();
    yield 0.15;
    yield* this.#number();
    db.exec(
      `insert into words (words, rank) values ('hashsize', ${WORDS_BYTES}), ('automerge', 0), ('crisismerge', 1000)`,
    );
    // One transaction, as each writes what is collected in memory.
    db.exec('begin');
    for (let from = 0; from < this.#rows; from += BATCH) {
      db.run(
        `insert into words (rowid, t) select o.n, d.words || iif(o.post is null, '', ' ${GROUPED_TERM}')
         from offer o join draft.row d on d.r = o.r where o.n > :from and o.n <= :to order by o.n`,
        { from, to: from + BATCH },
      );
      yield 0.35 + (0.45 * from) / this.#rows;
    }
    db.exec('commit; detach draft');
    rmSync(draftOf(this.#options.path), { force: true });
    db.exec("begin; insert into words (words) values ('optimize'); commit");
    yield 0.9;
    for (const index of INDEXES) {
      db.exec(index);
      yield 0.95;
    }
    this.#describe();
    db.close();
  }

  /** Gives up a load. */
  close(): void {
    this.#db.close();
  }

  #commit(): void {
    this.#stored = this.#rows;
    this.#db.exec('commit; begin');
  }

  #add({ start, end, siret }: ScannedRow): void {
    const r = this.#rows++;
    const length = end - start;
    const isHeld = length <= MAX_ROW_BYTES && start >= this.#heldFrom;
    const json = isHeld ? this.#held.toString('utf8', start - this.#heldFrom, end - this.#heldFrom) : null;
    const row = json === null ? null : parseRawRow(json);
    if (siret !== null) this.#withSiret++;
    if (row === null) this.#unreadable++;
    else this.#addRow(r, storedRow(row, this.#options.nowMs), row);
    if (row === null && siret === null) return;
    this.#db.run('insert into body values (?, ?, ?, ?)', [
      r,
      siret === null ? null : Number(siret),
      length,
      row === null ? null : json,
    ]);
  }

  #addRow(r: number, row: StoredRow, raw: RawRow): void {
    const { keys, point } = row;
    if (row.isCut) this.#cut++;
    if (!this.#nafLabels.has(keys.naf)) this.#nafLabels.set(keys.naf, row.nafLabel);
    const codes = DIMENSIONS.map((name) => this.#codeOf(name, keys[name]));
    if (row.isOffer)
      this.#repeats.add(r, raw, { siret: codes[SIRET] ?? 0, partner: codes[PARTNER] ?? 0, commune: keys.commune });
    this.#db.run(`insert into draft.row values (?,?,?,?,?,?,?,?,?,?,${'?,'.repeat(DIMENSIONS.length)}null,?)`, [
      r,
      Number(row.isOpen),
      row.created,
      row.starts,
      row.expires,
      row.title,
      row.workplace,
      point?.x ?? null,
      point?.y ?? null,
      point?.z ?? null,
      ...codes,
      row.words,
    ]);
  }

  #codeOf(name: DimensionName, key: string): number {
    const codes = this.#codes.get(name);
    // Labels of open vocabularies that readers take for the same have one code.
    const isOpen = name === 'opco' || name === 'partner';
    return (isOpen ? codes?.of(foldText(key) || key, key) : codes?.of(key)) ?? 0;
  }

  *#findPosts(): Generator<number, void> {
    const db = this.#db;
    const read = (r: number) => parseRawRow(String(db.value('select json from body where r = ?', [r])));
    let [post, steps] = [0, 0];
    db.exec('begin');
    for (const group of this.#repeats.find(read)) {
      if (group !== null) {
        post++;
        db.run('insert into post values (?, ?)', [post, group.signals]);
        for (const r of group.rows) db.run('update draft.row set post = ? where r = ?', [post, r]);
      }
      if (steps++ % BATCH === 0) yield 0.05;
    }
    db.exec('commit');
  }

  /** Numbers the keys of each dimension in their order. */
  #writeDimensions(): void {
    const db = this.#db;
    db.transaction(() => {
      for (const name of DIMENSIONS) {
        const named = (this.#codes.get(name) as Codes).sorted();
        for (const [place, { code, key }] of named.entries()) {
          db.run('insert into draft.code values (?, ?, ?)', [name, code, place + 1]);
          if (!LISTED.includes(name)) this.#name(name, place + 1, key);
        }
        if (LISTED.includes(name))
          this.#nameItems(
            name,
            named.map(({ key }) => key.split(' ')),
          );
      }
    });
    this.#codes.clear();
  }

  #nameItems(name: DimensionName, lists: readonly (readonly string[])[]): void {
    const items = [...new Set(lists.flat())].sort();
    const places = new Map(items.map((item, place) => [item, place + 1]));
    for (const [item, place] of places) this.#name(name, place, item);
    for (const [place, list] of lists.entries())
      for (const item of list)
        this.#db.run('insert into member values (?, ?, ?)', [name, place + 1, places.get(item) ?? 0]);
  }

  #name(name: DimensionName, code: number, key: string): void {
    this.#db.run('insert into dimension values (?, ?, ?, ?)', [name, code, key, labelOf(name, key, this.#nafLabels)]);
  }

  /** Copies what is known of each row from the draft, numbered by publication. */
  *#number(): Generator<number, void> {
    const db = this.#db;
    for (const [name, order] of ORDERS) {
      db.exec(`create table draft.${name} (r integer primary key, place integer)`);
      db.exec(`insert into draft.${name} select r, row_number() over (order by ${order}, r) from draft.row`);
      yield 0.2;
    }
    const codes = DIMENSIONS.map(
      (name) => `coalesce((select rank from draft.code where name = '${name}' and code = d.${name}), 0)`,
    );
    db.exec('create unique index draft.in_order on by_created (place)');
    for (let from = 0; from < this.#rows; from += 10 * BATCH) {
      db.run(
        `insert into offer select c.place, d.r, d.open, d.expires, d.x, d.y, d.z, d.created, d.starts, d.post, s.place, t.place,
           w.place, ${codes.join(', ')}
         from draft.by_created c join draft.row d on d.r = c.r join draft.by_start s on s.r = d.r
           join draft.by_title t on t.r = d.r join draft.by_workplace w on w.r = d.r
         where c.place > :from and c.place <= :to order by c.place`,
        { from, to: from + 10 * BATCH },
      );
      yield 0.25 + (0.1 * from) / this.#rows;
    }
  }

  #describe(): void {
    const { lastUpdate, nowMs } = this.#options;
    const facts = { lastUpdate, nowMs, rows: this.#withSiret, unreadable: this.#unreadable };
    for (const [key, value] of Object.entries(facts)) this.#db.run('insert into about values (?, ?)', [key, value]);
    this.#db.exec(`pragma application_id = ${APPLICATION}; pragma user_version = ${LAYOUT}`);
  }
}

const ORDERS = [
  ['by_created', 'created is null, created desc'],
  ['by_start', 'starts is null, starts'],
  ['by_title', "title = '', title"],
  ['by_workplace', "workplace = '', workplace"],
] as const;

const DEPARTMENT_NAMES = new Map(DEPARTMENTS.map(({ code, nom }) => [code, nom]));
const REGION_NAMES = new Map(REGIONS.map(({ code, nom }) => [code, nom]));

function labelOf(name: DimensionName, key: string, nafLabels: ReadonlyMap<string, string>): string | null {
  if (name === 'commune') return communeIndex().byInsee.get(key)?.nom ?? null;
  if (name === 'department') return DEPARTMENT_NAMES.get(key) ?? null;
  if (name === 'region') return REGION_NAMES.get(key) ?? null;
  return name === 'naf' ? nafLabels.get(key) || null : null;
}

/** Numbers distinct keys from 1 in the order in which they appear; the empty one has 0. */
class Codes {
  readonly #codes = new Map<string, number>();
  /** How many rows spell a key in each way, where there are several. */
  readonly #spellings = new Map<string, Map<string, number>>();

  of(key: string, spelling?: string): number {
    if (key === '') return 0;
    if (spelling !== undefined) {
      const counts = this.#spellings.get(key) ?? new Map<string, number>();
      this.#spellings.set(key, counts.set(spelling, (counts.get(spelling) ?? 0) + 1));
    }
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    this.#codes.set(key, this.#codes.size + 1);
    return this.#codes.size;
  }

  /** The keys in the spelling of most rows, ascending. */
  sorted(): { readonly code: number; readonly key: string }[] {
    const named = [...this.#codes].map(([key, code]) => ({ code, key: this.#usual(key) }));
    return named.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  #usual(key: string): string {
    let [usual, most] = [key, 0];
    for (const [spelling, count] of this.#spellings.get(key) ?? []) if (count > most) [usual, most] = [spelling, count];
    return usual;
  }
}
