import { SEARCH_CEILING } from '../../../kernel/bounds.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { ownValue } from '../../../kernel/text.js';
import { forEachInTurns, freshTurn, ownTurn } from '../../../runtime/event-loop/turns.js';
import { departmentByCode } from '../../codes/departments.js';
import { badUserInput, together } from '../../graph/arguments.js';
import { isTooLarge } from '../../rest/failures.js';
import type { MissionCountKey, QueryMissionCountsArgs } from '../__generated__/resolvers.js';
import { isView, type ListQuery, type OffsetPage, type QueryParameters } from '../values/lists.js';
import { MAX_MISSIONS, type MissionsContext, requestListDigest, requestSearchDigest } from './client.js';
import { type DigestedMission, digestMission } from './digest.js';
import { aroundQuery, finishFilter, type MissionFilter, missionQuery } from './filters.js';
import type { MissionView } from './shapes.js';

/** Most keys that one query may combine. */
const MAX_KEYS = 2;

/** Counts, and whether they cover all missions that match. */
export interface MissionCounts {
  readonly total: number | null;
  readonly counted: number;
  readonly complete: boolean;
  readonly groups: readonly MissionCountGroup[];
}

/** Counts of all missions that a search finds, by one key or by combinations of two. */
export function countMissions(
  { by, ...filters }: QueryMissionCountsArgs,
  { upstream, operation }: MissionsContext,
): Promise<MissionCounts> {
  const [own, around] = together(
    () => missionQuery(filters),
    () => aroundQuery(filters),
    () => checkKeys(by),
  );
  const filter = [...own, ...around];
  const search = async (query: ListQuery) => upstream.read(requestSearchDigest(query), operation);
  return countFound(by, { filter, matches: finishFilter(filters), search }, operation);
}

/** The same of all missions that the list has. */
export function countListed(
  by: readonly MissionCountKey[],
  filters: MissionFilter,
  { upstream, operation }: MissionsContext,
): Promise<MissionCounts> {
  const search = async (query: ListQuery) => upstream.read(requestListDigest(query), operation);
  return countFound(by, { filter: missionQuery(filters), matches: finishFilter(filters), search }, operation);
}

/** The same of missions that have been read. `total` is how many there are, if these are all; otherwise null. */
export async function countRead(
  by: readonly MissionCountKey[],
  { missions, total }: { readonly missions: readonly MissionView[]; readonly total: number | null },
  { request }: OperationContext,
): Promise<MissionCounts> {
  checkKeys(by);
  const digests: DigestedMission[] = [];
  await forEachInTurns(request, missions, (mission) => {
    digests.push(digestMission(mission));
  });
  const { groups, complete } = await groupMissions(request, digests, by);
  return { total, counted: missions.length, complete: complete && total !== null, groups };
}

interface Selection {
  readonly filter: QueryParameters;
  /** The part of the filter that is applied here; null if there is none. */
  readonly matches: ReturnType<typeof finishFilter>;
  readonly search: Search;
}

async function countFound(
  by: readonly MissionCountKey[],
  { filter, matches, search }: Selection,
  { request }: OperationContext,
): Promise<MissionCounts> {
  checkKeys(by);
  const found = await readMissions(request, filter, search);
  const counted = matches === null ? found.missions : await matching(request, found.missions, matches);
  const { groups, complete } = await groupMissions(request, counted, by);
  // If part of the filter is applied here, the source's total includes missions that do not match.
  const total = matches === null ? found.total : found.complete ? counted.length : null;
  return { total, counted: counted.length, complete: found.complete && complete, groups };
}

async function matching<T>(owner: object, items: readonly T[], matches: (item: T) => boolean): Promise<readonly T[]> {
  const found: T[] = [];
  await forEachInTurns(owner, items, (item) => {
    if (matches(item)) found.push(item);
  });
  return found;
}

function checkKeys(by: readonly MissionCountKey[]): void {
  if (by.length < 1 || by.length > MAX_KEYS) throw badUserInput('by', 'takes one key or two');
  if (new Set(by).size < by.length) throw badUserInput('by', 'names a key twice');
}

/** Rows per call when a page of the largest size exceeds the byte limit; a mission may have 40 kB (volunteering 11). */
const FEWER_ROWS = 1_000;

interface CountedMissions {
  readonly missions: readonly DigestedMission[];
  /** How many missions match at the source; null if it does not say. */
  readonly total: number | null;
  /** Whether all of them are included. */
  readonly complete: boolean;
}

type Search = (query: ListQuery) => Promise<OffsetPage<DigestedMission> | null>;

/**
 * All missions of a search that the source serves, with one call, or with up to ten more if its response is too large.
 * They are gathered in turns of the owner's.
 */
export async function readMissions(owner: object, filter: QueryParameters, search: Search): Promise<CountedMissions> {
  const pages = await readPages(filter, MAX_MISSIONS, search).catch((error: unknown) => {
    if (isTooLarge(error)) return readPages(filter, FEWER_ROWS, search);
    throw error;
  });
  // Rows may move between pages, because the service sorts without a second criterion, so each is counted once.
  const missions = new Map<string, DigestedMission>();
  for (const page of pages) {
    await forEachInTurns(owner, page?.rows ?? [], (row) => {
      if (isView(row)) missions.set(row.id ?? `without id ${missions.size}`, row);
    });
  }
  const total = totalOf(pages);
  // Without a total, a short page may only mean that the source serves no larger ones.
  const complete = total !== null && missions.size >= total;
  return { missions: [...missions.values()], total, complete };
}

type Pages = readonly (OffsetPage<DigestedMission> | null)[];

