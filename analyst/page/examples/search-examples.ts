import type { Example } from '../../read-example.js';
import { indexOf } from '../elements/words.js';
import { DOMAINS, LEVELS } from '../labels/labels.js';
import { findCommunes, type Option } from '../variables/options.js';
import { type Fillable, type Named, type Names, understand } from './understand.js';

/** An example with what a search filled in. */
export interface FoundExample {
  readonly example: Example;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly filled: readonly Option[];
  /** Names of what a search names and the example does not take. */
  readonly leftOut: readonly string[];
}

/** A search of examples: the best first, never empty. */
export type ExampleSearch = (
  text: string,
  signal: AbortSignal,
) => Promise<{
  readonly found: readonly FoundExample[];
  /** Words that are neither a place nor a code, and that no example has. */
  readonly unknown: string;
}>;

/** What a word counts for, by where an example has it. */
const BOOST = { title: 4, words: 2, about: 1 };

/** Variables that take a list. */
const LISTS = new Set<string>(['department', 'domain', 'romes', 'rome']);

/** Variables of which a search names one thing: an example that takes none of them answers another question. */
const PLACES: readonly Fillable[] = ['insee', 'department', 'position', 'code'];
const CODES: readonly Fillable[] = ['romes', 'rome', 'rncp', 'level'];

/** Variables whose values in an example are a sample: they must not filter what somebody else asks. */
const SAMPLES = new Set([...LISTS, 'level', 'q', 'radius', 'latitude', 'longitude']);

/** Searches examples by words of both languages, and by what a text names. Names are loaded first. */
export async function createExampleSearch(
  examples: readonly Example[],
  communes: Names['communes'] = findCommunes,
): Promise<ExampleSearch> {
  const documents = examples.map(({ name, title, words, about }) => ({
    name,
    title: `${title.en} ${title.fr}`,
    about: `${about.en} ${about.fr}`,
    words,
  }));
  const index = indexOf(documents, { idField: 'name', fields: ['title', 'words', 'about'] });
  const vocabulary = indexOf(documents, { idField: 'name', fields: ['title', 'words'] });
  const countOf = (term: string): number => vocabulary.search(term, { prefix: false, fuzzy: false }).length;
  // Places that cannot be looked up now are left out.
  const places: Names['communes'] = (text, signal) => communes(text, signal).catch(() => []);
  const names = { ...(await loadNames()), communes: places, countOf };
  return async (text, signal) => {
    const understood = await understand(text, names, signal);
    const found = index.search(understood.words, { boost: BOOST });
    const scores = new Map(found.map(({ id, score }) => [String(id), score / (found[0]?.score ?? 1)]));
    const of = (named: Named) =>
      examples
        .map((example) => ({
          ...fillIn(example, named, understood.unknown),
          score: (scores.get(example.name) ?? 0) + fitOf(example, named),
        }))
        .sort((one, other) => other.score - one.score);
    return { found: merged(understood.readings.map(of), found.length > 0), unknown: understood.unknown };
  };
}

/** All examples, each as the reading has it that it fits best; without words, the best of each reading first. */
function merged(readings: readonly (readonly Scored[])[], hasWords: boolean): FoundExample[] {
  const all = readings.flat().sort((one, other) => other.score - one.score);
  const inOrder = [...(hasWords ? [] : readings.flatMap(([best]) => best ?? [])), ...all];
  return inOrder.filter(({ example }, at) => inOrder.findIndex((one) => one.example === example) === at);
}

interface Scored extends FoundExample {
  readonly score: number;
}

/** How well an example takes what a search names. */
function fitOf(example: Example, named: Named): number {
  const takes = (name: Fillable): boolean => takesVariable(example, name);
  const names = Object.keys(named) as Fillable[];
  const fitOfGroup = (group: readonly Fillable[]): number => {
    const of = names.filter((name) => group.includes(name));
    return of.length === 0 ? 0 : of.some(takes) ? 0.6 : -0.4;
  };
  const soft = names.filter((name) => !PLACES.includes(name) && !CODES.includes(name) && takes(name));
  // What five digits are is the likeliest reading of them.
  const exact = named.code && takes('code') ? 0.2 : 0;
  return fitOfGroup(PLACES) + fitOfGroup(CODES) + exact + 0.15 * soft.length;
}

function takesVariable({ query }: Example, name: Fillable): boolean {
  return new RegExp(`\\$${name === 'position' ? 'latitude' : name}\\b`).test(query);
}

/**
 * The variables of an example with the values that a search names, and of its own only those that it cannot do without
 * or that make it the question it is.
 */
function fillIn(example: Example, named: Named, unknown: string): FoundExample {
  const filled: Option[] = [];
  const isRequired = (name: string): boolean => new RegExp(`\\$${name}: \\S*!(?=[\\s,)])`).test(example.query);
  const own = Object.entries(example.variables).filter(([name]) => !SAMPLES.has(name) || isRequired(name));
  const variables: Record<string, unknown> = Object.fromEntries(own);
  const isTaken = (name: Fillable): boolean =>
    (PLACES.includes(name) ? PLACES : [name]).some((one) => named[one] !== undefined && takesVariable(example, one));
  for (const [name, options] of Object.entries(named) as [Fillable, readonly Option[]][]) {
    if (!takesVariable(example, name)) continue;
    const codes = options.map(({ code }) => code);
    if (name === 'position') {
      const [latitude, longitude] = (codes[0] ?? '').split(',').map(Number);
      Object.assign(variables, { latitude, longitude });
    } else variables[name] = LISTS.has(name) ? codes : name === 'radius' ? Number(codes[0]) : codes[0];
    filled.push(...options);
  }
  const left = (Object.entries(named) as [Fillable, readonly Option[]][]).filter(([name]) => !isTaken(name));
  const labels = left.flatMap(([, options]) => options.map(({ label }) => label)).filter((label) => label !== unknown);
  return { example, variables, filled, leftOut: [...new Set(labels)] };
}

/** The names of places and codes that searches are compared with. */
async function loadNames(): Promise<Omit<Names, 'countOf' | 'communes'>> {
  const [departements, regions, towns, romes] = await Promise.all([
    import('@etalab/decoupage-administratif/data/departements.json'),
    import('@etalab/decoupage-administratif/data/regions.json'),
    import('../map/towns.json'),
    import('../variables/rome-codes.json'),
  ]);
  const ofRegion = (region: string): string[] =>
    departements.default.filter((one) => one.region === region).map(({ code }) => code);
  return {
    departements: departements.default.map(({ code, nom }) => ({ code, fr: nom, en: nom })),
    regions: new Map(regions.default.map(({ code, nom }) => [nom, ofRegion(code)])),
    // The compiler reads the tuples of a JSON file as arrays.
    towns: towns.default as unknown as Names['towns'],
    codes: { domain: DOMAINS, rome: romes.default, level: LEVELS },
  };
}
