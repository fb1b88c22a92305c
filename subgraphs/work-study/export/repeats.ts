/**
 * Groups of offers that are the same post. Offers with a key in common (title with SIRET, or with name and commune),
 * directly or by a third, are read again and compared, each with each; of more than a few those whose texts are alike; of
 * thousands none. The likeliest are joined first, and no group has two that differ. An offer that is as like one as
 * another, which differ, is left alone.
 */
import type { Sqlite } from '../../../database/sqlite.js';
import { type Comparison, compare, hashOf, type Post, postOf } from './same-post.js';
import { parseRawRow } from './stored-rows.js';

/** So many offers are compared with each other. */
const MAX_COMPARED = 50;
/** Offers with keys in common are in memory together: of more than any workplace has, each is a post of its own. */
const MAX_CONNECTED = 4000;
/** So many offers of one post are a group, all of which is read with a row; there are fewer partners. */
const MAX_GROUP = 20;
/** Likenesses that differ by less than a fact do not decide between two. */
const SAME_LIKENESS = 0.04;

/** An offer that is read again. */
interface Candidate {
  readonly row: number;
  readonly post: Post;
}

/** Offers of one post. */
export interface SamePost {
  readonly rows: readonly number[];
  /** Bits of `SIGNALS` that every two of them share. */
  readonly signals: number;
}

/**
 * So many keys are kept, of so many of the first rows: four times today's file. Offers beyond count as posts of their
 * own. Both make exact numbers of a hash and a row.
 */
const MAX_KEYS = 2 ** 23;
const MAX_ROWS = 2 ** 21;

/** Keys of offers. Each is a number with its row, as sorting numbers takes a hundredth of the time that a table does. */
export class PostKeys {
  /** What is not written takes no memory. */
  readonly #numbers = new Float64Array(MAX_KEYS);
  #count = 0;

