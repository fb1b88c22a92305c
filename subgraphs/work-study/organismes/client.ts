import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import type { QueryOrganismeArgs } from '../__generated__/resolvers.js';
import {
  NO_PAGE,
  pageQuery,
  parsePage,
  queryOf,
  readStretch,
  route,
  SEARCHED,
  type SourcePage,
  type Stretch,
} from '../values/calls.js';
import { Organisme, OrganismeSearch, type OrganismeSearchView, type OrganismeView } from './shapes.js';

/** A stretch of the list of training organisations (work-study 7.13). */
export function readOrganismes(
  upstream: Upstream,
  stretch: Stretch,
  operation: OperationContext,
): Awaitable<SourcePage<OrganismeView>> {
  return readStretch(stretch, (pageIndex, pageSize) =>
    whenThere(upstream.read(requestPage(pageIndex, pageSize), operation), (found) => found ?? NO_PAGE),
  );
}

function requestPage(pageIndex: number, pageSize: number): UpstreamRequest<SourcePage<OrganismeView>> {
  return {
    ...route('GET', '/organisme/v1/export'),
    ...SEARCHED,
    query: pageQuery(pageIndex, pageSize),
    rows: pageSize,
    parse: parseOrganismes,
  };
}

function parseOrganismes({ json, sender }: UpstreamResponse): SourcePage<OrganismeView> {
  return parsePage(Organisme, json, sender);
}

function requestSearch({ siret, uai }: QueryOrganismeArgs): UpstreamRequest<OrganismeSearchView> {
  const query = queryOf({ siret, uai });
  return { ...route('GET', '/organisme/v1/recherche'), ...SEARCHED, query, parse: OrganismeSearch.parse };
}

/** What the source's matcher finds for identifiers (work-study 7.12), for one request. */
export function createOrganismeLoader(upstream: Upstream) {
  return createSingleLoader(
    (identifiers: QueryOrganismeArgs, operation) => upstream.read(requestSearch(identifiers), operation),
    ({ siret, uai }) => JSON.stringify([siret, uai]),
  );
}
