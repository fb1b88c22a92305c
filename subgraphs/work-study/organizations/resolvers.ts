import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchOrganizationCommune } from '../communes/match-organization.js';
import type { CompanyParent, OrganizationParent } from '../parents.js';
import { type Owner, siretsOf } from './loaders.js';

/** Offers on one page: they are all at hand, so that this is only a limit of ours. */
const LARGEST_PAGE = 1000;

/** What work-study adds to organizations and companies, found by their SIRETs. */
export const organizationsResolvers: Resolvers = {
  Organization: {
    commune(organization, _args, { loaders, operation }) {
      const insee = matchOrganizationCommune(organization);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    },
    async workplaces(organization, _args, { loaders, operation }) {
      const { workplaces } = await loaders.organizations.establishments(ownerOf(organization), operation);
      return [...workplaces];
    },
    workplacesComplete: (organization, _args, { loaders, operation }) =>
      loaders.organizations.isComplete(ownerOf(organization).sirets, operation),
    async jobOffers(organization, args, { loaders, operation }) {
      const owner = ownerOf(organization);
      const page = readPage(args, { list: 'jobOffers', filter: owner.sirets, maximum: LARGEST_PAGE });
      const { offers, complete } = await loaders.organizations.establishments(owner, operation);
      const connection = connectionOf(page, {
        items: offers.slice(page.offset, page.offset + page.size),
        totalCount: complete ? offers.length : null,
        hasNextPage: page.offset + page.size < offers.length,
      });
      return Object.assign(connection, { complete });
    },
  },
  Company: {
    async workplaces(company, _args, { loaders, operation }) {
      const { workplaces } = await loaders.organizations.establishments(companyOwner(company), operation);
      return [...workplaces];
    },
    workplacesComplete: (company, _args, { loaders, operation }) =>
      loaders.organizations.isComplete(companyOwner(company).sirets, operation),
  },
};

function ownerOf(organization: OrganizationParent): Owner {
  return {
    sirets: siretsOf(organization.siret, ...(organization.sirets ?? [])),
    insee: matchOrganizationCommune(organization),
  };
}

/** A company comes without an address: there is nowhere to search around. */
function companyOwner({ siret }: CompanyParent): Owner {
  return { sirets: siretsOf(siret), insee: null };
}
