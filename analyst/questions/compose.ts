import { parse, print } from 'graphql';
import { ownValue } from '../../kernel/text.js';
import { daysOf, instantsOf } from './days.js';
import { type Place, type Question, readPlace, type Subject, subjectOf, type Way } from './question.js';

/** What codes of places stand for, where the graph takes something else. */
export interface Known {
  /** The départements of a région. */
  departementsOf(region: string): readonly string[];
  /** INSEE codes of the communes of an EPCI or of a postal code; null until they are known. */
  communesOf(place: Place): readonly string[] | null;
  /** The centre of a commune; null until it is known. */
  centreOf(insee: string): { readonly latitude: number; readonly longitude: number } | null;
  /** Postal codes of the missions locales of départements; null until they are known. */
  postalCodesOf(departements: readonly string[]): readonly string[] | null;
  /** Today in Paris. */
  today: string;
}

/** Why a question cannot be asked as it is: a criterion, and what stands in its way. */
export interface Problem {
  readonly criterion: string;
  readonly why:
    | 'untaken'
    | 'uncounted'
    | 'placeKind'
    | 'needsPlace'
    | 'needs'
    | 'oneValue'
    | 'wrong'
    | 'mixedPlaces'
    | 'loading';
}

/** A question as GraphQL. */
export interface Composed {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string;
  /** The list of the response, as the page names it. */
  readonly path: string;
  /** Columns that the rows are counted by; null where the graph counts. */
  readonly columns: readonly string[] | null;
  /** Conditions on the loaded rows, which the graph does not know: `[column, operator, value]`. */
  readonly where: readonly (readonly [column: string, operator: string, value: string])[];
}

/** A question as GraphQL, or what stands in the way. */
export type Composition =
  | { readonly composed: Composed; readonly problems: readonly [] }
  | { readonly composed: null; readonly problems: readonly Problem[] };

/** Composes the GraphQL of a question. Never leaves out a criterion: what no way takes is a problem. */
export function compose(question: Question, known: Known): Composition {
  const subject = subjectOf(question.subject);
  if (subject === null) return { composed: null, problems: [{ criterion: 'subject', why: 'wrong' }] };
  const tries = subject.ways.map((way) => composeWay(question, { subject, way }, known));
  const fitting = tries.find(({ problems }) => problems.length === 0);
  // Of ways that do not fit, the one with the fewest problems says most.
  return fitting ?? tries.toSorted((one, other) => one.problems.length - other.problems.length)[0] ?? NOTHING;
}

const NOTHING: Composition = { composed: null, problems: [{ criterion: 'subject', why: 'wrong' }] };

/** The parts of an operation while it is composed. */
interface Draft {
  readonly declared: Map<string, string>;
  readonly variables: Record<string, unknown>;
  /** By place in the text (`ARGS`), the arguments that stand there. */
  readonly args: Map<string, string[]>;
  readonly where: [string, string, string][];
  readonly problems: Problem[];
}

function composeWay(question: Question, { subject, way }: { subject: Subject; way: Way }, known: Known): Composition {
  const draft: Draft = { declared: new Map(), variables: {}, args: new Map(), where: [], problems: [] };
  const { place = [], first, ...others } = question.criteria;
  note(draft, 'place', takePlaces(place, { subject, way }, draft, known));
  for (const [name, values] of Object.entries(others)) {
    const taker = way.takes[name];
    note(draft, name, taker === undefined ? 'untaken' : take(taker, values, { draft, known }));
  }
  for (const need of way.needs ?? []) {
    if (!Object.hasOwn(question.criteria, need)) draft.problems.push({ criterion: need, why: 'needs' });
  }
  const keys = question.form === 'count' ? keysOf(question, subject) : [];
  if (question.form === 'count' && question.by.some((by) => !subject.keys.some(({ name }) => name === by)))
    draft.problems.push({ criterion: 'by', why: 'uncounted' });
  const counts = keys.every(({ count }) => count !== undefined) && keys.length > 0 ? way.counts : undefined;
  if (counts === undefined) takeFirst(first, way, draft);
  else if (first !== undefined) draft.problems.push({ criterion: 'first', why: 'untaken' });
  if (draft.problems.length > 0) return { composed: null, problems: draft.problems };
  if (counts !== undefined) {
    draft.declared.set('by', `[${subject.by}!]!`);
    draft.variables['by'] = keys.map(({ count }) => count);
  }
  const operationName =
    nameOf(subject.name) + (question.form === 'count' ? `By${keys.map((key) => nameOf(key.name)).join('And')}` : '');
  const prefix = way.prefix ?? '';
  return {
    problems: [],
    composed: {
      query: writeQuery(operationName, counts ?? way.list, { way, draft }),
      variables: draft.variables,
      operationName,
      path: (counts === undefined ? way.path : way.countsPath) ?? way.path,
      columns:
        counts === undefined ? keys.flatMap(({ column }) => (column === undefined ? [] : prefix + column)) : null,
      where: draft.where,
    },
  };
}

