import { badUserInput, checkLength, checkRna, checkSiret } from '../../graph/arguments.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import type { QueryOrganizationsArgs, Resolvers } from '../__generated__/resolvers.js';
import { identifierOf } from '../identifier.js';
import { type QueryParameters, readPlainPage } from '../paging.js';
import { MAXIMUM_ORGANIZATIONS, type OrganizationList } from './client.js';
import type { OrganizationView } from './shapes.js';

export const organizationResolvers: Resolvers = {
  Query: {
    organization: async (_root, { siret = null, rna = null }, { loaders, operation }) => {
      checkSiret('siret', siret);
      checkRna('rna', rna);
      if (siret === null && rna === null) throw badUserInput('siret', 'or rna is needed');
      return loaders.organizationByCodes({ siret, rna }, operation);
    },
    organizations: async (_root, args, { organizations, loaders, operation }) => {
      const filter = filterQuery(args);
      const page = readPage(args, { list: 'organizations', filter, maximum: MAXIMUM_ORGANIZATIONS });
      const { content } = await readPlainPage<OrganizationView, OrganizationList>(page, {
        fetch: (skip, limit) => organizations.list({ filter, skip, limit }, operation),
        maximum: MAXIMUM_ORGANIZATIONS,
        lookAhead: true,
      });
      loaders.seenOrganizations.add(content.items);
      return connectionOf(page, content);
    },
  },
  Organization: {
    id: identifierOf,
    // The source has no route by identifier: a record is known here when this request has come across it.
    __resolveReference: ({ id }, { loaders }) => loaders.seenOrganizations.byId(id),
  },
};

function filterQuery({ q, siret, rna }: QueryOrganizationsArgs): QueryParameters {
  checkLength('q', q, { min: 1, max: 500 });
  checkSiret('siret', siret);
  checkRna('rna', rna);
  const given = Object.entries({ q, siret, rna });
  return given.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]));
}
