import type { Awaitable } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { priced } from '../../../schema/price.js';
import { isSiret } from '../../codes/siret.js';
import type { Origin } from '../../rest/shapes/shape.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { OrganizationCodes } from '../organizations/exact-record.js';
import type { OrganizationLoaders } from '../organizations/loaders.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { ONE_CALL } from '../values/counter.js';
import { communeMissions } from './commune-missions.js';

/** The part of the request's context that a join by SIRET uses. */
interface LinkContext {
  readonly operation: OperationContext;
  readonly loaders: OrganizationLoaders;
  readonly origin: Origin;
}

/** Finds the organization of another service's establishment by its SIRET. */
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

/** The codes by which an establishment's organization is looked up; null, and no call, without a valid SIRET. */
function siretCodesOf(siret: string | null | undefined, origin: Origin): OrganizationCodes | null {
  if (siret === null || siret === undefined || siret === '') return null;
  if (isSiret(siret)) return { siret, rna: null };
  origin.drift('Organization.siret of a join', 'code');
  return null;
}

/** Joins from other services' types to missions and organizations (architecture 4.1). */
export const linkResolvers: Resolvers = {
  Commune: { missions: priced(ONE_CALL, communeMissions) },
  MissionLocale: byItsSiret,
  Workplace: byItsSiret,
  Certificateur: byItsSiret,
  OrganismeEtablissement: byItsSiret,
  Company: byItsSiret,
};