/** The keys that a question counts by; the usual one if it names none. */
export function keysOf({ by }: Pick<Question, 'by'>, { keys, usual }: Subject): Subject['keys'] {
  const named = by.flatMap((name) => keys.find((key) => key.name === name) ?? []);
  return named.length > 0 ? named : keys.filter(({ name }) => name === usual);
}

/** `training-centres` as `TrainingCentres`. */
function nameOf(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Why something could not be taken; null if it was. */
type Refusal = Problem['why'] | null;

function note({ problems }: Draft, criterion: string, why: Refusal): void {
  if (why !== null) problems.push({ criterion, why });
}

interface WayOf {
  readonly subject: Subject;
  readonly way: Way;
}

function takePlaces(values: readonly string[], { subject, way }: WayOf, draft: Draft, known: Known): Refusal {
  const places = values.flatMap((value) => readPlace(value) ?? []);
  const [first] = places;
  const isNear = ['near', 'point'].includes(way.place['commune'] ?? '');
  if (places.length < values.length) return 'wrong';
  if (first === undefined) return isNear ? 'needsPlace' : null;
  if (isNear && first.kind !== 'commune') return 'needsPlace';
  if (isNear) return places.length > 1 ? 'oneValue' : takeNear(first, { subject, way }, draft, known);
  const spread = places.map((place) => spreadOf(place, way, known));
  if (spread.includes(null)) return 'loading';
  const all = spread.flatMap((one) => one ?? []);
  const [taker = '', ...others] = new Set(all.map((one) => one.taker));
  if (taker === '' || others.includes('')) return 'placeKind';
  if (others.length > 0) return 'mixedPlaces';
  return take(taker, [...new Set(all.map(({ code }) => code))], { draft, known });
}

/** A commune with kilometres around it. */
function takeNear(place: Place, { subject, way }: WayOf, { declared, variables }: Draft, known: Known): Refusal {
  for (const [name, type] of Object.entries(way.types ?? {})) declared.set(name, type);
  variables['radius'] = place.radius ?? subject.radius?.in ?? 0;
  const isPoint = way.place['commune'] === 'point';
  const centre = known.centreOf(place.code);
  if (isPoint && centre === null) return 'loading';
  Object.assign(variables, isPoint ? centre : { insee: place.code });
  return null;
}

/** The codes that a way takes for a place, and what takes them; null while they are looked up. */
function spreadOf(place: Place, way: Way, known: Known): { readonly taker: string; readonly code: string }[] | null {
  const taker = way.place[place.kind] ?? '';
  const departement = way.place['departement'] ?? '';
  if (place.kind === 'region' && taker === departement) {
    return known.departementsOf(place.code).map((code) => ({ taker, code }));
  }
  if (place.kind === 'commune' && way.place['communes']) return [{ taker: way.place['communes'], code: place.code }];
  const isOfCommunes = taker !== '' && taker === way.place['communes'];
  if (!isOfCommunes) return [{ taker, code: place.code }];
  return known.communesOf(place)?.map((code) => ({ taker, code })) ?? null;
}

interface Taking {
  readonly draft: Draft;
  readonly known: Known;
}

/**
 * Gives values to what takes them: `argument: Type`, with a list or one value; `rows column operator` for a condition on
 * the rows; `postal column` for rows in départements by their postal code; `offers argument: Type` for an argument of the
 * offers inside. Partners that are left out (`-Hellowork`) have an argument of their own.
 */
function take(taker: string, values: readonly string[], { draft, known }: Taking): Refusal {
  const out = values.filter((value) => taker.startsWith('partner:') && value.startsWith('-'));
  if (out.length > 0) {
    const kept = values.filter((value) => !out.includes(value));
    const not = taker.replace(':', 'Not:');
    const refusal = take(
      not,
      out.map((value) => value.slice(1)),
      { draft, known },
    );
    return refusal ?? (kept.length === 0 ? null : take(taker, kept, { draft, known }));
  }
  const [word = '', ...rest] = taker.split(' ');
  if (word === 'rows' || word === 'postal') {
    const codes = word === 'rows' ? values : known.postalCodesOf(values);
    if (codes === null) return 'loading';
    const [column = '', operator] = rest;
    const isOne = operator !== undefined || codes.length === 1;
    draft.where.push([column, operator ?? (isOne ? 'eq' : 'in'), isOne ? (codes[0] ?? '') : JSON.stringify(codes)]);
    return null;
  }
  const place = word === 'offers' ? 'OFFERS' : 'ARGS';
  const [argument = '', type = ''] = taker.replace(/^offers /, '').split(': ');
  const { refusal, value } = asTaken(values, type, known);
  if (refusal !== null) return refusal;
  draft.declared.set(argument, type);
  draft.variables[argument] = value;
  draft.args.set(place, [...(draft.args.get(place) ?? []), `${argument}: $${argument}`]);
  return null;
}

/** Values as the graph takes them. */
function asTaken(values: readonly string[], type: string, known: Known) {
  const [only = ''] = values;
  const taken = (value: unknown) => ({ refusal: null, value });
  const refused = (refusal: Problem['why']) => ({ refusal, value: null });
  if (type.startsWith('[')) return taken(values);
  if (values.length > 1) return refused('oneValue');
  if (!type.startsWith('DateTime')) return taken(type === 'Boolean' ? only === 'true' : only);
  const days = daysOf(only, known.today);
  if (days === null) return refused('wrong');
  return taken(Object.fromEntries(Object.entries(instantsOf(days)).filter(([, instant]) => instant !== null)));
}

function takeFirst(first: readonly string[] | undefined, way: Way, draft: Draft): void {
  if (first !== undefined && (way.first === undefined || first.length > 1 || !/^[1-9]\d{0,3}$/.test(first[0] ?? ''))) {
    draft.problems.push({ criterion: 'first', why: way.first === undefined ? 'untaken' : 'wrong' });
  } else if (way.first !== undefined) {
    draft.variables['first'] = first === undefined ? way.first : Number(first[0]);
  }
}

function writeQuery(operationName: string, text: string, { way, draft }: { way: Way; draft: Draft }): string {
  const types: Readonly<Record<string, string>> = { ...way.types, first: 'Int', after: 'String' };
  for (const [, name = ''] of text.matchAll(/\$(\w+)/g)) {
    if (!draft.declared.has(name)) draft.declared.set(name, ownValue(types, name) ?? 'String');
  }
  const declared = [...draft.declared].filter(([name]) => text.includes(`$${name}`) || isArgument(name, draft));
  const head = declared.length === 0 ? '' : `(${declared.map(([name, type]) => `$${name}: ${type}`).join(', ')})`;
  const written = text.replaceAll(/\b(?:OFFERS|ARGS)\b/g, (place) => (draft.args.get(place) ?? []).join(', '));
  return print(parse(`query ${operationName}${head} { ${written.replaceAll(/, where: \{ +\}/g, '')} }`));
}

function isArgument(name: string, { args }: Draft): boolean {
  return [...args.values()].flat().includes(`${name}: $${name}`);
}
