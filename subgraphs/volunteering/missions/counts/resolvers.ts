import { priced } from '../../../../schema/price.js';
import type { Resolvers } from '../../__generated__/resolvers.js';
import { ONE_CALL } from '../../values/counter.js';
import { countMissions } from './mission-counts.js';

/** Costs one call, or up to ten more if missions are large. */
export const missionCountResolvers: Resolvers = {
  Query: {
    missionCounts: priced(ONE_CALL, (_root, args, context) => countMissions(args, context)),
  },
};
