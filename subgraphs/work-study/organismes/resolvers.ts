import { whenThere } from '../../../kernel/awaitable.js';
import { isUai } from '../../codes/registers.js';
import { badUserInput, checkCode, checkSiret, together } from '../../graph/arguments.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import { idOf } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { MAX_PAGE_SIZE, ONE_CALL } from '../values/calls.js';
import { pairId } from '../values/words.js';

/** Training organisations, listed and looked up by SIRET or UAI. */
export const organismesResolvers: Resolvers = {
  Query: {
    organismes: {
      price: ONE_CALL,
      resolve(_root, args, { loaders, operation }) {
        const page = readPage(args, { list: 'organismes', maximum: MAX_PAGE_SIZE });
        return whenThere(loaders.organismes.stretch([], page, operation), ({ items, hasNext }) =>
          connectionOf(page, { items, totalCount: null, hasNextPage: hasNext }),
        );
      },
    },
    organisme: {
      price: ONE_CALL,
      resolve(_root, args, { loaders, operation }) {
        const { siret, uai } = args;
        if ((siret ?? uai ?? null) === null) throw badUserInput('siret', 'or uai must be given');
        together(
          () => checkSiret('siret', siret),
          () =>
            checkCode('uai', uai, { isValid: isUai, expected: 'a UAI: one to seven digits and their check letter' }),
        );
        return loaders.organismes.search(args, operation);
      },
    },
  },
  Organisme: {
    id: ({ identifiant }) => idOf('Organisme', pairId(identifiant?.uai, identifiant?.siret)),
    commune: {
      price: ONE_CALL,
      resolve: ({ etablissement }, _args, { loaders, operation }) =>
        loaders.geography.commune(etablissement?.adresse?.commune?.codeInsee, operation),
    },
  },
  OrganismeEtablissement: { id: ({ siret }) => idOf('OrganismeEtablissement', siret) },
  OrganismeUniteLegale: { id: ({ siren }) => idOf('OrganismeUniteLegale', siren) },
};
