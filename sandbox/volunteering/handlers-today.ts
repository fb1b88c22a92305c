import { paramsOf, queryOf } from '../server/call.js';
import type { AuthorizedRequest } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { MissionRow } from './mission-rows.js';
import { type MissionsQuery, readMissionsQuery } from './missions-query.js';
import { facetsToday, findMissions, hitFor, missionFor, turnEqualStarts } from './missions-today.js';
import { findOrganizations, readOrganizationsQuery } from './organizations-today.js';
import { invalidQuery, QueryReader } from './query-reader.js';
import { sendServerError, sendUnknownMission } from './replies.js';

/** Handles authenticated requests as the service runs today (volunteering 2 to 4). */
export function createHandlersToday(catalogue: Catalogue) {
  return {
    list: (request: AuthorizedRequest): object =>
      missionsReply(request, catalogue, ({ page, total, query }) => ({
        ok: true,
        total,
        data: page.map((row) => missionFor(row, request.account, catalogue.baseUrl())),
        limit: query.limit,
        skip: query.skip,
      })),

    search: (request: AuthorizedRequest): object =>
      missionsReply(request, catalogue, ({ page, total, query }) => ({
        ok: true,
        total,
        hits: page.map((row) => hitFor(row, missionFor(row, request.account, catalogue.baseUrl()), query.near)),
        facets: facetsToday(page),
      })),

    /**
     * Missions that are not accepted, are removed or are not shared with the account are unknown (volunteering 3.7).
     */
    byId({ request, reply, account }: AuthorizedRequest): object {
      const row = catalogue.missionById(paramsOf(request)['id']);
      if (row === undefined || !row.isPublished || !account.sees(row.record['publisherId']))
        return sendUnknownMission(request, reply);
      return { ok: true, data: missionFor(row, account, catalogue.baseUrl()) };
    },

    /** A list without a total since 2026-04-02 (volunteering 4.4). */
    organizations({ request, reply }: AuthorizedRequest): object {
      const query = readOrganizationsQuery(new QueryReader(queryOf(request)));
      if (query === 'thrown') return sendServerError(reply);
      if ('issues' in query) return reply.code(400).send(invalidQuery(query.issues));
      const found = findOrganizations(catalogue.organizations(), query);
      return { ok: true, data: found.slice(query.skip, query.skip + query.limit) };
    },
  };
}

interface Found {
  readonly page: readonly MissionRow[];
  readonly total: number;
  readonly query: MissionsQuery;
}

function missionsReply(
  { request, reply, account }: AuthorizedRequest,
  catalogue: Catalogue,
  body: (found: Found) => object,
): object {
  const query = readMissionsQuery(new QueryReader(queryOf(request)));
  if (query === 'thrown') return sendServerError(reply);
  if ('issues' in query) return reply.code(400).send(invalidQuery(query.issues));
  const found = turnEqualStarts(findMissions(catalogue.missions(), query, account), catalogue.turns());
  const page = found.slice(query.skip, query.skip + query.limit);
  return body({ page, total: found.length, query });
}
