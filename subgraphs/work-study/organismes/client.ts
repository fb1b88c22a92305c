import { createSingleLoader } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import type { QueryOrganismeArgs } from '../__generated__/resolvers.js';
import { pagedList, queryOf, route, SEARCHED } from '../values/calls.js';
import { Organisme, OrganismeSearch, type OrganismeSearchView } from './shapes.js';

const ORGANISMES = pagedList(Organisme, '/organisme/v1/export');

function requestSearch({ siret, uai }: QueryOrganismeArgs): UpstreamRequest<OrganismeSearchView> {
  const query = queryOf({ siret, uai });
  return { ...route('GET', '/organisme/v1/recherche'), ...SEARCHED, query, parse: OrganismeSearch.parse };
}

/** Training organisations for one request. */
export function createOrganismeLoaders(upstream: Upstream) {
  return {
    /** A stretch of the list of all (work-study 7.13). */
    stretch: ORGANISMES(upstream),
    /** What the source's matcher finds for identifiers (work-study 7.12). */
    search: createSingleLoader(
      (identifiers: QueryOrganismeArgs, operation) => upstream.read(requestSearch(identifiers), operation),
      ({ siret, uai }) => JSON.stringify([siret, uai]),
    ),
  };
}
