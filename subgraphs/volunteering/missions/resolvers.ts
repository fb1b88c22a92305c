import type { FieldPrice } from '../../../kernel/price.js';
import { orNull } from '../../rest/shape.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { organizationCodesOf } from '../organizations/codes.js';
import { identifierOf, ONE_CALL } from '../values/lists.js';
import { blocksAfter, callsOfPage } from './blocks.js';
import { callsOfCount, countMissions } from './counts.js';
import { listMissions, searchMissions } from './pages.js';
import type { AddressView, MissionView } from './shapes.js';

/** Further pages share calls. */
const PAGE: FieldPrice = { ...ONE_CALL, furtherPages: blocksAfter, calls: callsOfPage };

/** Missions by id, lists, searches, counts, and references from other services. */
export const missionResolvers: Resolvers = {
  Query: {
    mission: {
      price: ONE_CALL,
      resolve: (_root, { id }, { loaders, operation }) => loaders.missionById(id, operation),
    },
    missions: { price: PAGE, resolve: (_root, args, context) => listMissions(args, context) },
    missionSearch: { price: PAGE, resolve: (_root, args, context) => searchMissions(args, context) },
    missionCounts: {
      price: { ...ONE_CALL, calls: callsOfCount },
      resolve: (_root, args, context) => countMissions(args, context),
    },
  },
  Mission: {
    __resolveReference: async ({ id }, { loaders, operation }) =>
      loaders.seenMissions.byId(id) ?? loaders.missionById(id, operation),
    id: identifierOf,
    organization: {
      price: ONE_CALL,
      resolve(mission, _args, { loaders, operation }) {
        const codes = organizationCodesOf(mission);
        return codes === null ? null : loaders.organizationByCodes(codes, operation);
      },
    },
    firstAddress: firstAddress,
    // Today's service has the region only in the addresses, of which the flat fields are the first (volunteering 4.1).
    region: (mission) => mission.region ?? orNull(() => firstAddress(mission)?.region ?? null),
  },
};

/** The first of a mission's addresses; null if it has none. Throws the error of one that cannot be read. */
function firstAddress({ addresses }: MissionView): AddressView | null {
  const [first = null] = addresses ?? [];
  if (first instanceof Error) throw first;
  return first;
}
