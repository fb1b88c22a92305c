import { fold } from '../../../kernel/fold.js';
import { isSmall, stemsOf, termsOf } from '../elements/words.js';
import type { NamedCode } from '../labels/labels.js';
import { language } from '../state/language.js';
import { type Option, plainName } from '../variables/options.js';

/** The variables of examples that a search can fill. */
export type Fillable =
  | 'insee'
  | 'department'
  | 'position'
  | 'radius'
  | 'domain'
  | 'romes'
  | 'rome'
  | 'rncp'
  | 'level'
  | 'code'
  | 'q';

/** What a search names, by the variable that takes it; the codes of a list are several. */
export type Named = Readonly<Partial<Record<Fillable, readonly Option[]>>>;

/** What a search means. */
export interface Understood {
  /** What it names, the likeliest reading first: five digits alone may be one thing or another. */
  readonly readings: readonly [Named, ...Named[]];
  /** The words that are no place and no number: what is asked. */
  readonly words: string;
  /** Those of them that nothing here has. */
  readonly unknown: string;
}

/** What names are compared with. */
export interface Names {
  /** Communes by name, or by a postal code. */
  readonly communes: (text: string, signal: AbortSignal) => Promise<readonly Option[]>;
  readonly departements: readonly NamedCode[];
  /** Régions by name, each with the codes of its départements. */
  readonly regions: ReadonlyMap<string, readonly string[]>;
  readonly towns: readonly Town[];
  readonly codes: Readonly<Record<CodeKind, readonly NamedCode[]>>;
  /** How many examples have a word, which then is no name of a place unless it follows a preposition. */
  countOf(term: string): number;
}

/** Lists of codes with names that people say. */
export type CodeKind = 'domain' | 'rome' | 'level';

/** A town of the map: name, longitude, latitude. */
export type Town = readonly [name: string, lon: number, lat: number];

/** The words that the longest names of places have. */
const MAX_WORDS = 6;

/** Words that precede a place. */
const BEFORE_PLACE = new Set('a au aux autour pres de du dans en sur vers chez in near around at'.split(' '));

/** Numbers and codes, in the order in which they are looked for: each is taken out of the text. */
const WRITTEN: readonly (readonly [variable: Fillable, form: RegExp])[] = [
  ['radius', /(?<!\p{L})(\d{1,3}) ?(?:km|kilom[eè]tres?|kilometers?)(?!\p{L})/iu],
  ['rncp', /\brncp ?n?°? ?(\d{3,5})\b/i],
  ['level', /\b(?:niveau|level)x? ?([1-8])\b/i],
  ['romes', /\b([a-n]\d{4})\b/i],
  ['rome', /\b([a-n]\d{2,3})\b/i],
  ['q', /\b(\d{14}|\d{9}|W[A-Z\d]{9})\b/i],
  ['code', /\b(\d{5}|2[ab]\d{3})\b/i],
];

/** Ages and amounts, which are no département. */
const COUNTED = /\b\d+ ?(?:ans?|years?|mois|months?|jours?|days?|semaines?|weeks?|%|€|euros?)(?!\p{L})/giu;

/** What a text means: places, distances, levels, occupations and codes, and the words that are left. */
export async function understand(text: string, names: Names, signal: AbortSignal): Promise<Understood> {
  const { digits, found, rest } = takeWritten(text, names);
  const place = await findPlace(rest, names, signal);
  const { domain, romes, level, taken } = findCodes(place.rest, names);
  const unknown = termsOf(place.rest).filter((term) => !isSmall(term) && names.countOf(term) === 0 && !taken.has(term));
  const named: Named = {
    ...(unknown.length > 0 && { q: [optionOf(unknown.join(' '))] }),
    ...(domain.length > 0 && { domain }),
    ...(romes.length > 0 && { romes }),
    ...(level.length > 0 && { level: level.slice(0, 1) }),
    ...place.named,
    ...found,
  };
  const [first = {}, ...others] = digits === null ? [] : await readDigits(digits, names, signal);
  return {
    readings: [{ ...named, ...first }, ...others.map((other) => ({ ...named, ...other }))],
    words: place.rest,
    unknown: unknown.join(' '),
  };
}

