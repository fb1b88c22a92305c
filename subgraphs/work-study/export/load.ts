/**
 * Loads an export into a database file, while it arrives. Each row is parsed once: its text goes where it stays, what is
 * found of it into a draft beside the file. When all rows are there they are numbered in order, and copied from the draft
 * by SQL alone. What was not finished is of no use, so nothing is journalled.
 */
import { rmSync } from 'node:fs';
import { createFile, Sqlite } from '../../../database/sqlite.js';
import { foldText } from '../../../kernel/fold.js';
import { ListScanner } from '../../rest/list-stream.js';
import { PostKeys, samePosts } from './repeats.js';
import { keysOfPost } from './same-post.js';
import { MAX_ROW_BYTES, parseRawRow, storedRow } from './stored-rows.js';
import { APPLICATION, DIMENSIONS, type DimensionName, GROUPED_TERM, INDEXES, TABLES } from './tables.js';

/** Why an export is not taken. The message is for the log and for whoever asks the export. */
export class UnusableExport extends Error {
  override readonly name = 'UnusableExport';
  /** Its bytes cannot be an export, it is much smaller than the one in use, or the disk has no room for it. */
  readonly why: 'broken' | 'shrunken' | 'full';

  constructor(why: UnusableExport['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** Words of titles of which nearly all offers, and enough of them, have one and the same occupation. */
const TITLE_WORDS = `
  insert into title_word
  select word, rome from (
    select *, sum(offers) over (partition by word) whole from (
      select w.value word, r.rome rome, count(*) offers, count(distinct r.workplace) workplaces
      from draft.row r, json_each('["' || replace(r.title, ' ', '","') || '"]') w
      where r.rome <> '' and length(w.value) > 3 group by 1, 2
    )
  ) where offers >= 20 and workplaces >= 5 and offers >= 0.95 * whole and instr(rome, ' ') = 0`;

/** Which file to write. Plain data, so that it can be sent to a thread. */
export interface LoadOptions {
  readonly path: string;
  /** The service's date of the export. */
  readonly lastUpdate: string;
  /** In milliseconds since 1970: what has expired by then is not open. */
  readonly nowMs: number;
}

/** Path of the draft of a file. */
export function draftOf(path: string): string {
  return path.replace(/part$/, 'draft.part');
}

/** Bytes of pages kept in memory of the file and of the draft, and of the index of words before it is written. */
const CACHE_BYTES = 8 * 1024 * 1024;
const WORDS_BYTES = 24 * 1024 * 1024;
/** Rows of one transaction. */
const BATCH = 5000;

/** What the draft has of a row beside its number and whether it is open, in this order. */
const DRAFTED = ['bytes', 'created', 'starts', 'expires', 'x', 'y', 'z', 'title', 'workplace', ...DIMENSIONS] as const;
const DRAFT = `
  create table draft.row (r integer primary key, open integer, ${DRAFTED.join(', ')}, post integer);
  create table draft.text (r integer primary key, words text);
  create table draft.code (name text, key text, code integer, primary key (name, key)) without rowid;`;
const INTO_DRAFT = `insert into draft.row values (?, ?, ${'?, '.repeat(DRAFTED.length)}null)`;

/** Dimensions with keys as rows write them; those of all others are codes and words of closed vocabularies. */
const WRITTEN: readonly DimensionName[] = ['rome', 'naf', 'opco', 'partner'];

/** The SIRET of a row that cannot be parsed. */
const SIRET = /"siret"\s*:\s*"(\d{14})"/;

/** A file that is being loaded. */
export class ExportLoad {
  readonly #options: LoadOptions;
  readonly #db: Sqlite;
  readonly #scanner = new ListScanner(MAX_ROW_BYTES);
  readonly #nafLabels = new Map<string, string>();
  readonly #postKeys = new PostKeys();
  #steps: Generator<number, void> | null = null;
  /** Rows of the file, those with a SIRET, those that cannot be read, and those of which labels or lists were cut. */
  readonly #received = { rows: 0, withSiret: 0, unreadable: 0, cut: 0 };

  constructor(options: LoadOptions) {
    this.#options = options;
    createFile(draftOf(options.path));
    this.#db = Sqlite.write(options.path, CACHE_BYTES);
    this.#db.exec('pragma page_size = 16384; pragma journal_mode = off; pragma synchronous = off');
    this.#db.exec(`pragma locking_mode = exclusive; attach '${draftOf(options.path).replaceAll("'", "''")}' as draft`);
    // What is sorted may be larger than what the memory of this process allows.
    this.#db.exec('pragma draft.journal_mode = off; pragma draft.synchronous = off; pragma temp_store = file');
    this.#db.exec(`pragma draft.cache_size = -${CACHE_BYTES / 1024}`);
    this.#db.exec(`${TABLES + DRAFT} begin`);
  }

  /** Takes the next bytes of the file. Throws an UnusableExport where they cannot be an export. */
  push(piece: Uint8Array): void {
    for (const item of this.#scanner.push(piece)) {
      this.#add(item);
      if (this.#received.rows % BATCH === 0) this.#db.exec('commit; begin');
    }
    if (this.#scanner.isList === false) throw new UnusableExport('broken', 'the daily export is not a list');
  }

  /** To be called after the last piece. Throws an UnusableExport if the file is not whole. */
  end() {
    if (!this.#scanner.isEnded) throw new UnusableExport('broken', 'the daily export is truncated');
    this.#db.exec('commit');
    return this.#received;
  }

  /** Goes on with what follows the last piece, for a second or two. Returns the share that is done; null at the end. */
  finish(): number | null {
    this.#steps ??= this.#finish();
    const step = this.#steps.next();
    return step.done === true ? null : step.value;
  }

  /** Numbers and indexes the rows. */
  *#finish(): Generator<number, void> {
    const db = this.#db;
    db.transaction(() => this.#findPosts());
    yield 0.1;
    db.transaction(() => {
      for (const name of DIMENSIONS) {
        if (WRITTEN.includes(name)) this.#numberWritten(name);
        else this.#number(name);
      }
    });
    yield 0.12;
    db.transaction(() => db.exec(TITLE_WORDS));
    yield 0.15;
    yield* this.#order();
    yield* this.#index();
    const { lastUpdate, nowMs } = this.#options;
    const { withSiret, unreadable } = this.#received;
    for (const [key, value] of Object.entries({ lastUpdate, nowMs, rows: withSiret, unreadable }))
      db.run('insert into about values (?, ?)', [key, value]);
    db.exec(`pragma application_id = ${APPLICATION}`);
    db.close();
  }

  /** Gives up a load. */
  close(): void {
    this.#db.close();
  }

  #add(item: Buffer): void {
    const [db, received] = [this.#db, this.#received];
    const r = received.rows++;
    const json = item.toString();
    const raw = item.length > MAX_ROW_BYTES ? null : parseRawRow(json);
    const row = raw && storedRow(raw, this.#options.nowMs);
    const siret = row === null ? SIRET.exec(json)?.[1] : row.keys.siret;
    if (siret) received.withSiret++;
    if (row === null) received.unreadable++;
    if (row?.isCut) received.cut++;
    if (row !== null || siret)
      db.run('insert into body values (?, ?, ?, ?)', [r, siret ? Number(siret) : null, item.length, row && json]);
    if (raw === null || row === null) return;
    const { keys, point, created, starts, expires, title, workplace } = row;
    if (!this.#nafLabels.has(keys.naf)) this.#nafLabels.set(keys.naf, row.nafLabel);
    const { x = null, y = null, z = null } = point ?? {};
    const drafted = [item.length, created, starts, expires, x, y, z, title, workplace];
    db.run(INTO_DRAFT, [r, Number(row.isOpen), ...drafted, ...DIMENSIONS.map((name) => keys[name])]);
    db.run('insert into draft.text values (?, ?)', [r, row.words]);
    for (const key of row.isOffer ? keysOfPost(raw, keys.commune) : []) this.#postKeys.add(key, r);
  }

  #findPosts(): void {
    let post = 0;
    for (const { rows, signals } of samePosts(this.#db, this.#postKeys)) {
      this.#db.run('insert into post values (?, ?)', [++post, signals]);
      for (const r of rows) this.#db.run('update draft.row set post = ? where r = ?', [post, r]);
    }
  }

  /** Numbers the keys of a dimension in their order: without JavaScript, of which a key for each row would fill the heap. */
  #number(name: DimensionName): void {
    const keys = `select ${name} key from draft.row where ${name} <> '' group by 1`;
    const codes = `insert into draft.code select ?, key, row_number() over (order by key) from (${keys})`;
    this.#db.run(codes, [name]);
    this.#db.run('insert into dimension select name, code, key, null from draft.code where name = ?', [name]);
  }

  /** The same of keys as rows write them. Labels that readers take for the same are one, as most rows write it. */
  #numberWritten(name: DimensionName): void {
    const db = this.#db;
    const keys = `select ${name} from draft.row where ${name} <> '' group by 1`;
    const isOpen = name === 'opco' || name === 'partner';
    const written = db.all(isOpen ? `${keys} order by count(*) desc, min(r)` : keys).map(([key]) => String(key));
    const sameAs = (key: string) => (isOpen && foldText(key)) || key;
    const usual = new Map<string, string>();
    for (const key of written) if (!usual.has(sameAs(key))) usual.set(sameAs(key), key);
    const codes = new Map([...usual.values()].sort().map((key, place) => [key, place + 1]));
    const labelOf = (key: string) => (name === 'naf' && this.#nafLabels.get(key)) || null;
    for (const [key, code] of codes)
      db.run('insert into dimension values (?, ?, ?, ?)', [name, code, key, labelOf(key)]);
    for (const key of written)
      db.run('insert into draft.code values (?, ?, ?)', [name, key, codes.get(usual.get(sameAs(key)) ?? '') ?? 0]);
  }

  /** Copies what is known of each row from the draft, numbered by publication. */
  *#order(): Generator<number, void> {
    const db = this.#db;
    db.exec('create table draft.by_created (place integer primary key, r integer)');
    db.exec('insert into draft.by_created (r) select r from draft.row order by created is null, created desc, r');
    yield 0.17;
    for (const [name, order] of ORDERS) {
      db.exec(`create table draft.${name} (r integer primary key, place integer)`);
      db.exec(`insert into draft.${name} select r, row_number() over (order by ${order}, r) from draft.row`);
      yield 0.2;
    }
    const codes = DIMENSIONS.map(
      (name) => `coalesce((select code from draft.code where name = '${name}' and key = d.${name}), 0)`,
    );
    const rows = 'draft.by_created c join draft.row d on d.r = c.r';
    const ranks = ORDERS.map(([name]) => `join draft.${name} on ${name}.r = d.r`);
    const numbered = [
      `offer select c.place, d.r, d.bytes, d.open, d.expires, d.created, d.starts, d.post, by_start.place, by_title.place,
         by_workplace.place from ${rows} ${ranks.join(' ')}`,
      `place select c.place, d.r, d.open, d.x, d.y, d.z from ${rows} and d.x is not null`,
      `facet select c.place, d.open, d.post, d.x, d.y, d.z, ${codes.join(', ')} from ${rows}`,
    ].map((table) => `insert into ${table} where c.place > :from and c.place <= :to order by c.place`);
    for (let from = 0; from < this.#received.rows; from += 10 * BATCH) {
      for (const table of numbered) db.run(table, { from, to: from + 10 * BATCH });
      yield 0.25 + (0.1 * from) / this.#received.rows;
    }
  }

  *#index(): Generator<number, void> {
    const db = this.#db;
    db.exec(
      `insert into words (words, rank) values ('hashsize', ${WORDS_BYTES}), ('automerge', 0), ('crisismerge', 1000)`,
    );
    // One transaction of few statements, as each writes what is collected in memory.
    db.exec('begin');
    for (let from = 0; from < this.#received.rows; from += 4 * BATCH) {
      db.run(
        `insert into words (rowid, t) select o.n, d.words || iif(o.post is null, '', ' ${GROUPED_TERM}')
         from offer o join draft.text d on d.r = o.r where o.n > :from and o.n <= :to order by o.n`,
        { from, to: from + 4 * BATCH },
      );
      yield 0.35 + (0.45 * from) / this.#received.rows;
    }
    db.exec('commit; detach draft');
    rmSync(draftOf(this.#options.path), { force: true });
    db.exec("begin; insert into words (words) values ('optimize'); commit");
    yield 0.9;
    for (const index of INDEXES) {
      db.exec(index);
      yield 0.95;
    }
  }
}

/** Other orders than that of the rows' numbers. */
const ORDERS = [
  ['by_start', 'starts is null, starts'],
  ['by_title', "title = '', title"],
  ['by_workplace', "workplace = '', workplace"],
] as const;
