import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { connectionOf, cutFrom, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchOrganizationCommune } from '../communes/match-commune.js';
import type { Context } from '../context.js';
import { listRows } from '../export/answers.js';
import { termOf } from '../export/tables.js';
import { JobOffer, type WorkplaceView } from '../jobs/shapes.js';
import { ONE_CALL } from '../values/calls.js';
import { type LegalUnit, unitOfCompany, unitOfOrganization } from './loaders.js';

/** Most offers on a page. All are in memory, so the limit is our own. */
const MAX_PAGE_SIZE = 1000;

/** Read from the export without a call: only while there is none, a search may take its place. */
const FROM_EXPORT = { ...ONE_CALL, calls: 0 };
/** Few organizations have more workplaces. */
const WORKPLACES = { ...FROM_EXPORT, rows: 5 };

/** What work-study adds to organizations and companies, found by their SIRETs. */
export const organizationsResolvers: Resolvers = {
  Organization: {
    commune: {
      price: ONE_CALL,
      resolve: (organization, _args, { loaders, operation }) =>
        loaders.geography.commune(matchOrganizationCommune(organization), operation),
    },
    workplaces: {
      price: WORKPLACES,
      resolve: (organization, _args, context) => workplacesOf(unitOfOrganization(organization), context),
    },
    workplacesComplete: {
      price: FROM_EXPORT,
      resolve: (organization, _args, { loaders, operation }) =>
        loaders.organizations.isComplete(unitOfOrganization(organization).sirets, operation),
    },
    jobOffers: {
      price: FROM_EXPORT,
      resolve(organization, args, { loaders, operation }) {
        const unit = unitOfOrganization(organization);
        const page = readPage(args, { list: 'jobOffers', filter: unit.sirets, maximum: MAX_PAGE_SIZE });
        return whenThere(loaders.organizations.establishments(unit, operation), ({ offers, complete }) => {
          return { complete, ...connectionOf(page, cutFrom(page, offers, complete)) };
        });
      },
    },
    exportedOffers: {
      price: FROM_EXPORT,
      resolve(organization, args, context) {
        const { sirets } = unitOfOrganization(organization);
        const list = `Organization.exportedOffers ${sirets.join()}`;
        return listRows(context, args, {
          kind: 'OFFER',
          shape: JobOffer,
          list,
          within: { terms: [sirets.map((siret) => termOf('siret', siret))] },
        });
      },
    },
  },
  Company: {
    workplaces: {
      price: WORKPLACES,
      resolve: (company, _args, context) => workplacesOf(unitOfCompany(company), context),
    },
    workplacesComplete: {
      price: FROM_EXPORT,
      resolve: (company, _args, { loaders, operation }) =>
        loaders.organizations.isComplete(unitOfCompany(company).sirets, operation),
    },
  },
};

function workplacesOf(unit: LegalUnit, { loaders, operation }: Context): Awaitable<WorkplaceView[]> {
  return whenThere(loaders.organizations.establishments(unit, operation), ({ workplaces }) => workplaces);
}
