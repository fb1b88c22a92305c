/** What is stored of a row. */

import { instantOf } from '../../../kernel/dates.js';
import { foldText, wordsToFind } from '../../../kernel/fold.js';
import { isRecord, ownValue } from '../../../kernel/text.js';
import { DEPARTMENTS } from '../../codes/departments.js';
import { isPlace, type Position } from '../../codes/places.js';
import { readNaf } from '../../codes/registers.js';
import { communeIndex } from '../communes/commune-index.js';
import { matchWorkplaceCommune } from '../communes/match-commune.js';
import { CONTRACT_TYPES, EUROPEAN_LEVELS, isRecruiterRow, JOB_OFFER_STATUSES, JOB_REMOTES } from '../values/words.js';
import { cellTerms, pointOnSphere } from './sphere.js';
import { type DimensionName, labelTerm, OPEN_TERM, SIGN_LENGTH, SIGNS, type TermName, termOf } from './tables.js';

/** Longer labels, and lists of more codes, are cut: none that a service means is. */
const MAX_LABEL = 200;
const MAX_CODES = 20;
/** Lengths of codes of activities and occupations, and of their beginnings. */
const CODE_LENGTHS = [1, 2, 3, 4, 5];

/** From the code of a département to that of its région. */
const REGION_OF = new Map(DEPARTMENTS.map(({ code, region = code }) => [code, region]));

/**
 * What is stored of a row, which is open if it has not expired by `nowMs`: times in milliseconds since 1970, null for none;
 * texts folded, empty for none; its keys, those of a list with a space between them; its terms and words, too.
 */
export function storedRow(row: RawRow, nowMs: number) {
  const [workplace, contract, offer] = [partOf(row, 'workplace'), partOf(row, 'contract'), partOf(row, 'offer')];
  const [publication, domain] = [partOf(offer, 'publication'), partOf(workplace, 'domain')];
  const isOffer = !isRecruiterRow(row);
  const [expires, created] = [momentOf(publication['expiration']), momentOf(publication['creation'])];
  const { point, commune } = placeOf(workplace);
  const labels = new Labels();
  const siret = textOf(workplace['siret']);
  const { department = '', epci = null } = communeIndex().byInsee.get(commune) ?? {};
  const contracts = labels.list(contract['type']).split(' ');
  const keys: Readonly<Record<DimensionName | TermName, string>> = {
    kind: isOffer ? 'OFFER' : 'RECRUITER',
    // Each offer has a status, so that it is in a list.
    status: own(JOB_OFFER_STATUSES, textOf(offer['status'])) || 'OTHER',
    delegated: row['is_delegated'] === true ? 'TRUE' : 'FALSE',
    size: labels.cut(textOf(workplace['size'])),
    commune,
    epci: epci?.code ?? '',
    department,
    region: REGION_OF.get(department) ?? '',
    rome: labels.list(offer['rome_codes']),
    naf: labels.cut(readNaf(textOf(partOf(domain, 'naf')['code']))),
    opco: labels.cut(textOf(domain['opco'])),
    partner: labels.cut(textOf(partOf(row, 'identifier')['partner_label'])),
    diploma: own(EUROPEAN_LEVELS, textOf(partOf(offer, 'target_diploma')['european'])),
    contract: distinct(contracts.map((type) => own(CONTRACT_TYPES, type))),
    remote: own(JOB_REMOTES, textOf(contract['remote'])),
    month: created === null ? '' : new Date(created).toISOString().slice(0, 7),
    siret: /^\d{14}$/.test(siret) ? siret : '',
  };
  const isOpen = isOffer && offer['status'] === 'Active' && !(expires !== null && expires <= nowMs);
  const terms = [codeTerms(keys), ...(point === null ? [] : cellTerms(point))].join(' ');
  // A recruiter's title and description are its label (work-study 7.2).
  const title = isOffer ? textOf(offer['title']) : '';
  const texts = isOffer ? [title, textOf(offer['description'])] : [];
  for (const name of ['name', 'brand', 'legal_name', 'description']) texts.push(textOf(workplace[name]));
  // Written out: what begins with a spread gets a hidden class for each row, which only a full collection frees.
  return {
    isOffer,
    isOpen,
    created,
    expires,
    keys,
    starts: momentOf(contract['start']),
    title: foldText(title).slice(0, MAX_LABEL),
    workplace: foldText(textOf(workplace['name'])).slice(0, MAX_LABEL),
    point: point && pointOnSphere(point),
    nafLabel: labels.cut(textOf(partOf(domain, 'naf')['label'])),
    words: `${isOpen ? `${OPEN_TERM}${terms}` : terms.replaceAll(' _', ' #')} ${texts.map(wordsToFind).join(' ')}`,
    /** Whether labels or lists were cut. */
    isCut: labels.areCut,
  };
}

