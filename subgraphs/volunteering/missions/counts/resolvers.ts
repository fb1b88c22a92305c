import type { Resolvers } from '../../__generated__/resolvers.js';
import { ONE_CALL } from '../../values/counter.js';
import { countMissions } from './mission-counts.js';

/** Costs one call, or up to ten more if missions are large. */
export const missionCountResolvers: Resolvers = {
  Query: {
    missionCounts: {
      reads: 'sources',
      price: ONE_CALL,
      waits: true,
      resolve: (_root, args, context) => countMissions(args, context),
    },
  },
};
