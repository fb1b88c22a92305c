import { derived } from '../../../schema/cached-object.js';
import type { Awaitable } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { priced } from '../../../schema/price.js';
import type { Origin } from '../../rest/shapes/shape.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { OrganizationLoaders } from '../organizations/loaders.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { ONE_CALL } from '../values/counter.js';
import { communeMissions } from './commune-missions.js';
import { organizationCodesOf, siretCodesOf } from './organization-codes.js';

/** What a join by SIRET uses of the request's context. */
interface LinkContext {
  readonly operation: OperationContext;
  readonly loaders: OrganizationLoaders;
  readonly origin: Origin;
}

/** An establishment of another service, by its SIRET. */
const byItsSiret = {
  organization: priced(
    ONE_CALL,
    (
      { siret }: { readonly siret?: string | null },
      _args: unknown,
      { loaders, operation, origin }: LinkContext,
    ): Awaitable<OrganizationView | null> => {
      const codes = siretCodesOf(siret, origin);
      return codes === null ? null : loaders.organizationByCodes(codes, operation);
    },
  ),
};

/** The codes that a mission names, read once for a mission that is cached. */
const codesOfMission = derived(organizationCodesOf, () => CODES_BYTES);

/** What the codes take, with the request that is made of them. */
const CODES_BYTES = 500;

/** Joins from other services' types to missions and organizations (architecture 4.1). */
export const linkResolvers: Resolvers = {
  Mission: {
    organization: priced(ONE_CALL, (mission, _args, { loaders, operation }) => {
      const codes = codesOfMission(mission);
      return codes === null ? null : loaders.organizationByCodes(codes, operation);
    }),
  },
  Commune: { missions: priced(ONE_CALL, communeMissions) },
  MissionLocale: byItsSiret,
  Workplace: byItsSiret,
  Certificateur: byItsSiret,
  OrganismeEtablissement: byItsSiret,
  Company: byItsSiret,
};
