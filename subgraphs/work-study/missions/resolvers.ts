import type { Resolvers } from '../__generated__/resolvers.js';
import { matchCommune } from '../communes/match-commune.js';

/** What work-study adds to a mission. Its address comes with the reference: no call is needed to match it. */
export const missionsResolvers: Resolvers = {
  Mission: {
    commune(mission, _args, { loaders, operation, usedCommunes }) {
      const { insee } = matchCommune(mission);
      if (insee === null) return null;
      usedCommunes?.note(insee);
      return loaders.geography.commune(insee, operation);
    },
    communeMatch: (mission) => matchCommune(mission),
  },
  CommuneCandidate: { id: ({ insee }) => insee },
};
