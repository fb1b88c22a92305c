import { idOf } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { ONE_CALL } from '../values/calls.js';
import { matchCommune } from './match-commune.js';

/** What work-study adds to a mission. The address comes with the reference, so matching it takes no call. */
export const missionsResolvers: Resolvers = {
  Mission: {
    commune: {
      price: ONE_CALL,
      resolve(mission, _args, { loaders, operation }) {
        const { insee } = matchCommune(mission);
        return insee === null ? null : loaders.geography.commune(insee, operation);
      },
    },
    communeMatch: matchCommune,
  },
  CommuneCandidate: { id: ({ insee }) => idOf('CommuneCandidate', insee) },
};
