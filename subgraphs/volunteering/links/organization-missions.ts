/**
 * The missions of organizations. The service has no route from an organization to its missions, but its list takes
 * several RNA numbers in one call (volunteering 2.1), so the organizations of a request are asked for together.
 *
 * - One call reads a **block**: the first missions of all these organizations, and how many there are in total. If it
 *   holds them all, each goes to the organization whose number it names, and pages are cut from there.
 * - If it does not, some organization has many. They are **halved** by the missions seen of each, so that a large one is
 *   soon alone, and the others are together again. One that is alone and does not fit is walked, as `missions` is: the
 *   block that it has is the first of that walk.
 */

import { instantOf } from '../../../kernel/dates.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldArguments } from '../../../kernel/price.js';
import { forEachInTurns, freshTurn } from '../../../runtime/event-loop/turns.js';
import { isRna } from '../../codes/registers.js';
import { together } from '../../graph/arguments.js';
import { type Connection, connectionOf, cutFrom, type Page, readPage } from '../../graph/connection.js';
import { createBatchLoader, type Load, type PendingLookUps } from '../../graph/loader.js';
import { orNull } from '../../rest/shape.js';
import type { Upstream } from '../../rest/upstream.js';
import type { MissionCountKey, OrganizationMissionsArgs } from '../__generated__/resolvers.js';
import { type BlockPage, callsOfPage, readBlockPage } from '../missions/blocks.js';
import { type MissionList, type MissionsContext, requestList } from '../missions/client.js';
import { countListed, countRead, type MissionCounts } from '../missions/counts.js';
import { finishFilter, missionQuery } from '../missions/filters.js';
import type { MissionView } from '../missions/shapes.js';
import { totalOf } from '../missions/walk.js';
import { organizationCodesOf } from '../organizations/codes.js';
import { isView, type ListQuery, type QueryParameters, type Row } from '../values/lists.js';

/** Rows of a block. A row may have 40 kB (volunteering 8), and a body 64 MB. */
const BLOCK = 500;
/** Organizations of a call, whose address then has 2 kB. */
export const MAX_TOGETHER = 100;
const MAX_PAGE_SIZE = 1_000;

/** What is known of an organization's missions without a call of its own. */
interface Held {
  /** All of them, or the first in the service's order. */
  readonly missions: readonly MissionView[];
  readonly isWhole: boolean;
  /** How many there are; null where the service does not say, or a row cannot be read, which may be one of them. */
  readonly total: number | null;
}

/** The missions of organizations for one request, by RNA number. */
export type OrganizationMissionLoaders = ReturnType<typeof createOrganizationMissionLoaders>;

/** The loaders of one request. `lookUps` are those of organizations, whose missions it may need next. */
export function createOrganizationMissionLoaders(upstream: Upstream, lookUps: PendingLookUps) {
  const byFilter = new Map<string, Load<string, Held>>();
  const read = async (filter: QueryParameters, operation: OperationContext) =>
    upstream.read(requestList({ filter, skip: 0, limit: BLOCK }), operation);
  const createLoader = (filter: QueryParameters) =>
    createBatchLoader<Held>({
      load: async (rnas, operation) => {
        const found = await readTogether(rnas, (some) => read([...filter, ...rnaQuery(some)], operation));
        return rnas.map((rna) => found.get(rna) ?? new Error('The missions of an organization were left out.'));
      },
      maximum: MAX_TOGETHER,
      lookUps,
    });
  return {
    /** Those that meet conditions, which are in the service's vocabulary. */
    missionsOf(filter: QueryParameters): Load<string, Held> {
      const text = JSON.stringify(filter);
      const loader = byFilter.get(text) ?? createLoader(filter);
      byFilter.set(text, loader);
      return loader;
    },
  };
}

/** In one order, so that the same organizations are one cached response. */
function rnaQuery(rnas: readonly string[]): QueryParameters {
  return missionQuery({ associationRNA: rnas.toSorted() });
}

type Read = (rnas: readonly string[]) => Promise<MissionList | null>;
type Found = ReadonlyMap<string, Held | Error>;

/** Reads blocks one after the other, until each holds all missions of its organizations or is of one alone. */
async function readTogether(rnas: readonly string[], read: Read): Promise<Found> {
  try {
    const page = await read(rnas);
    const seen = await sorted(page, rnas);
    if (isWhole(page)) return new Map(rnas.map((rna) => [rna, held(seen, rna)]));
    const firstOf = (rna: string) => ({ missions: seen.of.get(rna) ?? [], isWhole: false, total: totalOf(page) });
    if (rnas.length === 1) return new Map(rnas.map((rna) => [rna, firstOf(rna)]));
    const [some, others] = halves(rnas, (rna) => seen.of.get(rna)?.length ?? 0);
    return new Map([...(await readTogether(some, read)), ...(await readTogether(others, read))]);
  } catch (error) {
    const failure = error instanceof Error ? error : new Error('A block could not be read.', { cause: error });
    return new Map(rnas.map((rna) => [rna, failure]));
  }
}

/** Whether a response has all rows. Without a total, a short one may only mean that the source serves no larger ones. */
function isWhole(page: MissionList | null): boolean {
  if (page === null) return false;
  return page.rows.length === 0 || page.rows.length >= (totalOf(page) ?? Number.POSITIVE_INFINITY);
}

interface Seen {
  /** By the RNA number that a mission names, each mission once. */
  readonly of: ReadonlyMap<string, readonly MissionView[]>;
  /** Whether it is known of every row whose mission it is. */
  readonly isExact: boolean;
}

