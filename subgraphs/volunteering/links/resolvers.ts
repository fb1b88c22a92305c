import type { Field } from '../../../kernel/declared-field.js';
import { isSiret } from '../../codes/registers.js';
import type { OrganizationUnknown, Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import { callsOfCount, countRead } from '../missions/counts.js';
import { organizationCodesOf } from '../organizations/codes.js';
import { MAX_SCANS } from '../organizations/loaders.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { NO_CALL, ONE_CALL } from '../values/lists.js';
import { communeMissions } from './commune-missions.js';
import {
  callsOfOrganizations,
  MAX_TOGETHER,
  missionsUnknownBecause,
  organizationMissions,
} from './organization-missions.js';

/** An establishment that another service owns. */
export interface Establishment {
  readonly siret?: string | null;
}

/** Its organization, found by its SIRET; null, and no call, without a valid one. */
const organization: Field<OrganizationView | null, Establishment, Context, unknown> = {
  price: { ...ONE_CALL, furtherCalls: MAX_SCANS },
  resolve({ siret }, _args, { loaders, operation, upstream }) {
    if (!siret) return null;
    if (isSiret(siret)) return loaders.organizationByCodes({ siret, rna: null }, operation);
    upstream.sender.drift('Organization.siret of a join', 'code');
    return null;
  },
};

/** Why that organization is null although nobody has looked. */
const organizationUnknown: Field<OrganizationUnknown | null, Establishment, Context, unknown> = {
  price: NO_CALL,
  resolve({ siret }, _args, { loaders }) {
    if (!siret) return 'NO_SIRET';
    return isSiret(siret) ? loaders.unknownBecause({ siret, rna: null }) : 'MALFORMED_SIRET';
  },
};

/** Joins from other services' types to missions and organizations (architecture 4.1). */
export const linkResolvers: Resolvers = {
  Commune: { missions: { price: ONE_CALL, resolve: communeMissions } },
  CommuneMissionConnection: {
    counts: {
      price: NO_CALL,
      resolve: ({ near, truncated }, { by }) =>
        countRead(by, { missions: near.map(({ mission }) => mission), total: truncated ? null : near.length }),
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
      resolve(mission, _args, { loaders }) {
        const codes = organizationCodesOf(mission);
        return codes === null ? 'NO_CODE' : loaders.unknownBecause(codes);
      },
    },
  },
  MissionLocale: { organization, organizationUnknown },
  Workplace: { organization, organizationUnknown },
  Certificateur: { organization, organizationUnknown },
  OrganismeEtablissement: { organization, organizationUnknown },
  Company: { organization, organizationUnknown },
};
