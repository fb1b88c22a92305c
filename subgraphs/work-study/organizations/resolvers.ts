import { derived } from '../../../schema/cached-object.js';
import { type Awaitable, whenThere } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { priced } from '../../../schema/price.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchOrganizationCommune } from '../communes/match-organization.js';
import type { WorkplaceView } from '../jobs/shapes.js';
import { ONE_CALL } from '../values/scopes.js';
import type { EstablishmentLoaders } from './loaders.js';
import { companyOwner, type Owner, organizationOwner } from './owner.js';

/** Most offers on a page. All are in memory, so the limit is our own. */
const MAX_PAGE_SIZE = 1000;

/** INSEE code of an organization's commune, matched once for a cached organization. */
const communeOf = derived(matchOrganizationCommune, () => 40);

/** Read from the export without a call; few organizations have more workplaces. */
const WORKPLACES = { ...ONE_CALL, calls: 0, rows: 5 };

/** What work-study adds to organizations and companies, found by their SIRETs. */
export const organizationsResolvers: Resolvers = {
  Organization: {
    commune: priced(ONE_CALL, (organization, _args, { loaders, operation }) => {
      const insee = communeOf(organization);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    }),
    workplaces: priced(WORKPLACES, (organization, _args, context) =>
      workplacesOf(organizationOwner(organization), context),
    ),
    workplacesComplete: (organization, _args, { loaders, operation }) =>
      loaders.organizations.isComplete(organizationOwner(organization).sirets, operation),
    jobOffers(organization, args, { loaders, operation }) {
      const owner = organizationOwner(organization);
      const page = readPage(args, { list: 'jobOffers', filter: owner.sirets, maximum: MAX_PAGE_SIZE });
      return whenThere(loaders.organizations.establishments(owner, operation), ({ offers, complete }) => {
        const connection = connectionOf(page, {
          items: offers.slice(page.offset, page.offset + page.size),
          totalCount: complete ? offers.length : null,
          hasNextPage: page.offset + page.size < offers.length,
        });
        return Object.assign(connection, { complete });
      });
    },
  },
  Company: {
    workplaces: priced(WORKPLACES, (company, _args, context) => workplacesOf(companyOwner(company), context)),
    workplacesComplete: (company, _args, { loaders, operation }) =>
      loaders.organizations.isComplete(companyOwner(company).sirets, operation),
  },
};

/** The part of the request's context that a list of workplaces uses. */
interface WorkplacesContext {
  readonly operation: OperationContext;
  readonly loaders: { readonly organizations: EstablishmentLoaders };
}

function workplacesOf(owner: Owner, { loaders, operation }: WorkplacesContext): Awaitable<WorkplaceView[]> {
  return whenThere(loaders.organizations.establishments(owner, operation), ({ workplaces }) => workplaces);
}
