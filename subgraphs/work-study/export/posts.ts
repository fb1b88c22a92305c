import { isBefore, type KeyedRows, type Place } from './best.js';
import type { Columns } from './columns.js';

/** Takes offers of one post out of the blocks of a scan, and knows the first of each post. One scan after another uses it. */
export class Posts {
  readonly #groups: Uint32Array;
  /** The first row of each group and its key; one row more for a group that none has matched. */
  readonly #firsts: Uint32Array;
  readonly #keys: Float64Array;
  readonly #none: number;
  /** Rows of groups that match. */
  readonly #members: Uint32Array;
  #count = 0;

  constructor({ groups, rows }: Pick<Columns, 'groups' | 'rows'>) {
    this.#groups = groups.of;
    this.#none = rows;
    this.#firsts = new Uint32Array(groups.signals.length);
    this.#keys = new Float64Array(groups.signals.length);
    this.#members = new Uint32Array(groups.of.reduce((sum, group) => sum + Number(group !== 0), 0));
  }

  /** Forgets the scan before. */
  clear(): void {
    this.#firsts.fill(this.#none);
    this.#keys.fill(Number.POSITIVE_INFINITY);
    this.#count = 0;
  }

  /** Leaves in the block the rows that are in no group; returns how many. */
  take({ rows, keys }: KeyedRows, count: number): number {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      const key = keys[place] ?? 0;
      const group = this.#groups[row] ?? 0;
      if (group !== 0) this.#add(group, row, key);
      rows[kept] = row;
      keys[kept] = key;
      kept += Number(group === 0);
    }
    return kept;
  }

  #add(group: number, row: number, key: number): void {
    this.#members[this.#count++] = row;
    if (!isBefore(key, row, this.#keys[group] ?? 0, this.#firsts[group] ?? 0)) return;
    this.#firsts[group] = row;
    this.#keys[group] = key;
  }

  /** The first row of each post that has one, and how many there are. They are written where the firsts were. */
  firsts(): [rows: KeyedRows, count: number] {
    const [rows, keys] = [this.#firsts, this.#keys];
    let count = 0;
    for (let group = 0; group < rows.length; group++) {
      const row = rows[group] ?? 0;
      rows[count] = row;
      keys[count] = keys[group] ?? 0;
      count += Number(row !== this.#none);
    }
    return [{ rows, keys }, count];
  }

  /** For rows of some places, which are the first ones of their posts, the other rows of those. */
  others(places: readonly Place[]): (row: number) => readonly number[] {
    const others = new Map(places.map(({ row }) => [this.#groups[row] ?? 0, [] as number[]]));
    others.delete(0);
    const isFirst = new Set(places.map(({ row }) => row));
    const isListed = this.#firsts.fill(0);
    for (const group of others.keys()) isListed[group] = 1;
    for (let at = 0; at < this.#count; at++) {
      const row = this.#members[at] ?? 0;
      const group = this.#groups[row] ?? 0;
      if (isListed[group] === 1 && !isFirst.has(row)) others.get(group)?.push(row);
    }
    return (row) => others.get(this.#groups[row] ?? 0)?.toSorted((one, other) => one - other) ?? [];
  }
}
