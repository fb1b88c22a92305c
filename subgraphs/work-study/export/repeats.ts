/**
 * Groups of offers that are the same post, found once the columns of an export are there. Offers with a key in common
 * (title with SIRET, or with name and commune), directly or by a third, are read again and compared, each with each; of
 * more than a few those whose texts are alike. The likeliest are joined first, and no group has two that differ. An offer
 * that is as like one as another, which differ, is left alone.
 */
import type { RawRow } from './raw-row.js';
import { type Comparison, compare, hashOf, keysOfPost, type Post, postOf } from './same-post.js';

/** A key and a row are one double, so that sorting brings rows with the same key together. */
const MAX_ROWS = 2 ** 23;
/** So many offers are compared with each other. */
const MAX_COMPARED = 50;
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

/** Numbers of an offer's SIRET and partner, 0 for none, and the INSEE code of its commune, empty for none. */
interface OfferKeys {
  readonly siret: number;
  readonly partner: number;
  readonly commune: string;
}

/** Collects the keys of offers, then finds groups. */
export class RepeatsFinder {
  #entries = new Float64Array(1024);
  #length = 0;
  /** By row: numbers of SIRET and partner, 0 for none, and the commune. */
  readonly #sirets: number[] = [];
  readonly #partners: number[] = [];
  readonly #communes: string[] = [];

  /** Adds an offer. */
  add(row: number, offer: RawRow, { siret, partner, commune }: OfferKeys): void {
    if (row >= MAX_ROWS) return;
    // Without holes, an array of numbers takes few bytes.
    while (this.#sirets.length < row) this.#addKeys({ siret: 0, partner: 0, commune: '' });
    this.#addKeys({ siret, partner, commune });
    for (const key of keysOfPost(offer, commune)) {
      if (this.#length === this.#entries.length) {
        const entries = new Float64Array(2 * this.#length);
        entries.set(this.#entries);
        this.#entries = entries;
      }
      this.#entries[this.#length++] = (hashOf(key) >>> 2) * MAX_ROWS + row;
    }
  }

  #addKeys({ siret, partner, commune }: OfferKeys): void {
    this.#sirets.push(siret);
    this.#partners.push(partner);
    this.#communes.push(commune);
  }

  /** Finds the groups; `read` gives a row of the file. One step for each row that is read. */
  *find(read: (row: number) => RawRow | null): Generator<SamePost | null, void> {
    for (const rows of this.#connected()) {
      const candidates: Candidate[] = [];
      for (const row of rows) {
        const raw = read(row);
        if (raw !== null) candidates.push({ row, post: postOf(raw, this.#communes[row] ?? '') });
        yield null;
      }
      for (const some of parts(candidates)) {
        for (const { members, signals } of groupsIn(some)) yield { rows: members.map(({ row }) => row), signals };
        yield null;
      }
    }
  }

  /** Rows that are connected by keys, if several partners have them. */
  *#connected(): Generator<number[]> {
    const rows = this.#sirets.length;
    const parents = Uint32Array.from({ length: rows }, (_, row) => row);
    const entries = this.#entries.subarray(0, this.#length).sort();
    this.#entries = new Float64Array(0);
    for (const block of runsOfKey(entries)) {
      const sirets = block.map((row) => this.#sirets[row] ?? 0);
      if (sirets.every((siret) => siret === sirets[0]) || sirets.includes(0))
        for (const row of block) parents[rootOf(parents, row)] = rootOf(parents, block[0] ?? 0);
    }
    const byRoot = new Float64Array(rows).map((_, row) => rootOf(parents, row) * MAX_ROWS + row).sort();
    for (const block of runsOfKey(byRoot)) {
      const [first = 0] = block;
      if (block.some((row) => this.#partners[row] !== this.#partners[first])) yield block;
    }
  }
}

/** The rows of each key that has several. */
function* runsOfKey(sorted: Float64Array): Generator<number[]> {
  for (let from = 0; from < sorted.length; ) {
    const key = Math.floor((sorted[from] ?? 0) / MAX_ROWS);
    let to = from + 1;
    while (to < sorted.length && Math.floor((sorted[to] ?? 0) / MAX_ROWS) === key) to++;
    if (to - from > 1) yield Array.from(sorted.subarray(from, to), (entry) => entry % MAX_ROWS);
    from = to;
  }
}

/** The row that stands for all that a row is connected with. */
function rootOf(parents: Uint32Array, row: number): number {
  let root = row;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root] ?? 0] ?? 0;
    root = parents[root] ?? 0;
  }
  return root;
}

/** Cuts many candidates into parts; two texts have their least run in common as likely as any. */
function* parts(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  if (candidates.length <= MAX_COMPARED) return yield candidates;
  const least = ({ post }: Candidate) => post.runs[0] ?? 0;
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

interface Group {
  readonly members: readonly Candidate[];
  /** `SIGNALS` that every two of them share. */
  readonly signals: number;
}

/** Two candidates from different partners that are the same post, by their places. */
interface Pair {
  readonly one: number;
  readonly other: number;
  readonly likeness: number;
}

function groupsIn(candidates: readonly Candidate[]): Group[] {
  const compared = candidates.map((one) => candidates.map((other) => compare(one.post, other.post)));
  const between = (one: number, other: number): Comparison | null => compared[one]?.[other] ?? null;
  const partner = (place: number) => candidates[place]?.post.partner;
  const pairsOf = candidates.map((_, one) =>
    candidates.flatMap((_, other): Pair[] => {
      const comparison = between(one, other);
      const isPair = comparison?.isSame === true && partner(one) !== partner(other);
      return isPair ? [{ one, other, likeness: comparison.likeness }] : [];
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
    members: places.flatMap((place) => candidates[place] ?? []),
    signals: places.flatMap((one) => places.map((other) => between(one, other)?.signals ?? 0)).reduce((a, b) => a & b),
  }));
}
