import { CodedError } from '../../../kernel/errors.js';
import { fold } from '../../../kernel/fold.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isRecord } from '../../../kernel/text.js';
import { createSingleLoader } from '../../graph/loader.js';
import { integer, list, neverNull, object, orError, orNull, required, type Sender, shape } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import {
  createSeenRows,
  isView,
  type ListQuery,
  listQuery,
  type OffsetPage,
  type Queried,
  type QueryParameters,
  withoutSurplus,
} from '../values/lists.js';
import { type DigestedMission, digestOf, missionDigestShape } from './digest.js';
import { escapedTexts, organizationRnas } from './filters.js';
import { type FacetsView, facetsShape, type MissionView, missionShape } from './shapes.js';

/** Largest page of missions (volunteering 2.1, `limit`; 3.1), which is read by calls of `MAX_ROWS`. */
export const MAX_MISSIONS = 10_000;
/** Most rows of a call: they take a quarter of a second of the service's only thread (volunteering 6.1). */
export const MAX_ROWS = 1_000;

/** A page as `GET /v0/mission` sends it. */
export type MissionList = OffsetPage<MissionView>;

/** A page as `GET /v0/mission/search` sends it. */
export interface MissionSearch extends MissionList {
  /** Counts of all matches, or today of this page alone (volunteering 3.6). */
  facets(): FacetsView | null;
}

/**
 * Form of an id: a UUID today, 24 hexadecimal characters before, and originally any Elasticsearch id. The name of the
 * search route is never an id, in any letter case, because the service matches routes case-insensitively.
 */
const isMissionId = (id: string) => /^[\w-]{1,64}$/.test(id) && id.toLowerCase() !== 'search';

/** All routes read with the caller's key if there is one, and are cached per key. */
const READ = { method: 'GET', cache: 'search', key: 'caller-or-operator' } as const;

/** What a page is read from. */
type Sent = Pick<UpstreamResponse, 'json' | 'sender'>;

/** The request for rows of `GET /v0/mission`. */
export function requestList(query: ListQuery): UpstreamRequest<MissionList> {
  return { parse: parseList, ...listRoute(query) };
}

/** The same, reduced to what missions are counted by. */
export function requestListDigest(query: ListQuery): UpstreamRequest<OffsetPage<DigestedMission>> {
  return digested(listRoute(query), parseList);
}

function listRoute(query: ListQuery) {
  const { limit: rows, bulk = false } = query;
  return { template: '/v0/mission', path: '/v0/mission', query: listQuery(query), rows, bulk, ...READ };
}

const listShape = shape('MissionList', { data: neverNull(list(object(missionShape))), total: integer() });

function parseList({ json, sender }: Sent, { query }: Queried): MissionList {
  const view = listShape.view(withoutSurplus(json, 'data', query), sender);
  const rows = view.data ?? [];
  // One row with the text is enough: an account may have moderated the titles of others.
  const isIgnored = (text: string) => rows.length > 0 && !rows.some((row) => isView(row) && hasText(row, text));
  if (escapedTexts(query).some(isIgnored)) throw unsearchable(sender);
  const rnas = organizationRnas(query);
  if (rnas !== null && rows.slice(0, MOST_CHECKED).some((row) => isView(row) && isOfAnother(row, rnas)))
    throw unfiltered(sender);
  return { rows, total: orError(() => view.total) };
}

/** Rows of a response that are checked. Where a filter is ignored, hardly any row meets it. */
const MOST_CHECKED = 500;

/**
 * Whether a mission names other organizations than those asked for, or none. Then the filter was ignored: neither
 * `associationRNA` nor `organizationRNA` was known to the versions between the one and the other (volunteering 2.1).
 */
function isOfAnother(mission: MissionView, rnas: ReadonlySet<string | null>): boolean {
  return orNull(() => !rnas.has(mission.organizationRNA) && !rnas.has(mission.associationRNA)) === true;
}

function unfiltered({ service }: Sender): CodedError {
  return new CodedError(
    'UPSTREAM_INVALID_RESPONSE',
    'This version of the volunteering service does not filter missions by RNA number: it sent those of others.',
    { service },
  );
}