const TERM_NAMES = Object.keys(SIGNS) as TermName[];
const LABELS: readonly TermName[] = ['opco', 'partner', 'size'];
/** What is asked for may be the beginning of such a code. */
const BEGUN: readonly TermName[] = ['naf', 'rome'];

/** Terms that were written before, by what they say: all rows say the same few thousand things. */
const known = new Map<string, string>();
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 100;

/** The terms of codes, those of a list with a space between them; a space precedes each. */
function codeTerms(codes: Readonly<Record<TermName, string>>): string {
  let terms = '';
  for (const name of TERM_NAMES) {
    const key = name + codes[name];
    const before = known.get(key);
    const some = before ?? writeTerms(name, codes[name]);
    const isUsual = name !== 'siret' && key.length <= MAX_KNOWN_LENGTH;
    if (before === undefined && isUsual && known.size < MAX_KNOWN) known.set(key, some);
    terms += some;
  }
  return terms;
}

function writeTerms(name: TermName, codes: string): string {
  if (codes === '') return '';
  if (LABELS.includes(name)) return ` ${labelTerm(name, codes)}`;
  const beginnings = (term: string) => CODE_LENGTHS.map((length) => term.slice(0, SIGN_LENGTH + length));
  const terms = codes.split(' ').map((code) => termOf(name, code));
  return ` ${(BEGUN.includes(name) ? terms.flatMap(beginnings) : terms).join(' ')}`;
}

/** Cuts labels and lists of one row. */
class Labels {
  areCut = false;

  cut(label: string): string {
    if (label.length <= MAX_LABEL) return label;
    this.areCut = true;
    return label.slice(0, MAX_LABEL);
  }

  /** The codes of a list, with a space between them. */
  list(value: unknown): string {
    if (!Array.isArray(value)) return '';
    if (value.length > MAX_CODES) this.areCut = true;
    const texts = value.slice(0, MAX_CODES).map(textOf);
    return distinct(texts.filter((text) => text !== '' && !text.includes(' ')).map((text) => this.cut(text)));
  }
}

function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(' ');
}

/** The graph's word for one of the service's. */
function own(words: Readonly<Record<string, string>>, text: string): string {
  return text === '' ? '' : (ownValue(words, text) ?? 'OTHER');
}

/** A moment in milliseconds since 1970; null for none. */
function momentOf(value: unknown): number | null {
  const time = typeof value === 'string' ? instantOf(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function placeOf(workplace: RawRow): { point: Position | null; commune: string } {
  const location = partOf(workplace, 'location');
  const coordinates = partOf(location, 'geopoint')['coordinates'];
  const [lon, lat]: unknown[] = Array.isArray(coordinates) ? coordinates : [];
  const point = typeof lon === 'number' && typeof lat === 'number' && isPlace({ lon, lat }) ? { lon, lat } : null;
  const geopoint = point === null ? null : [point.lon, point.lat];
  return { point, commune: matchWorkplaceCommune(geopoint, textOf(location['address'])) ?? '' };
}

// Rows as the service writes them. What is missing or of another type reads as empty.

/** Bytes of a row that is read; real ones have 2 kB, and reading longer ones would hold up everybody else. */
export const MAX_ROW_BYTES = 64 * 1024;

/** A row, or a part of one. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The row of a text; null if it is not an object in JSON. */
export function parseRawRow(json: string): RawRow | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const NOTHING: RawRow = {};

/** The object under a name. */
export function partOf(record: RawRow, name: string): RawRow {
  const part = record[name];
  return isRecord(part) ? part : NOTHING;
}

/** A text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
