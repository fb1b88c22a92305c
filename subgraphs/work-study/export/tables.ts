/**
 * How the rows of an export are stored: the tables, and what of a row is in them.
 *
 * - `body` has every row that can be read as the service wrote it, by its place `r` in the file, and is looked up by SIRET.
 * - `offer` has what rows are sorted by. Row `n` is the `n`-th by publication, newest first, so that the usual order is that
 *   of the key. Ranks of other orders are numbers from 1, too. `open` is 1 for active offers that had not expired when
 *   the file was loaded.
 * - `place` has where they are, and `facet` what they are counted by, with their place again: apart, as a question reads
 *   one of the three of many rows, and what it reads has to stay in memory.
 * - `words` is the one index of words and **terms**, with `n` for its rows. A term is a code that rows are filtered by,
 *   behind a sign that no word has: `_om1805` is an occupation of an open offer, `#om1805` that of any other row. So a
 *   filter and a word are found in the same way, and combined by one expression.
 * - `title_word` has words of titles that go almost only with one occupation, in titles of several workplaces.
 * - `dimension` names the codes that rows are counted by, in the order of their keys; 0 is a row without one.
 */

import { foldText } from '../../../kernel/fold.js';

/** By what rows are counted. */
export const DIMENSIONS = [
  'commune',
  'epci',
  'department',
  'region',
  'rome',
  'naf',
  'opco',
  'partner',
  'diploma',
  'contract',
  'remote',
  'month',
  'siret',
] as const;
/** A dimension: a column of `facet`, and names in `dimension`. */
export type DimensionName = (typeof DIMENSIONS)[number];

/** Dimensions of which a row may have several keys: one of theirs is a whole list, with a space between its items. */
export const LISTED: readonly DimensionName[] = ['rome', 'contract'];

/** Changes with the tables or the meaning of a column: a file of another layout is loaded again. */
export const LAYOUT = 5;
/** Says that a file is one of ours: `Pass`. */
export const APPLICATION = 0x50617373;

const codes = DIMENSIONS.map((name) => `${name} integer`).join(', ');

/** The tables of a file. */
export const TABLES = `
  create table body (r integer primary key, siret integer, bytes integer, json text);
  create table offer (n integer primary key, r integer, bytes integer, open integer, expires integer, created integer, starts integer,
    post integer, by_start integer, by_title integer, by_workplace integer);
  create table place (n integer primary key, r integer, open integer, x real, y real, z real);
  create table facet (n integer primary key, open integer, post integer, x real, y real, z real, ${codes});
  create table dimension (name text, code integer, key text, label text, primary key (name, code)) without rowid;
  create table title_word (word text primary key, rome text) without rowid;
  create table post (post integer primary key, signals integer);
  create table about (key text primary key, value) without rowid;
  create virtual table words using fts5 (t, content = '', columnsize = 0, detail = none,
    tokenize = "ascii tokenchars '_+#'", prefix = '1 2');`;

/** The indexes of a file, made once all rows are there. */
export const INDEXES = [
  'create index body_siret on body (siret) where siret is not null',
  'create index offer_by_start on offer (by_start, open)',
  'create index offer_by_title on offer (by_title, open)',
  'create index offer_by_workplace on offer (by_workplace, open)',
  'create index offer_expires on offer (expires) where expires is not null',
  'create index place_open on place (z, x, y) where open = 1',
  'create index offer_post on offer (post) where post is not null',
];

/** The signs of terms. */
export const SIGNS = {
  kind: '_k',
  status: '_a',
  commune: '_i',
  epci: '_t',
  department: '_d',
  region: '_r',
  rome: '_o',
  naf: '_n',
  opco: '_q',
  partner: '_p',
  diploma: '_l',
  contract: '_c',
  remote: '_m',
  size: '_s',
  delegated: '_e',
  siret: '_w',
} as const;
/** Characters of a sign. */
export const SIGN_LENGTH = 2;
/** What rows are filtered by with terms. */
export type TermName = keyof typeof SIGNS;

/** Of open offers. */
export const OPEN_TERM = '_0';
/** Of offers in a group of the same post. */
export const GROUPED_TERM = '_z';

/** The term of a code; small letters differ from capitals. */
export function termOf(name: TermName, code: string): string {
  return SIGNS[name] + code.replace(/[^A-Z\d_]/gu, (sign) => `#${sign.codePointAt(0)?.toString(16)}+`).toLowerCase();
}

/** The same term, of a row that is not an open offer. */
export function closedTerm(term: string): string {
  return `#${term.slice(1)}`;
}

/** The term of a label of an open vocabulary, equal for those that readers take for the same. */
export function labelTerm(name: TermName, label: string): string {
  return termOf(name, foldText(label).toUpperCase());
}