  add(key: string, row: number): void {
    if (row < MAX_ROWS && this.#count < MAX_KEYS) this.#numbers[this.#count++] = hashOf(key) * MAX_ROWS + row;
  }

  /** Lists of rows with the same key. */
  *shared(): Generator<readonly number[]> {
    let [hash, rows]: [number, number[]] = [-1, []];
    for (const number of this.#numbers.subarray(0, this.#count).sort()) {
      const row = number % MAX_ROWS;
      if (number - row === hash) rows.push(row);
      else {
        if (rows.length > 1) yield rows;
        [hash, rows] = [number - row, [row]];
      }
    }
    if (rows.length > 1) yield rows;
  }
}

/** Places of those of some blocks that are from several partners, and that no SIRETs tell apart. */
const OF_SEVERAL_PARTNERS = `
  select b.key from json_each(?) b, json_each(b.value) j cross join draft.row d on d.r = j.value
  group by b.key having min(partner) <> max(partner) and (min(siret) = max(siret) or min(siret) = '')`;
const CANDIDATES = `
  select d.r, d.commune, b.json from json_each(?) j cross join draft.row d on d.r = j.value join body b on b.r = d.r`;
/** So many blocks or rows are asked for at once: what a question returns stays in memory until the next collection. */
const AT_ONCE = 250;

/** Finds the groups of a draft. */
export function* samePosts(db: Sqlite, keys: PostKeys): Generator<SamePost> {
  const blocks: (readonly number[])[] = [];
  for (const some of inPieces(keys.shared()))
    for (const [at] of db.all(OF_SEVERAL_PARTNERS, [JSON.stringify(some)])) blocks.push(some[Number(at)] ?? []);
  const compared = [...connected(blocks)].filter(({ length }) => length <= MAX_CONNECTED);
  for (const sets of inPieces(compared, ({ length }) => length)) {
    const candidates = candidatesIn(db, sets.flat());
    for (const rows of sets) {
      const sorted = rows.toSorted((one, other) => one - other);
      for (const part of parts(sorted.flatMap((row) => candidates.get(row) ?? []))) yield* groupsIn(part);
    }
  }
}

/** Offers by their rows, without those that cannot be read. */
function candidatesIn(db: Sqlite, rows: readonly number[]): ReadonlyMap<number, Candidate> {
  const found = new Map<number, Candidate>();
  for (const some of inPieces(rows))
    for (const [row, commune, json] of db.all(CANDIDATES, [JSON.stringify(some)])) {
      const raw = parseRawRow(String(json));
      if (raw !== null) found.set(Number(row), { row: Number(row), post: postOf(raw, String(commune)) });
    }
  return found;
}

/** Pieces of a list, each of the size that is asked for at once, or a little larger; the last may be empty. */
function* inPieces<T>(items: Iterable<T>, sizeOf: (item: T) => number = () => 1): Generator<T[]> {
  let [piece, size]: [T[], number] = [[], 0];
  for (const item of items) {
    piece.push(item);
    size += sizeOf(item);
    if (size < AT_ONCE) continue;
    yield piece;
    [piece, size] = [[], 0];
  }
  yield piece;
}

/** The sets of rows that are connected by blocks which have some in common. */
function connected(blocks: readonly (readonly number[])[]): ReadonlySet<readonly number[]> {
  const setOf = new Map<number, number[]>();
  for (const block of blocks) {
    for (const row of block) if (!setOf.has(row)) setOf.set(row, [row]);
    const sets = [...new Set(block.map((row) => setOf.get(row) ?? []))];
    const [largest = [], ...others] = sets.sort((one, other) => other.length - one.length);
    for (const row of others.flat()) {
      largest.push(row);
      setOf.set(row, largest);
    }
  }
  return new Set(setOf.values());
}

/** Cuts many candidates into parts; two texts have their least run in common as likely as any. */
function* parts(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  if (candidates.length <= MAX_COMPARED) return yield candidates;
  const least = ({ post }: Candidate) => post.described().runs[0] ?? 0;
  const sorted = candidates.toSorted((one, other) => least(one) - least(other) || one.row - other.row);
  for (let from = 0; from < sorted.length; ) {
    let to = Math.min(from + MAX_COMPARED, sorted.length);
    const last = sorted[to];
    // The same text is not cut in two, unless there are too many.
    if (last !== undefined) while (to > from + 1 && least(sorted[to - 1] ?? last) === least(last)) to--;
    if (to === from + 1) to = Math.min(from + MAX_COMPARED, sorted.length);
    yield sorted.slice(from, to);
    from = to;
  }
}

/** Two candidates from different partners that are the same post, by their places. */
interface Pair {
  readonly one: number;
  readonly other: number;
  readonly likeness: number;
}

function groupsIn(candidates: readonly Candidate[]): SamePost[] {
  const compared = new Map<number, Comparison | null>();
  const between = (one: number, other: number): Comparison | null => {
    const pair = Math.min(one, other) * candidates.length + Math.max(one, other);
    const [a, b] = [candidates[one]?.post, candidates[other]?.post];
    const comparison = compared.get(pair) ?? (compared.has(pair) || !a || !b ? null : compare(a, b));
    compared.set(pair, comparison);
    return comparison;
  };
  const partner = (place: number) => candidates[place]?.post.partner;
  const pairsOf = candidates.map((_, one) =>
    candidates.flatMap((_, other): Pair[] => {
      const comparison = partner(one) === partner(other) ? null : between(one, other);
      return comparison?.isSame ? [{ one, other, likeness: comparison.likeness }] : [];
    }),
  );
  const isClear = pairsOf.map((pairs) => {
    const most = Math.max(...pairs.map(({ likeness }) => likeness));
    const likest = pairs.filter(({ likeness }) => likeness > most - SAME_LIKENESS);
    return likest.every(({ other: a }) => likest.every(({ other: b }) => between(a, b) !== null));
  });
  const pairs = pairsOf.flat().filter(({ one, other }) => one < other && isClear[one] && isClear[other]);
  pairs.sort((a, b) => b.likeness - a.likeness || a.one - b.one || a.other - b.other);
  const groupOf = new Map<number, readonly number[]>();
  for (const { one, other } of pairs) {
    const [left, right] = [groupOf.get(one) ?? [one], groupOf.get(other) ?? [other]];
    if (left === right || left.length + right.length > MAX_GROUP) continue;
    if (!left.every((a) => right.every((b) => between(a, b) !== null && partner(a) !== partner(b)))) continue;
    const joined = [...left, ...right];
    for (const place of joined) groupOf.set(place, joined);
  }
  return [...new Set(groupOf.values())].map((places) => ({
    rows: places.flatMap((place) => candidates[place]?.row ?? []),
    signals: places.flatMap((one) => places.map((other) => between(one, other)?.signals ?? 0)).reduce((a, b) => a & b),
  }));
}
