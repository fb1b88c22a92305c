import { paramsOf, queryOf } from '../server/call.js';
import type { AuthorizedRequest } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import { facetsOfSeed, listSeedMissions, searchSeedMissions } from './missions-seed.js';
import { findSeedOrganizations } from './organizations-seed.js';
import { sendUnknownMission } from './replies.js';
import { readSeedPage } from './seed-page.js';
import { seedMission, seedOrganization } from './seed-shapes.js';

/** Handles authenticated requests as the seed document describes the service. */
export function createHandlersOfSeed(catalogue: Catalogue) {
  return {
    /** `skip` and `limit` page the list (volunteering 12.4.1). */
    list({ request, reply, account }: AuthorizedRequest): object {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 10_000 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = listSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const data = found.slice(page.skip, page.skip + page.limit).map((row) => seedMission(row, 'list', sent));
      return { ok: true, data, total: found.length, limit: page.limit, skip: page.skip };
    },

    /** `size` and `from` page the search, whose reply has no `ok` (volunteering 12.4.2). */
    search({ request, reply, account }: AuthorizedRequest): object {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'size', skip: 'from', max: 10_000 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = searchSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const hits = found.slice(page.skip, page.skip + page.limit).map(({ row, distance }) => ({
        ...seedMission(row, 'search', sent),
        ...(distance !== undefined && { _distance: distance }),
      }));
      return { total: found.length, hits, facets: facetsOfSeed(found.map(({ row }) => row)) };
    },

    /** Includes removed and refused missions (volunteering 12.3, 3.7), but none that the key may not see. */
    byId({ request, reply, account }: AuthorizedRequest): object {
      const row = catalogue.missionById(paramsOf(request)['id']);
      if (row === undefined || !account.sees(row.record['publisherId'])) return sendUnknownMission(request, reply);
      return { ok: true, data: seedMission(row, 'by-id', { account, baseUrl: catalogue.baseUrl() }) };
    },

    /** With the `total` that today's reply lacks (volunteering 12.4.4). */
    organizations({ request, reply }: AuthorizedRequest): object {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 100 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = findSeedOrganizations(catalogue.organizations(), query);
      const data = found.slice(page.skip, page.skip + page.limit).map(seedOrganization);
      return { ok: true, data, total: found.length };
    },
  };
}
