import type { Field } from '../../../kernel/declared-field.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isSiret } from '../../codes/registers.js';
import type { Origin } from '../../rest/shape.js';
import type { Upstream } from '../../rest/upstream.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { OrganizationLoaders } from '../organizations/client.js';
import type { OrganizationCodes } from '../organizations/codes.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { NO_CALL, ONE_CALL } from '../values/lists.js';
import { communeMissions, countNear } from './commune-missions.js';
import { MAX_TOGETHER, missionsUnknownBecause, organizationMissions } from './organization-missions.js';

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
  CommuneMissionConnection: {
    counts: {
      reads: 'sources',
      price: NO_CALL,
      waits: true,
      resolve: (connection, { by }, { operation }) => countNear(connection, by, operation),
    },
  },
  Organization: {
    missions: {
      reads: 'sources',
      price: { ...ONE_CALL, together: MAX_TOGETHER },
      waits: true,
      resolve: (parent, args, context) => organizationMissions(parent, args, context),
    },
    missionsUnknown: { reads: 'parent', resolve: missionsUnknownBecause },
  },
  OrganizationMissionConnection: {
    counts: { reads: 'sources', price: NO_CALL, waits: true, resolve: ({ count }, { by }) => count(by) },
  },
  MissionLocale: { organization },
  Workplace: { organization },
  Certificateur: { organization },
  OrganismeEtablissement: { organization },
  Company: { organization },
};
