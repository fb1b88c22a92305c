import type { Resolvers } from '../__generated__/resolvers.js';
import { matchCommune } from '../communes/match-commune.js';

/** What work-study adds to a mission. Its address comes with the reference: no call is needed to match it. */
export const missionsResolvers: Resolvers = {
  Mission: {
    commune(mission, _args, { loaders, operation }) {
      const { insee } = matchCommune(mission);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    },
    communeMatch: (mission) => matchCommune(mission),
  },
};
