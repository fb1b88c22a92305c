import { fold } from '../../../rows/cells.js';
import type { Example } from '../../read-example.js';
import { DOMAINS, type Option, type OptionSources, plainName } from '../variables/options.js';

/** Examples that match the words of a search, and what is left of it. */
interface ExampleSearch {
  readonly found: readonly Example[];
  /** Words that no example has: perhaps the name of a place, or a code. */
  readonly rest: string;
}

/** Words that say nothing about what is looked for, in both languages. */
const SMALL = new Set(
  'a about all and around at au autour aux avec by d dans de des du en et for from how in l la le les moins near of on ou par pour pres quel quelle quelles quels sont sur the to un une what which with'.split(
    ' ',
  ),
);

/** A distance: `30 km`. */
const RADIUS = /(?:^|\s)(\d{1,3}) ?km(?:$|\s)/i;

/** The examples that have, in title, group or further words, a word beginning with each known word of a text. */
export function searchExamples(examples: readonly Example[], text: string): ExampleSearch {
  const terms = termsOf(text.replace(RADIUS, ' ')).filter((term) => !SMALL.has(fold(term)));
  const indexed = examples.map((example) => ({ example, words: wordsOf(example) }));
  const fits = (words: readonly string[], term: string): boolean => words.some((word) => matches(word, fold(term)));
  const known = terms.filter((term) => indexed.some(({ words }) => fits(words, term)));
  const found = indexed.filter(({ words }) => known.every((term) => fits(words, term))).map(({ example }) => example);
  return { found, rest: terms.filter((term) => !known.includes(term)).join(' ') };
}

/** Whether a folded word begins with a folded term, or has the same stem. */
function matches(word: string, term: string): boolean {
  return word.startsWith(term) || stem(word) === stem(term);
}

/** A folded word without the ending of its plural, which is nearly the same in both languages. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/[sx]$/, '') : word;
}

/** The words of a text, with elisions such as `d'` separated. */
function termsOf(text: string): string[] {
  return text.split(/[\s,;:?!'’]+/).filter(Boolean);
}

function wordsOf({ title, words, group }: Example): string[] {
  return fold(`${title.en} ${title.fr} ${words} ${group}`).split(/[^\p{L}\d]+/u);
}

/** The variables of examples that a search can fill. */
type Fillable = 'insee' | 'department' | 'domain' | 'romes' | 'rncp' | 'radius';

/** The values that a search names, by the example variable that takes them. */
export type NamedValues = Readonly<Partial<Record<Fillable, Option>>>;

/** Variables that take a list. */
const LISTS = new Set<string>(['department', 'domain', 'romes']);

/**
 * What a search names: a commune or département in `rest`, a domain, a ROME or RNCP code. Null if part of `rest` is
 * none of them, because rows of another place would answer another question.
 */
export async function findValues(
  { text, rest }: { readonly text: string; readonly rest: string },
  sources: OptionSources,
  signal: AbortSignal,
): Promise<NamedValues | null> {
  const romes = /(?:^|\s)([a-n]\d{4})(?:$|\s)/i.exec(text)?.[1]?.toUpperCase();
  const rncp = /(?:^|\s)rncp ?(\d{3,5})(?:$|\s)/i.exec(text)?.[1];
  const radius = RADIUS.exec(text)?.[1];
  const domain = namedDomain(text);
  await Promise.all([sources.rome.loaded?.(), sources.domain.loaded?.()]);
  const found: Partial<Record<Fillable, Option>> = {
    ...(romes && { romes: { code: romes, label: sources.rome.labelOf(romes) ?? romes, note: '' } }),
    ...(rncp && { rncp: { code: `RNCP${rncp}`, label: `RNCP${rncp}`, note: '' } }),
    ...(radius && { radius: { code: radius, label: `${radius} km`, note: '' } }),
    ...(domain && { domain: { code: domain, label: sources.domain.labelOf(domain) ?? domain, note: '' } }),
  };
  const isCode = (term: string): boolean => term.toUpperCase() === romes || term.replace(/^rncp/i, '') === rncp;
  const isOfDomain = (term: string): boolean => domain !== undefined && namedDomain(term) === domain;
  const place = termsOf(rest).filter((term) => !isCode(term) && !isOfDomain(term));
  if (place.length === 0) return found;
  const places = await findPlaces(place.join(' '), sources, signal);
  return places && { ...found, ...places };
}

/** The département and the commune of a name; null if there is neither. `Saint-Denis (93)` is the one of the 93. */
async function findPlaces(text: string, sources: OptionSources, signal: AbortSignal): Promise<NamedValues | null> {
  const department = (await sources.departement.find(text, signal)).find(({ code, label }) =>
    [code, label].some((named) => withoutArticle(named) === withoutArticle(text)),
  );
  const name = withoutArticle(text.replaceAll(/\(.*?\)|\b\d\w*/g, ' '));
  const [insee] = name === '' ? [] : await sources.commune.find(text, signal);
  const isCommune = insee !== undefined && withoutArticle(insee.label).startsWith(name);
  return department || isCommune ? { ...(department && { department }), ...(isCommune && { insee }) } : null;
}

/** A name as it is compared, without the article that a search leaves out. */
function withoutArticle(name: string): string {
  return plainName(name).replace(/^(l|la|le|les) /, '');
}

/**
 * The variables of an example with the values that a search names; null if it takes none of the places, or none of the
 * codes.
 */
export function fillIn(example: Example, named: NamedValues): FilledExample | null {
  const filled: Option[] = [];
  const variables: Record<string, unknown> = { ...example.variables };
  for (const [name, option] of Object.entries(named)) {
    if (!new RegExp(`\\$${name}\\b`).test(example.query)) continue;
    variables[name] = LISTS.has(name) ? [option.code] : name === 'radius' ? Number(option.code) : option.code;
    filled.push(option);
  }
  const { domain, radius, department, insee, ...codes } = named;
  const takes = (options: readonly (Option | undefined)[]): boolean =>
    options.every((option) => option === undefined) || filled.some((option) => options.includes(option));
  const isFit = takes([department, insee]) && takes(Object.values(codes));
  return isFit ? { example, variables, filled } : null;
}

/** An example with what was filled in. */
export interface FilledExample {
  readonly example: Example;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly filled: readonly Option[];
}

function namedDomain(text: string): string | undefined {
  const terms = termsOf(text)
    .map(fold)
    .filter((term) => term.length > 3);
  return DOMAINS.find(({ en, fr }) =>
    terms.some((term) => [en, fr].some((name) => matches(firstWord(name) ?? '', term))),
  )?.code;
}

/** The first word that tells a domain from others: `bénévolat` is what all missions are. */
function firstWord(name: string): string | undefined {
  return fold(name)
    .split(/[\s,]+/)
    .find((word) => word.length > 2 && word !== 'benevolat');
}
