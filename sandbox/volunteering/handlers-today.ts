import { parse } from 'node:querystring';
import { jsonReply, type Reply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';
import type { Account } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { MissionRow } from './mission-rows.js';
import { type MissionsQuery, readMissionsQuery } from './missions-query.js';
import { facetsToday, findMissions, hitFor, missionFor, turnEqualStarts } from './missions-today.js';
import { findOrganizations, readOrganizationsQuery } from './organizations-today.js';
import { invalidQuery, QueryReader } from './query-reader.js';
import { serverError, unknownMission } from './replies.js';

/** Handles authenticated requests as the service runs today (volunteering 2 to 4). */
export function createHandlersToday(catalogue: Catalogue) {
  return {
    list: (request: ServiceRequest, account: Account): Reply =>
      missionsReply(request, account, catalogue, ({ page, total, query }) => ({
        ok: true,
        total,
        data: page.map((row) => missionFor(row, account, catalogue.baseUrl())),
        limit: query.limit,
        skip: query.skip,
      })),

    search: (request: ServiceRequest, account: Account): Reply =>
      missionsReply(request, account, catalogue, ({ page, total, query }) => ({
        ok: true,
        total,
        hits: page.map((row) => hitFor(row, missionFor(row, account, catalogue.baseUrl()), query.near)),
        facets: facetsToday(page),
      })),

    /**
     * Missions that are not accepted, are removed or are not shared with the account are unknown (volunteering 3.7).
     */
    byId(request: ServiceRequest, account: Account): Reply {
      const row = catalogue.missionById(request.params['id']);
      if (row === undefined || !row.isPublished || !account.sees(row.record['publisherId']))
        return unknownMission(request);
      return jsonReply(200, { ok: true, data: missionFor(row, account, catalogue.baseUrl()) });
    },

    /** A list without a total since 2026-04-02 (volunteering 4.4). */
    organizations(request: ServiceRequest): Reply {
      const query = readOrganizationsQuery(readerOf(request));
      if (query === 'thrown') return serverError();
      if ('issues' in query) return jsonReply(400, invalidQuery(query.issues));
      const found = findOrganizations(catalogue.organizations(), query);
      return jsonReply(200, { ok: true, data: found.slice(query.skip, query.skip + query.limit) });
    },
  };
}

interface Found {
  readonly page: readonly MissionRow[];
  readonly total: number;
  readonly query: MissionsQuery;
}

function missionsReply(
  request: ServiceRequest,
  account: Account,
  catalogue: Catalogue,
  body: (found: Found) => object,
): Reply {
  const query = readMissionsQuery(readerOf(request));
  if (query === 'thrown') return serverError();
  if ('issues' in query) return jsonReply(400, invalidQuery(query.issues));
  const found = turnEqualStarts(findMissions(catalogue.missions(), query, account), catalogue.turns());
  const page = found.slice(query.skip, query.skip + query.limit);
  return jsonReply(200, body({ page, total: found.length, query }));
}

/** Express 5 reads flat queries: `city[]` is a key of its own, which is never read (volunteering 2.2). */
function readerOf(request: ServiceRequest): QueryReader {
  return new QueryReader(parse(request.url.split('?').slice(1).join('?')));
}
