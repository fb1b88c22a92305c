import type { Resolvers } from '../__generated__/resolvers.js';
import { ONE_CALL } from '../values/calls.js';
import { matchCommune } from './match-commune.js';

/** What work-study adds to a mission. The address comes with the reference, so matching it takes no call. */
export const missionsResolvers: Resolvers = {
  Mission: {
    commune: {
      price: ONE_CALL,
      resolve(mission, _args, { loaders, operation, usedCommunes }) {
        const { insee } = matchCommune(mission);
        if (insee === null) return null;
        usedCommunes?.record(insee);
        return loaders.geography.commune(insee, operation);
      },
    },
    communeMatch: matchCommune,
  },
  CommuneCandidate: { id: ({ insee }) => insee },
};
