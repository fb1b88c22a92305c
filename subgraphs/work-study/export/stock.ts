import { foldText } from '../../../kernel/fold.js';
import { ownValue } from '../../../kernel/text.js';
import { DEPARTMENTS, REGIONS } from '../../codes/departments.js';
import { communeIndex } from '../communes/commune-index.js';
import { CONTRACT_TYPES, EUROPEAN_LEVELS, JOB_OFFER_STATUSES, JOB_REMOTES } from '../values/words.js';
import { CATEGORIES, type Category, type Columns, type StoredStock } from './columns.js';
import { Posts } from './posts.js';
import { Spares } from './spares.js';
import type { WordIndex } from './words.js';

/** The rows of a kind with some statuses: what nearly all questions begin with. */
export interface Candidates {
  readonly kind: string;
  readonly statuses: string | null;
  readonly rows: Uint32Array;
  /** Those open at a moment from an expiry on until the next one, in milliseconds since 1970. */
  open: { readonly rows: Uint32Array; readonly from: number; readonly until: number };
}

/** All rows of an export, by their columns in memory. Closing it closes the file of their words. */
export class Stock {
  readonly columns: Columns;
  readonly dimensions: Readonly<Record<DimensionName, Dimension>>;
  readonly words: WordIndex | null;
  /** Lists of rows that questions began with, the newest first. */
  candidates: readonly Candidates[] = [];
  /** An item for each row. */
  readonly marks: Spares<Uint8Array>;
  readonly posts: Spares<Posts>;
  /** With room for all rows. */
  readonly rowLists: Spares<Uint32Array>;
  readonly #stored: StoredStock;

  constructor(stored: StoredStock) {
    const { columns, words, file, postingsAt } = stored;
    this.#stored = stored;
    this.columns = columns;
    this.marks = new Spares(() => new Uint8Array(columns.rows));
    this.posts = new Spares(() => new Posts(columns));
    this.rowLists = new Spares(() => new Uint32Array(columns.rows));
    this.dimensions = dimensionsOf(columns);
    this.words = words === null ? null : { table: words, file, postingsAt };
  }

  close(): Promise<void> {
    return this.#stored.file.close();
  }
}

/** From the code of a département to that of its région. */
const REGION_OF = new Map(DEPARTMENTS.map(({ code, region = code }) => [code, region]));

/** The key of rows without a value. */
const UNKNOWN = 'UNKNOWN';

/** By what rows are filtered and counted. Groups are numbered in the order of their keys, from 1; 0 is without one. */
export interface Dimension {
  /** Code of each row. */
  readonly codes: Uint32Array;
  /** Groups of each code, where it may have several; else null. */
  readonly groupsOf: readonly (readonly number[])[] | null;
  /** The group of each code; null where the code is the group, or has several. */
  readonly groupOf: Uint32Array | null;
  /** How many codes and groups there are, that of 0 included. */
  readonly codeCount: number;
  readonly groupCount: number;
  keyOf(group: number): string;
  labelOf(key: string): string | null;
}

/** Names of dimensions: the categories of a row, the areas of its commune, and its SIRET. */
export type DimensionName = Exclude<Category, 'commune'> | 'commune' | 'department' | 'region' | 'siret';

/** The dimensions of an export's rows, made once. */
function dimensionsOf(columns: Columns): Readonly<Record<DimensionName, Dimension>> {
  const { codes, dictionaries, sirets } = columns;
  const nafLabels = new Map(columns.nafLabels);
  const { byInsee } = communeIndex();
  const names = new Map(DEPARTMENTS.map(({ code, nom }) => [code, nom]));
  const regionNames = new Map(REGIONS.map(({ code, nom }) => [code, nom]));
  const departmentOf = (insee: string) => byInsee.get(insee)?.department ?? '';
  const labels: Partial<Record<Category, (key: string) => string | null>> = {
    commune: (key) => byInsee.get(key)?.nom ?? null,
    naf: (key) => nafLabels.get(key) || null,
  };
  // `fromEntries` forgets that every category is there.
  const plain = Object.fromEntries(
    CATEGORIES.map((name) => [name, plainDimension(codes[name], dictionaries[name], labels[name])]),
  ) as unknown as Record<Category, Dimension>;
  const listed = (name: 'rome' | 'contract', word = (text: string) => text) =>
    listedDimension(
      codes[name],
      dictionaries[name].map((texts) => texts.split(' ').map(word)),
    );
  const grouped = (name: Category, keyOf: (text: string) => string, labelOf?: Dimension['labelOf']) =>
    groupedDimension(codes[name], dictionaries[name].map(keyOf), labelOf);
  return {
    ...plain,
    rome: listed('rome'),
    contract: listed('contract', (text) => own(CONTRACT_TYPES, text)),
    diploma: grouped('diploma', (text) => own(EUROPEAN_LEVELS, text)),
    remote: grouped('remote', (text) => own(JOB_REMOTES, text)),
    opco: grouped('opco', usualSpelling(dictionaries.opco, codes.opco)),
    partner: grouped('partner', usualSpelling(dictionaries.partner, codes.partner)),
    // Each offer has one, so that it is in a list.
    status: grouped('status', (text) => own(JOB_OFFER_STATUSES, text) || 'OTHER'),
    department: grouped('commune', departmentOf, (key) => names.get(key) ?? null),
    region: grouped(
      'commune',
      (insee) => REGION_OF.get(departmentOf(insee)) ?? '',
      (key) => regionNames.get(key) ?? null,
    ),
    siret: {
      codes: codes.siret,
      groupsOf: null,
      groupOf: null,
      codeCount: sirets.length + 1,
      groupCount: sirets.length + 1,
      keyOf: (group) => (group === 0 ? UNKNOWN : String(sirets[group - 1]).padStart(14, '0')),
      labelOf: () => null,
    },
  };
}