async function readPages(filter: QueryParameters, limit: number, search: Search): Promise<Pages> {
  const first = await search({ filter, skip: 0, limit });
  const rows = Math.min(SEARCH_CEILING, totalOf([first]) ?? limit);
  const skips = Array.from({ length: Math.ceil(rows / limit) - 1 }, (_, page) => (page + 1) * limit);
  return [first, ...(await Promise.all(skips.map((skip) => search({ filter, skip, limit }))))];
}

function totalOf([first]: Pages): number | null {
  return typeof first?.total === 'number' ? first.total : null;
}

/** Most groups counted for one response. Further ones are left out, which `complete` reports. */
const MAX_GROUPS = 10_000;

/** The missions that share a value of a key, or a combination of two values. */
interface MissionCountGroup {
  /** One value per key, in the order of the keys; null for missions without one. */
  readonly key: readonly (string | null)[];
  readonly label: readonly (string | null)[];
  readonly count: number;
}

interface Grouped {
  /** Largest first, then by key. */
  readonly groups: readonly MissionCountGroup[];
  /** Whether every group is included. */
  readonly complete: boolean;
}

/** Groups that are sorted in a turn with other work: more of them take milliseconds. */
const FEW_GROUPS = 500;

/**
 * How many missions have each value of the keys, or each combination of values. Takes turns of the owner: a small
 * request may count ten thousand missions thirty times.
 */
export async function groupMissions(
  owner: object,
  missions: Iterable<DigestedMission>,
  by: readonly MissionCountKey[],
): Promise<Grouped> {
  const groups = new Map<string, { key: (string | null)[]; label: (string | null)[]; count: number }>();
  let complete = true;
  await forEachInTurns(owner, missions, (mission) => {
    for (const values of combinations(by.map((key) => valuesOf(mission, key)))) {
      const key = values.map(([value]) => value);
      const name = JSON.stringify(key);
      const group = groups.get(name);
      if (group !== undefined) group.count++;
      else if (groups.size < MAX_GROUPS) groups.set(name, { key, label: values.map(([, label]) => label), count: 1 });
      else complete = false;
    }
  });
  await (groups.size > FEW_GROUPS ? ownTurn(owner) : freshTurn(owner));
  const byName = [...groups].sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1));
  return { groups: byName.map(([, group]) => group), complete };
}

/** A value to count by, and its label. */
type Value = readonly [key: string | null, label: string | null];

const NONE: readonly Value[] = [[null, null]];

function valuesOf(mission: DigestedMission, key: MissionCountKey): readonly Value[] {
  switch (key) {
    case 'DEPARTMENT':
      return several(mission.departments, (code) => departmentByCode(code)?.nom ?? code);
    case 'ACTIVITY':
      return several(mission.activities, (activity) => activity);
    case 'ORGANIZATION':
      return one(mission.organization, (id) => mission.organizationName ?? id);
    case 'DOMAIN':
      return one(mission.domain, (domain) => ownValue(DOMAIN_LABELS, domain) ?? domain);
    case 'TYPE':
      return one(mission.type, (type) => ownValue(TYPE_LABELS, type) ?? type);
    case 'REMOTE':
      return one(mission.remote, (word) => ownValue(REMOTE_LABELS, word) ?? word);
  }
}

function several(
  values: readonly (string | null | Error)[] | null,
  labelOf: (value: string) => string,
): readonly Value[] {
  const texts = (values ?? []).filter((value) => typeof value === 'string');
  return texts.length === 0 ? NONE : texts.map((value) => [value, labelOf(value)]);
}

function one(value: string | null, labelOf: (value: string) => string): readonly Value[] {
  return value === null ? NONE : [[value, labelOf(value)]];
}

/** The Cartesian product of the lists. */
function combinations(lists: readonly (readonly Value[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (heads, values) => heads.flatMap((head) => values.map((value) => [...head, value])),
    [[]],
  );
}

/** French labels of domains (volunteering 7.1); a domain that is not listed is its own label. */
export const DOMAIN_LABELS: Readonly<Record<string, string>> = {
  animaux: 'Animaux',
  autre: 'Interventions d’urgence en cas de crise',
  'batiment-industrie-logistique': 'Bâtiment, Industrie, Logistique',
  'benevolat-competences': 'Bénévolat de compétences',
  communication: 'Communication',
  'culture-loisirs': 'Culture et loisirs',
  education: 'Éducation pour tous',
  emploi: 'Emploi',
  environnement: 'Environnement',
  'gestion-finance-droit': 'Gestion, commerce, finance, droit et services',
  humanitaire: 'Développement international et aide humanitaire',
  'memoire-et-citoyennete': 'Mémoire et citoyenneté',
  numerique: 'Numérique',
  'prevention-protection': 'Prévention et protection',
  recherche: 'Recherche',
  sante: 'Santé',
  'service-public-defense-securite': 'Service public, défense et sécurité',
  sport: 'Sport',
  'solidarite-insertion': 'Solidarité',
  'vivre-ensemble': 'Vivre ensemble',
};

/** French labels of kinds of mission (volunteering 7.5), whose older words have hyphens. */
const TYPE_LABELS: Readonly<Record<string, string>> = {
  benevolat: 'Bénévolat',
  volontariat_service_civique: 'Service civique',
  'volontariat-service-civique': 'Service civique',
  volontariat_sapeurs_pompiers: 'Sapeurs-pompiers volontaires',
  volontariat_reserve_operationnelle: 'Réserve opérationnelle',
};

/** French labels of where a mission is done, by the graph's own words (volunteering 7.3). */
const REMOTE_LABELS: Readonly<Record<string, string>> = {
  NO: 'Sur place',
  POSSIBLE: 'Sur place ou à distance',
  FULL: 'À distance',
  LOCAL: 'Près de chez soi',
  OTHER: 'Autre',
};
