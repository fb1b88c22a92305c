import type { Resolvers } from '../../__generated__/resolvers.js';
import { countMissions } from './mission-counts.js';

export const missionCountResolvers: Resolvers = {
  Query: {
    missionCounts: (_root, args, context) => countMissions(args, context),
  },
};