/** The codes and numbers that are written in a text, and the text without them. */
function takeWritten(text: string, names: Names) {
  const found: Partial<Record<Fillable, readonly Option[]>> = {};
  let digits: string | null = null;
  let rest = text.replace(COUNTED, (counted) => counted.replace(/\d+/, ''));
  for (const [variable, form] of WRITTEN) {
    const [whole, written = ''] = form.exec(rest) ?? [];
    if (whole === undefined) continue;
    rest = rest.replace(whole, variable === 'rncp' ? ' rncp ' : ' ');
    const prefix = variable === 'rncp' ? 'RNCP' : variable === 'level' ? 'LEVEL_' : '';
    const code = prefix + written.toUpperCase();
    if (variable === 'code') digits = code;
    else found[variable] = [optionOf(code, variable === 'radius' ? `${code} km` : nameOf(variable, code, names))];
  }
  const [bac, years = ''] = /\bbac ?\+ ?([2358])\b/i.exec(rest) ?? [];
  if (bac !== undefined) {
    rest = rest.replace(bac, ' ');
    const code = `LEVEL_${{ 2: 5, 3: 6, 5: 7, 8: 8 }[years]}`;
    found.level ??= [optionOf(code, nameOf('level', code, names))];
  }
  return { digits, found, rest };
}

/** The name of a code in the page's language; the code itself where it has none. */
function nameOf(variable: Fillable, code: string, { codes }: Names): string {
  const of = variable === 'romes' ? codes.rome : variable === 'level' ? codes.level : [];
  return of.find((named) => named.code === code)?.[language.get()] ?? code;
}

function optionOf(code: string, label = code): Option {
  return { code, label, note: '' };
}

/** RNCP numbers of today are below it; INSEE and postal codes begin with a département, so most are above. */
const MAX_RNCP = 45_000;

/** What five characters may be, the likeliest first: a postal code, the number of a certification, an INSEE code. */
async function readDigits(code: string, names: Names, signal: AbortSignal): Promise<Named[]> {
  const [largest] = await names.communes(code, signal);
  const isRncp = largest === undefined && Number(code) < MAX_RNCP;
  return [
    ...(largest ? [{ code: [optionOf(code)], insee: [largest] }] : []),
    ...(isRncp ? [{ rncp: [optionOf(`RNCP${code}`)] }] : []),
    { insee: [optionOf(code)] },
  ];
}

/** The place that a text names, and the text without it. */
async function findPlace(text: string, names: Names, signal: AbortSignal): Promise<{ named: Named; rest: string }> {
  const terms = termsOf(text);
  for (const [from, to] of spans(terms)) {
    const words = terms.slice(from, to);
    const name = withoutArticle(words.join(' '));
    const isWord = words.every((term) => isSmall(term) || names.countOf(term) > 0);
    if (name === '' || words.every(isSmall)) continue;
    if (isWord && !BEFORE_PLACE.has(fold(terms[from - 1] ?? '')) && terms.length > words.length) continue;
    const department = departementsOf(name, names);
    const town = names.towns.find(([one]) => withoutArticle(one) === name);
    if (department.length === 0 && town === undefined) continue;
    const rest = [...terms.slice(0, from), ...terms.slice(to)].join(' ');
    const insee = town && (await findCommune(town[0], rest, names, signal));
    return {
      rest,
      named: {
        ...(department.length > 0 && { department }),
        ...(insee && { insee: [insee] }),
        ...(town && { position: [{ code: `${town[2]},${town[1]}`, label: town[0], note: '' }] }),
      },
    };
  }
  return findSmallPlace(terms, names, signal);
}

