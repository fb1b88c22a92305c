import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import type { QueryOrganismeArgs } from '../__generated__/resolvers.js';
import { NO_PAGE, pageQuery, parsePage, readStretch, type SourcePage, type Stretch } from '../values/calls.js';
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
    query: pageQuery(pageIndex, pageSize),
    rows: pageSize,
    parse: parseOrganismes,
    ...get('/organisme/v1/export'),
  };
}

function parseOrganismes({ json, sender }: UpstreamResponse): SourcePage<OrganismeView> {
  return parsePage(Organisme, json, sender);
}

function requestSearch(identifiers: QueryOrganismeArgs): UpstreamRequest<OrganismeSearchView> {
  return { query: identifierQuery(identifiers), parse: OrganismeSearch.parse, ...get('/organisme/v1/recherche') };
}

function identifierQuery({ siret, uai }: QueryOrganismeArgs): [string, string][] {
  const query: [string, string][] = [];
  if (siret !== null && siret !== undefined) query.push(['siret', siret]);
  if (uai !== null && uai !== undefined) query.push(['uai', uai]);
  return query;
}

function get(path: string) {
  return { method: 'GET', template: path, path, cache: 'search', key: 'caller-or-operator' } as const;
}

/** What the source's matcher finds for identifiers (work-study 7.12), for one request. */
export type OrganismeLoader = Load<QueryOrganismeArgs, OrganismeSearchView | null>;

/** The loader of one request. */
export function createOrganismeLoader(upstream: Upstream): OrganismeLoader {
  return createSingleLoader(
    (identifiers, operation) => upstream.read(requestSearch(identifiers), operation),
    ({ siret, uai }) => JSON.stringify([siret, uai]),
  );
}