/** From a label to the spelling of most rows, among those that filters take for the same. */
function usualSpelling(labels: readonly string[], codes: Uint32Array): (label: string) => string {
  const counts = new Uint32Array(labels.length);
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  const most = new Map<string, { readonly label: string; readonly count: number }>();
  for (const [code, label] of labels.entries()) {
    const [text, count] = [foldText(label) || label, counts[code] ?? 0];
    if (count > (most.get(text)?.count ?? -1)) most.set(text, { label, count });
  }
  return (label) => most.get(foldText(label) || label)?.label ?? label;
}

/** The graph's word for one of the service's. */
function own(words: Readonly<Record<string, string>>, text: string): string {
  return text === '' ? '' : (ownValue(words, text) ?? 'OTHER');
}

function plainDimension(
  codes: Uint32Array,
  texts: readonly string[],
  labelOf: (key: string) => string | null = () => null,
): Dimension {
  const keyOf = (group: number) => texts[group] || UNKNOWN;
  return { codes, groupsOf: null, groupOf: null, codeCount: texts.length, groupCount: texts.length, keyOf, labelOf };
}

/** A dimension whose codes stand for other keys, one for each code; an empty key is none. */
function groupedDimension(
  codes: Uint32Array,
  keys: readonly string[],
  labelOf: (key: string) => string | null = () => null,
): Dimension {
  const { sorted, placeOf } = numbered(keys);
  const groupOf = new Uint32Array(keys.length);
  for (const [code, key] of keys.entries()) groupOf[code] = placeOf(key);
  return { codes, groupsOf: null, groupOf, codeCount: keys.length, ...groupsNamed(sorted), labelOf };
}

/** The same where a code stands for several keys. */
function listedDimension(codes: Uint32Array, keys: readonly (readonly string[])[]): Dimension {
  const { sorted, placeOf } = numbered(keys.flat());
  const groupsOf = keys.map((some) => [...new Set(some)].map(placeOf));
  return { codes, groupsOf, groupOf: null, codeCount: keys.length, ...groupsNamed(sorted), labelOf: () => null };
}

function groupsNamed(sorted: readonly string[]): Pick<Dimension, 'groupCount' | 'keyOf'> {
  return { groupCount: sorted.length + 1, keyOf: (group) => sorted[group - 1] ?? UNKNOWN };
}

/** Distinct keys, ascending, and the number of each, from 1; 0 for an empty one. */
function numbered(keys: readonly string[]) {
  const sorted = [...new Set(keys)].filter((key) => key !== '').sort();
  const places = new Map(sorted.map((key, place) => [key, place + 1]));
  return { sorted, placeOf: (key: string) => places.get(key) ?? 0 };
}

/** For each code of a dimension whether one of its groups is accepted. Rows without a value never are. */
export function acceptedCodes(dimension: Dimension, accepts: (key: string) => boolean): Uint8Array {
  const { groupsOf, groupOf, codeCount, groupCount, keyOf } = dimension;
  const groups = new Uint8Array(groupCount);
  for (let group = 1; group < groupCount; group++) groups[group] = accepts(keyOf(group)) ? 1 : 0;
  const codes = new Uint8Array(codeCount);
  if (groupOf !== null) {
    for (let code = 0; code < codeCount; code++) codes[code] = groups[groupOf[code] ?? 0] ?? 0;
    return codes;
  }
  if (groupsOf === null) return groups;
  for (const [code, own] of groupsOf.entries()) codes[code] = own.some((group) => groups[group] === 1) ? 1 : 0;
  return codes;
}