/** The département of a name or code, or those of a région. */
function departementsOf(name: string, { departements, regions }: Names): Option[] {
  const named = departements.filter(({ code, fr }) => withoutArticle(fr) === name || fold(code) === name);
  const [region] = [...regions].filter(([one]) => withoutArticle(one) === name);
  const codes = region?.[1] ?? [];
  return [...named, ...departements.filter(({ code }) => named.length === 0 && codes.includes(code))].map(
    ({ code, fr }) => optionOf(code, fr),
  );
}

/** A commune too small for the map, or a misspelt one: what no example has is looked up. */
async function findSmallPlace(terms: readonly string[], names: Names, signal: AbortSignal) {
  const unknown = terms.filter((term) => !isSmall(term) && names.countOf(term) === 0 && term.length > 2);
  const after = terms.findIndex((term) => /^(à|a|near|around|autour|près|vers)$/i.test(term));
  const name = (after < 0 ? unknown : unknown.filter((term) => terms.indexOf(term) > after)).join(' ');
  if (name === '') return { named: {}, rest: terms.join(' ') };
  const [commune] = await names.communes(name, signal);
  const isIt = commune !== undefined && withoutArticle(commune.label) === withoutArticle(name);
  const rest = terms.filter((term) => !isIt || !name.includes(term)).join(' ');
  return { named: isIt ? { insee: [commune] } : {}, rest };
}

/** The commune of a town's name, of the département that the rest of the text names in digits if there is one. */
async function findCommune(town: string, rest: string, names: Names, signal: AbortSignal): Promise<Option | undefined> {
  const [departement] = /\b(\d{2,3}|2[ab])\b/i.exec(rest) ?? [];
  const found = await names.communes(departement === undefined ? town : `${town} (${departement})`, signal);
  return found.find(({ label }) => plainName(label) === plainName(town)) ?? found[0];
}

/** All runs of words, the longest first. */
function spans(terms: readonly string[]): [from: number, to: number][] {
  const all: [number, number][] = [];
  for (let length = Math.min(MAX_WORDS, terms.length); length > 0; length -= 1) {
    for (let from = 0; from + length <= terms.length; from += 1) all.push([from, from + length]);
  }
  return all;
}

/** A name as it is compared, without the article that a search leaves out. */
function withoutArticle(name: string): string {
  return plainName(name).replace(/^(l|la|le|les) /, '');
}

/** Examples that have a word at most, for it to name a domain: bénévolat is what all missions are. */
const COMMON = 4;

/** Codes that a word may stand for. */
const MAX_CODES = 3;

/** The domains, occupations and levels of which a text has a rare word, or a whole name. */
function findCodes(text: string, names: Names) {
  const terms = termsOf(text).filter((term) => !isSmall(term));
  const taken = new Set<string>();
  const found = (of: CodeKind): Option[] => {
    const usable = terms.filter((term) => names.countOf(term) <= (of === 'rome' ? 0 : COMMON));
    // The whole of a word, but the beginning of a trade: boulanger is of the boulangerie.
    const fits = (name: string, stem: string): boolean =>
      name === stem ||
      (stem.length > 4 && (of === 'rome' ? name.startsWith(stem) : name.length > 4 && stem.startsWith(name)));
    const hitsOf = (named: NamedCode) => usable.filter((term) => isNamed(named, term, fits));
    const scored = names.codes[of].map((named) => ({ named, hits: hitsOf(named) }));
    const best = Math.max(0, ...scored.map(({ hits }) => hits.length));
    const fitting = scored.filter(({ hits }) => best > 0 && hits.length === best);
    if (fitting.length > MAX_CODES) return [];
    for (const { hits } of fitting) for (const term of hits) taken.add(term);
    return fitting.map(({ named }) => optionOf(named.code, named[language.get()]));
  };
  return { domain: found('domain'), romes: found('rome'), level: found('level'), taken };
}

/** Whether the stem of a word fits that of one of a code's names. */
function isNamed({ code, fr, en }: NamedCode, term: string, fits: (name: string, stem: string) => boolean): boolean {
  const stems = stemsOf(term);
  return termsOf(`${code} ${fr} ${en}`).some((word) =>
    stemsOf(word).some((name) => stems.some((stem) => fits(name, stem))),
  );
}
