import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { readStretch, type SourcePage, type Stretch } from '../values/lists.js';
import type { OrganismeIdentifiers, OrganismesClient } from './client.js';
import type { OrganismeSearchView, OrganismeView } from './shapes.js';

/** Training organisations for one request, already loaded or to be loaded. */
export interface OrganismesLoaders {
  /** A stretch of the whole list. */
  stretch(stretch: Stretch, operation: OperationContext): PromiseLike<SourcePage<OrganismeView>>;
  readonly search: Load<OrganismeIdentifiers, OrganismeSearchView | null>;
}

/** Loaders of training organisations for one request. */
export function createOrganismesLoaders(client: OrganismesClient): OrganismesLoaders {
  return {
    stretch: (stretch, operation) =>
      readStretch(stretch, (pageIndex, pageSize) => client.page(pageIndex, pageSize, operation)),
    search: createSingleLoader(client.search, ({ siret, uai }) => JSON.stringify([siret, uai])),
  };
}
