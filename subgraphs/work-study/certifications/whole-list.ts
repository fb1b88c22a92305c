import { Sqlite } from '../../../database/sqlite.js';
import { isRecord, parseShallowJson } from '../../../kernel/text.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import type { Gathered } from '../../rest/upstream.js';
import { Certification, type CertificationView } from './shapes.js';

/** Bytes of pages in memory; a list of tens of thousands of rows of some 3 kB is mostly on disk. */
const CACHE_BYTES = 4 * 1024 * 1024;
/** Bytes of rows that are kept; the source has some 100 MB. */
const MAX_BYTES = 512 * 1024 * 1024;

const TABLES = `
  create temp table trait (place integer primary key, isRead, level, diploma, active, romes);
  create temp table row (place integer primary key, json text);`;
/** What certifications are looked up by: European levels of register and diploma, whether enrolments are open, occupations. */
const TRAITS = `json_type(item) = 'object' isRead, json_extract(item, '$.intitule.niveau.rncp.europeen') level,
  json_extract(item, '$.intitule.niveau.cfd.europeen') diploma, json_extract(item, '$.periode_validite.rncp.actif') active,
  (select group_concat(json_extract(value, '$.code')) from json_each(item, '$.domaines.rome.rncp') where type = 'object') romes`;
/** A row that cannot be read may be wanted. */
const WANTED = `isRead is not 1 or ((:level is null or :level in (level, diploma)) and (:active is null or :active = active)
  and (:romes = '[]' or exists (select 1 from json_each(:romes) where instr(',' || romes || ',', ',' || value || ','))))`;

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
    this.#db.run('insert into row values (?, ?)', [place, json]);
    const known = 'select iif(json_valid(:json), :json, null) item';
    this.#db.run(`insert into trait select :place, ${TRAITS} from (${known})`, { place, json });
  }

  /** Places of the rows that are wanted, in order; a row that cannot be read may be one. */
  placesOf(wanted: Wanted): number[] {
    const found = this.#db.all(`select place from trait where ${WANTED} order by place`, valuesOf(wanted));
    return found.map(([place]) => Number(place));
  }

  /** The rows at places, one a step; one that cannot be read is an error in its place. */
  *read(places: readonly number[], origin: Origin): Generator<void, (CertificationView | null)[]> {
    const rows: (CertificationView | null)[] = [];
    for (const place of places) {
      rows.push(viewOf(String(this.#db.value('select json from row where place = ?', [place])), origin));
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

function valuesOf({ level, romes, rncpActive }: Wanted) {
  return { level, active: rncpActive === null ? null : Number(rncpActive), romes: JSON.stringify(romes) };
}

let filter: Sqlite | undefined;

/** Whether each of some certifications as sent is wanted; also what is none, because it may be one that cannot be read. */
export function areWanted(list: readonly unknown[], wanted: Wanted): boolean[] {
  if (wanted.level === null && wanted.romes.length === 0 && wanted.rncpActive === null) return list.map(() => true);
  filter ??= Sqlite.temporary(CACHE_BYTES);
  const rows = "select key place, iif(type = 'object', value, null) item from json_each(:list)";
  const found = filter.all(`select place from (select place, ${TRAITS} from (${rows})) where ${WANTED}`, {
    ...valuesOf(wanted),
    list: JSON.stringify(list),
  });
  const places = new Set(found.map(([place]) => place));
  return list.map((_, place) => places.has(place));
}

/** GraphQL takes an error in a list for that of its item. */
function viewOf(text: string, origin: Origin): CertificationView | null {
  try {
    const json = parseShallowJson(text);
    if (!isRecord(json)) throw wrongType('an object', 'Certification[]', origin);
    return Certification.view(json, origin);
  } catch (error) {
    // An Error in a list is the error of its item to graphql-js, which no type says.
    return error as unknown as null;
  }
}
