import type { Field } from '../../../kernel/declared-field.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isSiret } from '../../codes/registers.js';
import type { Origin } from '../../rest/shape.js';
import type { Upstream } from '../../rest/upstream.js';
import type { OrganizationUnknown, Resolvers } from '../__generated__/resolvers.js';
import { callsOfCount } from '../missions/counts.js';
import { type OrganizationCodes, organizationCodesOf } from '../organizations/codes.js';
import { MAX_SCANS, type OrganizationLoaders } from '../organizations/loaders.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { NO_CALL, ONE_CALL } from '../values/lists.js';
import { communeMissions, countNear } from './commune-missions.js';
import {
  callsOfOrganizations,
  MAX_TOGETHER,
  missionsUnknownBecause,
  organizationMissions,
} from './organization-missions.js';

/** The part of the request's context that a join by SIRET uses. */
interface LinkContext {
  readonly operation: OperationContext;
  readonly loaders: OrganizationLoaders;
  readonly upstream: Pick<Upstream, 'origin'>;
}

/** The organization of another service's establishment, found by its SIRET. */
const organization: Field<OrganizationView | null, { readonly siret?: string | null }, LinkContext, unknown> = {
  price: { ...ONE_CALL, furtherCalls: MAX_SCANS },
  resolve({ siret }, _args, { loaders, operation, upstream }) {
    const codes = siretCodesOf(siret, upstream.origin);
    return codes === null ? null : loaders.organizationByCodes(codes, operation);
  },
};

/** Why that organization is null although nobody has looked. */
const organizationUnknown: Field<OrganizationUnknown | null, { readonly siret?: string | null }, LinkContext, unknown> =
  {
    price: NO_CALL,
    resolve({ siret }, _args, context) {
      if (siret === null || siret === undefined || siret === '') return 'NO_SIRET';
      return isSiret(siret) ? unknownUnlessLookedUp({ siret, rna: null }, context) : 'MALFORMED_SIRET';
    },
  };

/** Of the look-up that the field beside makes. */
function unknownUnlessLookedUp(
  codes: OrganizationCodes,
  { loaders }: Pick<LinkContext, 'loaders'>,
): Promise<OrganizationUnknown | null> {
  return loaders.isLeftOut(codes).then((isLeftOut) => (isLeftOut ? 'TOO_MANY' : null));
}

/** The codes by which an establishment's organization is looked up; null, and no call, without a valid SIRET. */
function siretCodesOf(siret: string | null | undefined, origin: Origin): OrganizationCodes | null {
  if (siret === null || siret === undefined || siret === '') return null;
  if (isSiret(siret)) return { siret, rna: null };
  origin.drift('Organization.siret of a join', 'code');
  return null;
}

/** Joins from other services' types to missions and organizations (architecture 4.1). */
export const linkResolvers: Resolvers = {
  Commune: { missions: { price: ONE_CALL, resolve: communeMissions } },
  CommuneMissionConnection: {
    counts: {
      price: NO_CALL,
      resolve: (connection, { by }) => countNear(connection, by),
    },
  },
  Organization: {
    missions: {
      price: { ...ONE_CALL, together: MAX_TOGETHER, calls: callsOfOrganizations },
      resolve: (parent, args, context) => organizationMissions(parent, args, context),
    },
    missionsUnknown: missionsUnknownBecause,
  },
  OrganizationMissionConnection: {
    // Of organizations that are read together, hardly more than one has more missions than are counted without a call.
    counts: {
      price: { ...ONE_CALL, together: MAX_TOGETHER, calls: callsOfCount },
      resolve: ({ count }, { by }) => count(by),
    },
  },
  Mission: {
    organizationUnknown: {
      price: NO_CALL,
      resolve(mission, _args, context) {
        const codes = organizationCodesOf(mission);
        return codes === null ? 'NO_CODE' : unknownUnlessLookedUp(codes, context);
      },
    },
  },
  MissionLocale: { organization, organizationUnknown },
  Workplace: { organization, organizationUnknown },
  Certificateur: { organization, organizationUnknown },
  OrganismeEtablissement: { organization, organizationUnknown },
  Company: { organization, organizationUnknown },
};
