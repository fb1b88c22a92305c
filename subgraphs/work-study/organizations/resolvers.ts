import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchOrganizationCommune } from '../communes/match-organization.js';
import { companyOwner, organizationOwner } from './owner.js';

/** Offers on one page: all of them are in memory, so the limit is our own. */
const LARGEST_PAGE = 1000;

/** What work-study adds to organizations and companies, found by their SIRETs. */
export const organizationsResolvers: Resolvers = {
  Organization: {
    commune(organization, _args, { loaders, operation }) {
      const insee = matchOrganizationCommune(organization);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    },
    async workplaces(organization, _args, { loaders, operation }) {
      const { workplaces } = await loaders.organizations.establishments(organizationOwner(organization), operation);
      return [...workplaces];
    },
    workplacesComplete: (organization, _args, { loaders, operation }) =>
      loaders.organizations.isComplete(organizationOwner(organization).sirets, operation),
    async jobOffers(organization, args, { loaders, operation }) {
      const owner = organizationOwner(organization);
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
