/**
 * Which offers are the same post, told by several partners: those that agree in a key, made of the workplace, the title, how
 * the description begins, and what the contract is. Of a key, all are one post, or none: each is from another partner, and
 * they begin at about the same time. Wrong groups hide an offer, missed ones show it twice: in doubt they are different.
 */
import { createHash } from 'node:crypto';
import { fold, masculine, wordsOf } from '../../../kernel/fold.js';
import { communeIndex } from '../communes/commune-index.js';
import { tellingWords } from '../values/words.js';
import { partOf, type RawRow, type StoredRow, textOf } from './stored-rows.js';

/** What offers of the same post have in common beside title and description, as bits. */
export const SIGNALS = { SIRET: 1, WORKPLACE: 2, PLACE: 4 } as const;

/** Characters of a title and of a description that are read. */
const MAX_TITLE = 300;
const MAX_BEGINNING = 700;
/** As many words of a description are compared as it has of these: partners cut the end of it, or add a sentence. */
const COMPARED_WORDS = [80, 20, 4];

/** The key of an offer, as a hash of 48 bits; null where it says too little. */
export function postKey(row: RawRow, { siret, commune, contract, diploma, remote }: StoredRow['keys']) {
  const offer = partOf(row, 'offer');
  const title = titleWords(textOf(offer['title']), communeIndex().byInsee.get(commune)?.nom ?? '');
  const words = fold(textOf(offer['description']).slice(0, MAX_BEGINNING)).match(/[a-z\d]+/g) ?? [];
  const compared = COMPARED_WORDS.find((count) => count <= words.length);
  if (siret === '' || title.length === 0 || compared === undefined) return null;
  const { duration } = partOf(row, 'contract');
  const said = [siret, commune, contract, diploma, remote, duration, row['is_delegated'] === true];
  const key = JSON.stringify([said, title, words.slice(0, compared)]);
  return createHash('sha256').update(key).digest().readUIntBE(0, 6);
}

/** The words of a title that all partners write, in the order of the alphabet. */
function titleWords(title: string, commune: string): string[] {
  const place = new Set(wordsOf(commune));
  const words = tellingWords(title.slice(0, MAX_TITLE)).filter((word) => !place.has(word) && !/^\d/.test(word));
  return [...new Set(words.map(masculine))].sort();
}

/** So many offers of one post are a group, all of which is read with a row; there are fewer partners. */
const MAX_GROUP = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Apart by more, two starts are two sessions (partners round to the week), and two publications those of two years. */
const [START_MS, CREATED_MS] = [7 * DAY_MS, 180 * DAY_MS];

/** That all rows of a group that say a moment say about the same. */
const isNear = (column: string, ms: number) => `ifnull(max(${column}) - min(${column}), 0) <= ${ms}`;
/** That all rows of a group say the same. */
const isShared = (column: string) => `(min(${column}) = max(${column}) and min(${column}) <> '')`;

/** Finds the posts of a draft, each with its key, number and signals. */
export const SAME_POSTS = `
  create table draft.same as select same, row_number() over (order by min(r)) post,
    ${SIGNALS.SIRET} + ${SIGNALS.WORKPLACE} * ${isShared('workplace')} + ${SIGNALS.PLACE} * ${isShared('commune')} signals
  from draft.row where same is not null group by same
  having count(*) between 2 and ${MAX_GROUP} and count(distinct partner) = count(*)
    and ${isNear('starts', START_MS)} and ${isNear('created', CREATED_MS)};
  create unique index draft.same_key on same (same);
  insert into post select post, signals from draft.same;`;
