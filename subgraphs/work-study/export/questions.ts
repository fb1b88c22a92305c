/** What the arguments of a field ask of the export. Each reader throws `BAD_USER_INPUT`, naming the argument below `where`. */

import { setImmediate } from 'node:timers/promises';
import { instantOf } from '../../../kernel/dates.js';
import { foldText, wordsSought } from '../../../kernel/fold.js';
import { editDistance } from '../../../kernel/text.js';
import { departmentByCode, departmentMeant, REGIONS, suggestion } from '../../codes/departments.js';
import { epciByCode } from '../../codes/epcis.js';
import type { Position } from '../../codes/places.js';
import { readNaf } from '../../codes/registers.js';
import {
  badUserInput,
  checkLength,
  checkMoments,
  checkRange,
  checkSiret,
  eachItem,
  readPosition,
  together,
} from '../../graph/arguments.js';
import type {
  DateTimeRange,
  ExportedCountKey,
  ExportedOfferOrder,
  ExportedOfferWhere,
  ExportedRecruiterWhere,
} from '../__generated__/resolvers.js';
import { centreOf, readInsee } from '../communes/asked-commune.js';
import { resolveInsee } from '../communes/commune-index.js';
import { DEFAULT_RADIUS_KM } from '../geography/circle.js';
import type { Order, Question } from './ask.js';
import { type DimensionName, labelTerm, type TermName, termOf } from './tables.js';

/** The filters of offers and those of recruiters. */
export type Where = ExportedOfferWhere & Pick<ExportedRecruiterWhere, 'size'>;

type Given<T> = T | null | undefined;
type Terms = Question['terms'];

/** Rows of one kind. */
export type Kind = Question['kind'];

const MAX_RADIUS_KM = 2000;
const MAX_TEXT = 200;
const MAX_WORDS = 20;

/** The question for rows of a kind. An empty list is no filter; offers that have expired by `nowMs` do not match unless asked for. */
export function readQuestion(kind: Kind, where: Where, nowMs: number): Question {
  const [around, terms, created, starts, words] = together(
    () => readNear(where),
    () => termsIn(where),
    () => range('created', where.created),
    () => range('start', where.start),
    () => readText(where.text),
    () => eachItem('where.siret', where.siret, checkSiret),
  );
  const without = labelled('partner', where.partnerNot).flat();
  const validAt = kind === 'OFFER' && where.includeExpired !== true ? nowMs : null;
  const statuses = kind === 'RECRUITER' ? null : where.status?.length ? where.status : ['ACTIVE'];
  const { near, terms: ofCentre } = around;
  const times = [...created, ...starts];
  return { kind, statuses, near, terms: [...ofCentre, ...terms], without, times, validAt, words, grouped: null };
}

/** Refuses a radius out of bounds. */
export function checkRadius(radius: number | null | undefined): void {
  checkRange('where.radius', radius, { min: 0, max: MAX_RADIUS_KM, unit: 'km' });
}

/** Largest circle that `atLeast` widens to. */
export const MAX_WIDENED_KM = 200;

/** Refuses to widen what has no bound, or is no circle. */
export function checkAtLeast(atLeast: number | null | undefined, near: Question['near']): void {
  checkRange('where.atLeast', atLeast, { min: 1, max: 1000 });
  if ((atLeast ?? null) === null) return;
  if (near === null) throw badUserInput('where.atLeast', 'needs a point: where.near');
  if (near.radiusKm > MAX_WIDENED_KM)
    throw badUserInput('where.radius', `must be more than 0 and at most ${MAX_WIDENED_KM} km with atLeast`);
}

/** Rows around a point; `terms` has that of the commune itself, if that is all. */
type Around = Pick<Question, 'near' | 'terms'>;

