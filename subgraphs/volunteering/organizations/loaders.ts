import { createSingleLoader, type Load, type PendingLookUps } from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { createSeenRows, type SeenRows } from '../values/lists.js';
import { readOrganization } from './client.js';
import type { OrganizationCodes } from './codes.js';
import type { OrganizationView } from './shapes.js';

/** Organizations for one request, already loaded or to be loaded. */
export interface OrganizationLoaders {
  readonly organizationByCodes: Load<OrganizationCodes, OrganizationView | null>;
  readonly seenOrganizations: SeenRows<OrganizationView>;
}

/** The loaders of organizations for one request: one call per distinct pair of codes, noted in `lookUps`. */
export function createOrganizationLoaders(upstream: Upstream, lookUps: PendingLookUps): OrganizationLoaders {
  const seenOrganizations = createSeenRows<OrganizationView>();
  return {
    seenOrganizations,
    organizationByCodes: createSingleLoader(
      (codes, operation) =>
        lookUps.note(
          readOrganization(upstream, codes, operation).then((organization) => {
            seenOrganizations.add([organization]);
            return organization;
          }),
        ),
      ({ siret, rna }) => `${siret ?? ''} ${rna ?? ''}`,
    ),
  };
}
