import { derived } from '../../../schema/cached-object.js';
import { pure } from '../../../schema/declared-field.js';
import { priced } from '../../../schema/price.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchCommune } from '../communes/match-commune.js';
import { ONE_CALL } from '../values/scopes.js';

/** The match of a mission, computed once for a cached mission. */
const communeOf = derived(matchCommune, ({ candidates }) => 200 + 100 * candidates.length);

/** What work-study adds to a mission. The address comes with the reference, so matching it takes no call. */
export const missionsResolvers: Resolvers = {
  Mission: {
    commune: priced(ONE_CALL, (mission, _args, { loaders, operation, usedCommunes }) => {
      const { insee } = communeOf(mission);
      if (insee === null) return null;
      usedCommunes?.note(insee);
      return loaders.geography.commune(insee, operation);
    }),
    communeMatch: pure(communeOf),
  },
  CommuneCandidate: { id: pure(({ insee }: { readonly insee: string }) => insee) },
};
