import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { type OrganismeIdentifiers, readOrganisme } from './client.js';
import type { OrganismeSearchView } from './shapes.js';

/** Training organisations by their identifiers, for one request. */
export type OrganismeLoader = Load<OrganismeIdentifiers, OrganismeSearchView | null>;

/** The loader of one request. */
export function createOrganismeLoader(upstream: Upstream): OrganismeLoader {
  return createSingleLoader(
    (identifiers, operation) => readOrganisme(upstream, identifiers, operation),
    ({ siret, uai }) => JSON.stringify([siret, uai]),
  );
}
