import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream } from '../../rest/call/upstream.js';
import { NO_PAGE, pageQuery, parsePage, type SourcePage } from '../lists/paged.js';
import { Organisme, OrganismeSearch, type OrganismeSearchView, type OrganismeView } from './shapes.js';

/** What a training organisation is looked up by: at least one of the two. */
export interface OrganismeIdentifiers {
  readonly siret?: string | null | undefined;
  readonly uai?: string | null | undefined;
}

/** The routes of training organisations. */
export interface OrganismesClient {
  page(pageIndex: number, pageSize: number, operation: OperationContext): Promise<SourcePage<OrganismeView>>;
  /** What the matcher finds for the identifiers. */
  search(identifiers: OrganismeIdentifiers, operation: OperationContext): Promise<OrganismeSearchView | null>;
}

/** Routes of training organisations (work-study 7.12 and 7.13). */
export function createOrganismesClient(upstream: Upstream): OrganismesClient {
  const { origin } = upstream;
  return {
    page: async (pageIndex, pageSize, operation) =>
      (await upstream.call(
        {
          ...get('/organisme/v1/export'),
          query: pageQuery(pageIndex, pageSize),
          parse: ({ json }) => parsePage(Organisme, json, origin),
        },
        operation,
      )) ?? NO_PAGE,
    search: (identifiers, operation) =>
      upstream.call(
        {
          ...get('/organisme/v1/recherche'),
          query: identifierQuery(identifiers),
          parse: ({ json }) => OrganismeSearch.view(json, origin),
        },
        operation,
      ),
  };
}

function identifierQuery({ siret, uai }: OrganismeIdentifiers): [string, string][] {
  const query: [string, string][] = [];
  if (siret !== null && siret !== undefined) query.push(['siret', siret]);
  if (uai !== null && uai !== undefined) query.push(['uai', uai]);
  return query;
}

function get(path: string) {
  return { method: 'GET', template: path, path, cache: 'search', key: 'caller-or-operator' } as const;
}