async function sorted(page: MissionList | null, rnas: readonly string[]): Promise<Seen> {
  const of = new Map<string, MissionView[]>(rnas.map((rna) => [rna, []]));
  const known = new Set<string>();
  let isExact = true;
  await forEachInTurns(page?.rows ?? [], (row) => {
    const id = isView(row) ? orNull(() => row.id) : null;
    const own = isView(row) ? of.get(organizationCodesOf(row)?.rna ?? '') : undefined;
    if (own === undefined) isExact = false;
    else if (id === null || !known.has(id)) own.push(row as MissionView);
    if (id !== null) known.add(id);
  });
  return { of, isExact };
}

/** All missions of an organization, in an order that the next response has too: the service's has no second criterion. */
function held({ of, isExact }: Seen, rna: string): Held {
  const keyed = (of.get(rna) ?? []).map((mission) => {
    return { mission, start: startOf(mission), id: orNull(() => mission.id) ?? '' };
  });
  keyed.sort((a, b) => (a.start === b.start ? (a.id < b.id ? -1 : 1) : b.start - a.start));
  return { missions: keyed.map(({ mission }) => mission), isWhole: true, total: isExact ? keyed.length : null };
}

/** Milliseconds since 1970; missions without a start come first, as at the service (volunteering 2.4). */
function startOf(mission: MissionView): number {
  const start = instantOf(orNull(() => mission.startAt) ?? '');
  return Number.isNaN(start) ? Number.POSITIVE_INFINITY : start;
}

/** Two parts of which about as many missions were seen. */
function halves(
  rnas: readonly string[],
  seenOf: (rna: string) => number,
): readonly [readonly string[], readonly string[]] {
  // Of those of which nothing was seen there may be many, too.
  const weighed = rnas.map((rna) => ({ rna, weight: 1 + seenOf(rna) })).sort((a, b) => b.weight - a.weight);
  const half = weighed.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let [cut, sum] = [0, 0];
  while (cut < weighed.length - 1 && (cut === 0 || sum < half)) sum += weighed[cut++]?.weight ?? 0;
  const sorted = weighed.map(({ rna }) => rna);
  return [sorted.slice(0, cut), sorted.slice(cut)];
}

/** An organization, as far as its missions are found by it. */
interface NumberedOrganization {
  readonly rna: string | null;
}

/** A page of an organization's missions, which can also be counted. */
export interface OrganizationMissionConnection extends Connection<Row<MissionView>> {
  /** Whether the pages up to this one, the last, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
  /** Counts of all pages. */
  count(by: readonly MissionCountKey[]): Promise<MissionCounts>;
}

/** The part of the request's context that missions of organizations use. */
interface OrganizationMissionsContext extends MissionsContext {
  readonly loaders: MissionsContext['loaders'] & OrganizationMissionLoaders;
}

/** Why an organization's missions cannot be asked for; null if they can. */
export function missionsUnknownBecause({ rna }: NumberedOrganization): 'NO_RNA' | 'MALFORMED_RNA' | null {
  if (rna === null || rna === '') return 'NO_RNA';
  return isRna(rna) ? null : 'MALFORMED_RNA';
}

/** A page of the missions that name an organization's RNA number, latest start first; null without a valid one. */
export async function organizationMissions(
  organization: NumberedOrganization,
  args: OrganizationMissionsArgs,
  context: OrganizationMissionsContext,
): Promise<OrganizationMissionConnection | null> {
  const { first: _first, after: _after, ...filters } = args;
  const rna = organization.rna ?? '';
  const [filter, page] = together(
    () => missionQuery(filters),
    () => readPage(args, { list: 'Organization.missions', filter: { rna, filters }, maximum: MAX_PAGE_SIZE }),
  );
  if (missionsUnknownBecause(organization) !== null) return null;

  const { upstream, loaders, operation } = context;
  const found = await loaders.missionsOf(filter)(rna, operation);
  // A batch gives many organizations their missions at once.
  await freshTurn();
  const matches = finishFilter(filters);
  const all = found.isWhole ? found.missions.filter(matches ?? (() => true)) : null;
  const total = found.total === null ? null : (all?.length ?? found.total);
  const source = {
    upstream,
    operation,
    matches,
    walkSize: BLOCK,
    request: (rows: Pick<ListQuery, 'skip' | 'limit' | 'bulk'>) =>
      requestList({ filter: [...filter, ...rnaQuery([rna])], ...rows }),
  };
  const { content, complete } =
    all === null ? await readBlockPage<MissionList>(page, source) : pageFrom(page, all, total !== null);
  loaders.seenMissions.add(content.items);
  return {
    ...connectionOf(page, content),
    complete,
    count: (by) =>
      all === null
        ? countListed(by, { ...filters, associationRNA: [rna] }, context)
        : countRead(by, { missions: all, total }),
  };
}

/** A page of missions that are there. */
function pageFrom(page: Page, missions: readonly MissionView[], isWhole: boolean): BlockPage<MissionList> {
  const content = cutFrom(page, missions, isWhole);
  return { content, response: null, complete: () => (content.hasNextPage || !isWhole ? null : true) };
}

/**
 * Most calls for a page of each of so many organizations: to halve them until each is alone, and to walk each. Of the walk
 * the first block is there.
 */
export function callsOfOrganizations(args: FieldArguments, organizations: number): number {
  const isFirst = (args['after'] ?? null) === null;
  const blocks = callsOfPage({ ...args, after: args['after'] ?? '' });
  return 2 * organizations - 1 + organizations * (blocks - (isFirst ? 1 : 0));
}
