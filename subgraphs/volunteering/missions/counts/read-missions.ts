import { SEARCH_CEILING } from '../../../../kernel/search-ceiling.js';
import { forEachInTurns } from '../../../../runtime/event-loop/turns.js';
import { isTooLarge } from '../../../rest/failures/errors.js';
import { isView, type OffsetPage, type QueryParameters } from '../../lists/paging.js';
import { MAX_MISSIONS, type MissionQuery } from '../client.js';
import type { DigestedMission } from '../digest.js';

/** Rows per call when a page of the largest size exceeds the byte limit; a mission may have 40 kB (volunteering 11). */
const FEWER_ROWS = 1_000;

interface CountedMissions {
  readonly missions: readonly DigestedMission[];
  /** How many missions match at the source; null if it does not say. */
  readonly total: number | null;
  /** Whether all of them are included. */
  readonly complete: boolean;
}

type Search = (query: MissionQuery) => Promise<OffsetPage<DigestedMission> | null>;

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
