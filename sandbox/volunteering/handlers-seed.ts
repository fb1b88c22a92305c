import { type ParsedUrlQuery, parse } from 'node:querystring';
import { type Answer, jsonAnswer } from '../kit/answer.js';
import type { ServiceRequest } from '../kit/routes.js';
import type { Account } from './accounts.js';
import { unknownMission } from './answers.js';
import type { Catalogue } from './catalogue.js';
import { facetsOfSeed, listSeedMissions, searchSeedMissions } from './missions-seed.js';
import { findSeedOrganizations } from './organizations-seed.js';
import { readSeedPage } from './seed-page.js';
import { seedMission, seedOrganization } from './seed-shapes.js';

/** Answers to authenticated requests as the seed document describes the service. */
export function createHandlersOfSeed(catalogue: Catalogue) {
  return {
    /** `skip` and `limit` page the list (volunteering 12.4.1). */
    list(request: ServiceRequest, account: Account): Answer {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 10_000 });
      if ('invalid' in page) return jsonAnswer(400, page.invalid);
      const found = listSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const data = found.slice(page.skip, page.skip + page.limit).map((row) => seedMission(row, 'list', sent));
      return jsonAnswer(200, { ok: true, data, total: found.length, limit: page.limit, skip: page.skip });
    },

    /** `size` and `from` page the search, whose answer has no `ok` (volunteering 12.4.2). */
    search(request: ServiceRequest, account: Account): Answer {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'size', skip: 'from', max: 10_000 });
      if ('invalid' in page) return jsonAnswer(400, page.invalid);
      const found = searchSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const hits = found.slice(page.skip, page.skip + page.limit).map(({ row, distance }) => ({
        ...seedMission(row, 'search', sent),
        ...(distance !== undefined && { _distance: distance }),
      }));
      return jsonAnswer(200, { total: found.length, hits, facets: facetsOfSeed(found.map(({ row }) => row)) });
    },

    /** Removed and refused missions are still there (volunteering 12.3, 3.7); what the key may not see is not. */
    byId(request: ServiceRequest, account: Account): Answer {
      const row = catalogue.missionById(request.params['id']);
      if (row === undefined || !account.sees(row.record['publisherId'])) return unknownMission(request);
      return jsonAnswer(200, { ok: true, data: seedMission(row, 'by-id', { account, baseUrl: catalogue.baseUrl() }) });
    },

    /** With the `total` that today's answer lacks (volunteering 12.4.4). */
    organizations(request: ServiceRequest): Answer {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 100 });
      if ('invalid' in page) return jsonAnswer(400, page.invalid);
      const found = findSeedOrganizations(catalogue.organizations(), query);
      const data = found.slice(page.skip, page.skip + page.limit).map(seedOrganization);
      return jsonAnswer(200, { ok: true, data, total: found.length });
    },
  };
}

function queryOf(request: ServiceRequest): ParsedUrlQuery {
  return parse(request.url.split('?').slice(1).join('?'));
}
