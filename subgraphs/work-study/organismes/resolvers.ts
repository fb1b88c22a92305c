import { pure } from '../../../schema/declared-field.js';
import { whenThere } from '../../../schema/is-promise.js';
import { priced } from '../../../schema/price.js';
import { isUai } from '../../codes/uai.js';
import { badUserInput, checkCode, checkSiret } from '../../graph/arguments.js';
import { connectionOf, readPage } from '../../graph/connection.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { MAX_PAGE_SIZE } from '../lists/paged.js';
import { pairId } from '../values/pair-id.js';
import { ONE_CALL } from '../values/scopes.js';
import type { OrganismeView } from './shapes.js';

/** Training organisations, listed and looked up by SIRET or UAI. */
export const organismesResolvers: Resolvers = {
  Query: {
    organismes: priced(ONE_CALL, (_root, args, { loaders, operation }) => {
      const page = readPage(args, { list: 'organismes', maximum: MAX_PAGE_SIZE });
      return whenThere(loaders.organismes.stretch(page, operation), ({ items, hasNext }) =>
        connectionOf(page, { items, totalCount: null, hasNextPage: hasNext }),
      );
    }),
    organisme: priced(ONE_CALL, (_root, { siret, uai }, { loaders, operation }) => {
      if ((siret ?? uai ?? null) === null) throw badUserInput('siret', 'or uai must be given');
      checkSiret('siret', siret);
      checkCode('uai', uai, { isValid: isUai, expected: 'a UAI: one to seven digits and their check letter' });
      return loaders.organismes.search({ siret, uai }, operation);
    }),
  },
  Organisme: {
    id: pure(({ identifiant }: OrganismeView) => pairId(identifiant?.uai, identifiant?.siret)),
    commune: priced(ONE_CALL, ({ etablissement }, _args, { loaders, operation }) => {
      const insee = etablissement?.adresse?.commune?.codeInsee ?? null;
      return insee === null ? null : loaders.geography.commune(insee, operation);
    }),
  },
  OrganismeEtablissement: { id: pure(({ siret }: { readonly siret: string | null }) => siret || null) },
  OrganismeUniteLegale: { id: pure(({ siren }: { readonly siren: string | null }) => siren || null) },
};