function readNear({ near, radius }: Where): Around {
  checkRadius(radius);
  if (near === null || near === undefined) {
    if ((radius ?? null) !== null) throw badUserInput('where.radius', 'needs a point: where.near');
    return { near: null, terms: [] };
  }
  const radiusKm = radius ?? DEFAULT_RADIUS_KM;
  const names = { lat: 'where.near.position.latitude', lon: 'where.near.position.longitude' };
  const position = readPosition(names, near.position?.latitude, near.position?.longitude);
  if (position !== null) return { near: { position, radiusKm }, terms: [] };
  const current = readInsee('where.near.insee', near.insee ?? '');
  const centre = centreOf(current);
  if (centre === null) throw badUserInput('where.near.insee', 'is a commune whose position nobody knows');
  return aroundCommune(current, centre, radiusKm);
}

/** The code of a point's commune if the official boxes lack its extent, as in collectivities; else null. */
export function unplacedIn(where: Given<Where>): string | null {
  const insee = where?.near?.insee ?? '';
  return centreOf(insee) === null && resolveInsee(insee) !== null ? insee : null;
}

/** Half around the Earth, and more. */
const ANYWHERE_KM = 21_000;

/** The radius of a circle as it is asked for; null without one. */
export function radiusOf(near: Question['near']): number | null {
  return near && (near.radiusKm === ANYWHERE_KM ? 0 : near.radiusKm);
}

/** Rows around the centre of a commune; with a radius of 0 those of the commune, as no workplace is exactly there. */
export function aroundCommune(insee: string, position: Position, radiusKm: number): Around {
  return radiusKm === 0
    ? { near: { position, radiusKm: ANYWHERE_KM }, terms: oneOf('commune', [insee]) }
    : { near: { position, radiusKm }, terms: [] };
}

/** Filters whose names are those of their terms, and what is valid in those that have no list of values. */
const CODES = ['epci', 'department', 'region', 'rome', 'naf', 'siret', 'diploma', 'remote'] as const;
const CHECKS = {
  epci: checked(epciByCode, () => 'the SIREN of an EPCI, as in epcisByName'),
  department: checked(departmentByCode, (code) => `a département code${departmentMeant(code)}`),
  region: checked(
    (text) => REGIONS.find(({ code }) => code === text),
    (code) => `a région code${suggestion(regionsMeant(code))}`,
  ),
  rome: checked(romeStart, (code) => {
    const meant = romeStart(code.trim().toUpperCase());
    return `a ROME code or its beginning: a capital and up to four digits${suggestion(meant === undefined ? [] : [meant])}`;
  }),
  naf: checked(
    (text) => /^\d{1,4}$|^\d{4}[A-Z]$/.exec(text),
    () => 'a NAF code or its beginning: up to four digits, then a letter',
  ),
} as const;
/** Those with labels of open vocabularies. */
const LABELS = ['opco', 'partner', 'size'] as const;

function checked(find: (text: string) => unknown, expected: (text: string) => string) {
  return (argument: string, code: string) => {
    if ((find(code) ?? undefined) === undefined) throw badUserInput(argument, `is not ${expected(code)}`);
  };
}

function romeStart(text: string): string | undefined {
  return /^[A-Z]\d{0,4}$/.exec(text)?.[0];
}

function regionsMeant(text: string): string[] {
  const folded = foldText(text);
  const near = REGIONS.filter(({ nom }) => editDistance(folded, foldText(nom)) <= Math.round(folded.length / 5));
  return near.map(({ code, nom }) => `${code}, ${nom}`);
}

/** Codes, their beginnings, and words of vocabularies. */
function termsIn(where: Where): Terms {
  const given = { ...where, naf: where.naf?.map(readNaf) };
  const names = Object.keys(CHECKS) as (keyof typeof CHECKS)[];
  const checkLabel = (item: string, label: string) => checkLength(item, label, { min: 1, max: MAX_TEXT });
  const [communes] = together<[string[], ...unknown[]]>(
    () => eachItem('where.insee', where.insee, readInsee),
    ...names.map((name) => () => eachItem(`where.${name}`, given[name], CHECKS[name])),
    ...([...LABELS, 'partnerNot'] as const).map((name) => () => eachItem(`where.${name}`, where[name], checkLabel)),
  );
  const delegated = where.delegated ?? null;
  return [
    ...oneOf('commune', communes),
    ...CODES.flatMap((name) => oneOf(name, given[name])),
    ...oneOf('contract', where.contractType),
    ...LABELS.flatMap((name) => labelled(name, where[name])),
    ...oneOf('delegated', delegated === null ? null : [String(delegated).toUpperCase()]),
  ];
}

