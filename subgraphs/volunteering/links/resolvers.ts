import type { Field } from '../../../kernel/declared-field.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isSiret } from '../../codes/registers.js';
import type { Origin } from '../../rest/shape.js';
import type { Upstream } from '../../rest/upstream.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { OrganizationCodes } from '../organizations/codes.js';
import type { OrganizationLoaders } from '../organizations/loaders.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { ONE_CALL } from '../values/lists.js';
import { communeMissions } from './commune-missions.js';

/** The part of the request's context that a join by SIRET uses. */
interface LinkContext {
  readonly operation: OperationContext;
  readonly loaders: OrganizationLoaders;
  readonly upstream: Pick<Upstream, 'origin'>;
}

/** The organization of another service's establishment, found by its SIRET. */
const organization: Field<OrganizationView | null, { readonly siret?: string | null }, LinkContext, unknown> = {
  reads: 'sources',
  price: ONE_CALL,
  resolve({ siret }, _args, { loaders, operation, upstream }) {
    const codes = siretCodesOf(siret, upstream.origin);
    return codes === null ? null : loaders.organizationByCodes(codes, operation);
  },
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
  Commune: { missions: { reads: 'sources', price: ONE_CALL, resolve: communeMissions } },
  MissionLocale: { organization },
  Workplace: { organization },
  Certificateur: { organization },
  OrganismeEtablissement: { organization },
  Company: { organization },
};
