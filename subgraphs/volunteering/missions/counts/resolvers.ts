import type { Resolvers } from '../../__generated__/resolvers.js';
import { countMissions } from './mission-counts.js';

/** Costs one call, or up to ten where missions are large. */
export const missionCountResolvers: Resolvers = {
  Query: {
    missionCounts: (_root, args, context) => countMissions(args, context),
  },
};