/** Rows with one of these codes; all rows if there are none. */
export function oneOf(name: TermName, codes: readonly string[] | null | undefined): Terms {
  return anyOf(codes, (code) => termOf(name, code));
}

function labelled(name: TermName, labels: readonly string[] | null | undefined): Terms {
  return anyOf(labels, (label) => labelTerm(name, label));
}

function anyOf(wanted: readonly string[] | null | undefined, term: (code: string) => string): Terms {
  return wanted?.length ? [[...new Set(wanted)].map(term)] : [];
}

function range(name: 'created' | 'start', bounds: Given<DateTimeRange>): Question['times'] {
  checkMoments(`where.${name}`, bounds);
  const { after, before } = bounds ?? {};
  if (!after && !before) return [];
  const of = name === 'start' ? 'starts' : name;
  return [{ of, after: after ? instantOf(after) : -MAX_MS, before: before ? instantOf(before) : MAX_MS }];
}

/** Beyond all moments. */
const MAX_MS = 1e18;

function readText(text: string | null | undefined): string[][] {
  if (text === null || text === undefined) return [];
  checkLength('where.text', text, { min: 1, max: MAX_TEXT });
  const words = wordsSought(text);
  if (words.length === 0) throw badUserInput('where.text', 'has no word');
  if (words.length > MAX_WORDS) throw badUserInput('where.text', `has at most ${MAX_WORDS} words`);
  return words;
}

/** How to sort: by distance if there is a point, else by publication, the newest first. */
export function readOrder(orderBy: Given<ExportedOfferOrder>, near: Question['near']): Order {
  if (!orderBy) return { by: near === null ? 'CREATION' : 'DISTANCE', isReversed: false };
  const { field: by, direction } = orderBy;
  if (by === 'DISTANCE' && near === null)
    throw badUserInput('orderBy.field', 'can be DISTANCE only with a point: where.near');
  return { by, isReversed: (direction === 'DESC') !== (by === 'CREATION') };
}

const MAX_GROUPS = 1000;
const DEFAULT_GROUPS = 50;

/** What to count by, one dimension or two, and how many groups to list. */
export function readCounting(by: readonly ExportedCountKey[], top: number | null | undefined) {
  if (by.length === 0 || by.length > 2) throw badUserInput('by', 'must have one key or two');
  if (by[0] === by[1]) throw badUserInput('by', 'must have two different keys');
  const groups = top ?? DEFAULT_GROUPS;
  if (groups < 0 || groups > MAX_GROUPS) throw badUserInput('top', `must be between 0 and ${MAX_GROUPS}`);
  return { by: by.map((key): DimensionName => key.toLowerCase() as Lowercase<ExportedCountKey>), top: groups };
}

/**
 * Refuses labels of open vocabularies that no row has, where one that rows have is nearly the same. What is like none is
 * valid, and finds nothing: the partner may have no offers today. `known` gives those that rows have.
 */
export async function checkLabels(
  where: Where,
  known: (name: 'opco' | 'partner') => Promise<readonly string[]>,
): Promise<void> {
  for (const name of ['opco', 'partner', 'partnerNot'] as const) {
    const labels = where[name] ?? [];
    if (labels.length === 0) continue;
    const folded = new Map((await known(name === 'opco' ? name : 'partner')).map((label) => [foldText(label), label]));
    folded.delete('');
    for (const label of new Set(labels.map(foldText))) {
      if (folded.has(label)) continue;
      // Many labels are compared with many.
      await setImmediate();
      const near = likeLabels(label, folded);
      if (near.length > 0)
        throw badUserInput(`where.${name}`, `has a label that the export does not have${suggestion(near)}`);
    }
  }
}

function likeLabels(text: string, folded: ReadonlyMap<string, string>): string[] {
  const most = text.length / 4;
  const isNear = (one: string) => Math.abs(one.length - text.length) <= most && editDistance(text, one) <= most;
  return [...folded].flatMap(([one, written]) => (isNear(one) ? [written] : []));
}
