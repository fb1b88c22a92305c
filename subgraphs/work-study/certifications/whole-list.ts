import { Sqlite } from '../../../database/sqlite.js';
import { isRecord, parseShallowJson } from '../../../kernel/text.js';
import { type Sender, wrongType } from '../../rest/shape.js';
import type { Gathered } from '../../rest/upstream.js';
import { Certification, type CertificationView } from './shapes.js';

/** Bytes of pages in memory; a list of tens of thousands of rows of some 3 kB is mostly on disk. */
const CACHE_BYTES = 4 * 1024 * 1024;
/** Bytes of rows that are kept; the source has some 100 MB. */
const MAX_BYTES = 512 * 1024 * 1024;

const TABLES = `
  create temp table trait (place integer primary key, level text, diploma text, active integer, romes text);
  create temp table row (place integer primary key, json text);`;
/** A row without traits cannot be read, and may be wanted. */
const WANTED = `romes is null or ((:level is null or :level in (level, diploma)) and (:active is null or :active = active)
  and (:romes = '[]' or exists (select 1 from json_each(:romes) where instr(romes, ' ' || value || ' '))))`;

/** The source's whole list of certifications, as rows of a temporary file. */
export class WholeList {
  readonly #db = Sqlite.temporary(CACHE_BYTES);
  size = 0;
  /** Whether there were more than it may keep. */
  isFull = false;

  private constructor() {
    this.#db.exec(TABLES);
  }

  /** The list of all rows, or of those for which there is room. */
  static async gather(rows: AsyncIterable<Buffer>): Promise<Gathered> {
    const list = new WholeList();
    let bytes = 0;
    for await (const row of rows) {
      list.#add(row.toString());
      bytes += row.length;
      list.isFull = bytes > MAX_BYTES;
      if (list.isFull) break;
    }
    return { json: list, heapBytes: CACHE_BYTES };
  }

  #add(json: string): void {
    const place = this.size++;
    const traits = traitsOf(parseShallowJson(json));
    this.#db.run('insert into row values (?, ?)', [place, json]);
    const { levels = [], isActive = null, romes } = traits ?? {};
    const [level = null, diploma = null] = levels.map((one) => (typeof one === 'string' ? one : null));
    const active = typeof isActive === 'boolean' ? Number(isActive) : null;
    const values = [place, level, diploma, active, romes ? ` ${romes.join(' ')} ` : null];
    this.#db.run('insert into trait values (?, ?, ?, ?, ?)', values);
  }

  /** Places of the rows that are wanted, in order; a row that cannot be read may be one. */
  placesOf({ level, romes, rncpActive }: Wanted): number[] {
    const active = rncpActive === null ? null : Number(rncpActive);
    const values = { level, active, romes: JSON.stringify(romes) };
    const found = this.#db.all(`select place from trait where ${WANTED} order by place`, values);
    return found.map(([place]) => Number(place));
  }

  /** The rows at places, one a step; one that cannot be read is an error in its place. */
  *read(places: readonly number[], sender: Sender): Generator<void, (CertificationView | null)[]> {
    const rows: (CertificationView | null)[] = [];
    for (const place of places) {
      rows.push(viewOf(String(this.#db.value('select json from row where place = ?', [place])), sender));
      yield;
    }
    return rows;
  }
}

/** Which certifications are wanted: null and an empty list mean any. */
export interface Wanted {
  /** A European level, in the source's word. */
  readonly level: string | null;
  /** Occupations, one of which the certification leads to. */
  readonly romes: readonly string[];
  readonly rncpActive: boolean | null;
}

/** Whether a certification as sent is wanted; also if it is none, because it may be one that cannot be read. */
export function isWanted(json: unknown, wanted: Wanted): boolean {
  const traits = traitsOf(json);
  if (traits === null) return true;
  if (wanted.level !== null && !traits.levels.includes(wanted.level)) return false;
  if (wanted.rncpActive !== null && traits.isActive !== wanted.rncpActive) return false;
  return wanted.romes.length === 0 || wanted.romes.some((code) => traits.romes.includes(code));
}

/** What certifications are looked up by; null for what is none. */
function traitsOf(json: unknown) {
  if (!isRecord(json)) return null;
  const romes = at(json, 'domaines', 'rome', 'rncp');
  return {
    /** European levels of the register and of the diploma, in the source's words. */
    levels: [at(json, 'intitule', 'niveau', 'rncp', 'europeen'), at(json, 'intitule', 'niveau', 'cfd', 'europeen')],
    /** Whether enrolments at the record of the register are open; null without a record. */
    isActive: at(json, 'periode_validite', 'rncp', 'actif'),
    romes: Array.isArray(romes) ? romes.map((rome: unknown) => at(rome, 'code')) : [],
  };
}

function at(json: unknown, ...names: readonly string[]): unknown {
  return names.reduce((value, name) => (isRecord(value) ? value[name] : undefined), json) ?? null;
}

/** GraphQL takes an error in a list for that of its item. */
function viewOf(text: string, sender: Sender): CertificationView | null {
  try {
    const json = parseShallowJson(text);
    if (!isRecord(json)) throw wrongType('an object', 'Certification[]', sender);
    return Certification.view(json, sender);
  } catch (error) {
    // An Error in a list is the error of its item to graphql-js, which no type says.
    return error as unknown as null;
  }
}