/** Whether a mission has a text where the service searches for it (volunteering 2.1). */
function hasText(mission: MissionView, text: string): boolean {
  const places = [mission, ...(orNull(() => mission.addresses) ?? []).filter(isView)];
  const { title, organizationName, publisherName, domain } = mission;
  const searched = [title, organizationName, publisherName, domain, ...places.map(({ city }) => city)];
  return searched.some((field) => field !== null && fold(field).includes(fold(text)));
}

/** The documented era knows no escape: it drops `%` as punctuation, and finds everything where nothing else is left. */
function unsearchable({ service }: Sender): CodedError {
  return new CodedError(
    'UPSTREAM_REFUSED_INPUT',
    'This version of the volunteering service cannot search for a text with %, _ or \\: leave the character out.',
    { service },
  );
}

/**
 * The request for rows of `GET /v0/mission/search`. States the page in the parameters of both eras: `size` and `from`,
 * documented by the seed, and `limit` and `skip` for today's service, which ignores `size` (volunteering 3.1).
 */
export function requestSearch(query: ListQuery): UpstreamRequest<MissionSearch> {
  return { parse: parseSearch, ...searchRoute(query) };
}

/** The same, reduced likewise. */
export function requestSearchDigest(query: ListQuery): UpstreamRequest<OffsetPage<DigestedMission>> {
  return digested(searchRoute(query), parseSearch);
}

function searchRoute({ filter, skip, limit, bulk = false }: ListQuery) {
  const offset: QueryParameters =
    skip === 0
      ? []
      : [
          ['from', String(skip)],
          ['skip', String(skip)],
        ];
  return {
    template: '/v0/mission/search',
    path: '/v0/mission/search',
    query: [...filter, ...offset, ['size', String(limit)], ['limit', String(limit)]] as QueryParameters,
    rows: limit,
    bulk,
    ...READ,
  };
}

const searchShape = shape('MissionSearch', {
  hits: neverNull(list(object(missionShape))),
  total: integer(),
  facets: object(facetsShape),
});

function parseSearch({ json, sender }: Sent, { query }: Queried): MissionSearch {
  // Only the documented era has no `ok` in its searches (volunteering 0).
  if (isRecord(json) && !('ok' in json) && escapedTexts(query).length > 0) throw unsearchable(sender);
  const view = searchShape.view(withoutSurplus(json, 'hits', query), sender);
  return { rows: view.hits ?? [], total: orError(() => view.total), facets: () => view.facets };
}

function digested(
  route: ReturnType<typeof listRoute>,
  parse: (sent: Sent, request: Queried) => MissionList,
): UpstreamRequest<OffsetPage<DigestedMission>> {
  return {
    digest: { name: 'mission digest 3', of: (json, sender) => digestOf(parse({ json, sender }, route)) },
    parse: parseDigest,
    ...route,
  };
}

function parseDigest({ json, sender }: UpstreamResponse): OffsetPage<DigestedMission> {
  const { rows, total } = missionDigestShape.view(json, sender);
  return { rows: rows ?? [], total };
}

function requestById(id: string): UpstreamRequest<MissionView | null> {
  return {
    template: '/v0/mission/{id}',
    path: `/v0/mission/${encodeURIComponent(id)}`,
    unknown: 'null',
    parse: parseById,
    ...READ,
  };
}

const byIdShape = shape('MissionById', { data: required(object(missionShape)) });

function parseById({ json, sender }: UpstreamResponse): MissionView | null {
  return byIdShape.view(json, sender).data;
}

/** Missions for one request, already loaded or to be loaded. */
export type MissionLoaders = ReturnType<typeof createMissionLoaders>;

/** The part of the request's context that reading missions uses. */
export interface MissionsContext {
  readonly operation: OperationContext;
  readonly upstream: Upstream;
  readonly loaders: MissionLoaders;
}

/** The loaders of missions for one request. */
export function createMissionLoaders(upstream: Upstream) {
  return {
    /** Null for an id that the service does not know or does not show. */
    missionById: createSingleLoader((id: string, operation) =>
      isMissionId(id) ? upstream.read(requestById(id), operation) : null,
    ),
    seenMissions: createSeenRows<MissionView>(),
  };
}
