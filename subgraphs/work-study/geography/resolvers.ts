import { isInseeCode } from '../../codes/insee.js';
import { badUserInput, checkCode } from '../../graph/arguments.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { readCircle } from './circle.js';
import { lazyCommune, wholeCommune } from './lazy-commune.js';
import type { CommuneView } from './shapes.js';

export const geographyResolvers: Resolvers = {
  Query: {
    commune(_root, { insee }, { loaders, operation }) {
      checkCode('insee', insee, {
        isValid: isInseeCode,
        expected: 'an INSEE code: five characters, in Corsica with 2A or 2B in front',
      });
      return loaders.geography.commune(insee, operation);
    },
    communes(_root, { code }, { loaders, operation }) {
      // Anything else is refused by the source too (work-study 7.14).
      if (!/^\d{5}$/.test(code)) throw badUserInput('code', 'must have five digits');
      return loaders.geography.communes(code, operation);
    },
    departements: (_root, _args, { loaders, operation }) => loaders.geography.departements(operation),
    missionsLocales: (_root, args, { loaders, operation }) =>
      loaders.geography.missionsLocales(readCircle(args), operation),
  },
  Commune: {
    __resolveReference({ code }, { loaders, operation }) {
      const insee = code?.insee;
      // A malformed code of another source joins to nothing; it is no error of the caller's (DESIGN 5, Values).
      if (typeof insee !== 'string' || !isInseeCode(insee)) return null;
      return lazyCommune(insee, () => loaders.geography.commune(insee, operation));
    },
    departement: async (commune) => departementOf(await wholeCommune(commune)),
  },
};

/** The département of a commune in the form of the root's: région and académie are the commune's own. */
function departementOf(commune: CommuneView | null) {
  const departement = commune?.departement ?? null;
  if (commune === null || departement === null) return null;
  return {
    get nom() {
      return departement.nom;
    },
    get codeInsee() {
      return departement.codeInsee;
    },
    get region() {
      return commune.region;
    },
    get academie() {
      return commune.academie;
    },
  };
}
