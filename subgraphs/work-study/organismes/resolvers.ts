import { badUserInput, checkCode, checkSiret } from '../../graph/arguments.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { LARGEST_PAGE } from '../lists/paged.js';
import { pairId } from '../values/pair-id.js';

/** Training organisations, listed and looked up by SIRET or UAI. */
export const organismesResolvers: Resolvers = {
  Query: {
    async organismes(_root, args, { loaders, operation }) {
      const page = readPage(args, { list: 'organismes', maximum: LARGEST_PAGE });
      const { items, hasNext } = await loaders.organismes.stretch(page, operation);
      return connectionOf(page, { items, totalCount: null, hasNextPage: hasNext });
    },
    organisme(_root, { siret, uai }, { loaders, operation }) {
      if ((siret ?? uai ?? null) === null) throw badUserInput('siret', 'or uai must be given');
      checkSiret('siret', siret);
      checkCode('uai', uai, {
        isValid: (text) => /^\d{1,7}[A-Za-z]$/.test(text),
        expected: 'a UAI: one to seven digits and a letter',
      });
      return loaders.organismes.search({ siret, uai }, operation);
    },
  },
  Organisme: {
    id: ({ identifiant }) => pairId(identifiant?.uai, identifiant?.siret),
    commune({ etablissement }, _args, { loaders, operation }) {
      const insee = etablissement?.adresse?.commune?.codeInsee ?? null;
      return insee === null ? null : loaders.geography.commune(insee, operation);
    },
  },
  OrganismeEtablissement: { id: ({ siret }) => siret },
  OrganismeUniteLegale: { id: ({ siren }) => siren },
};
