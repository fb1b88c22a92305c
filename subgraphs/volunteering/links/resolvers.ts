import type { Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import type { OrganizationView } from '../organizations/shapes.js';
import { communeMissions } from './commune-missions.js';
import { organizationCodesOf, siretCodesOf } from './organization-codes.js';

/** An establishment of another service, by its SIRET. */
const byItsSiret = {
  organization: async (
    { siret }: { readonly siret?: string | null },
    _args: unknown,
    { loaders, operation, origin }: Context,
  ): Promise<OrganizationView | null> => {
    const codes = siretCodesOf(siret, origin);
    return codes === null ? null : loaders.organizationByCodes(codes, operation);
  },
};

export const linkResolvers: Resolvers = {
  Mission: {
    organization: async (mission, _args, { loaders, operation }) => {
      const codes = organizationCodesOf(mission);
      return codes === null ? null : loaders.organizationByCodes(codes, operation);
    },
  },
  Commune: { missions: communeMissions },
  MissionLocale: byItsSiret,
  Workplace: byItsSiret,
  Certificateur: byItsSiret,
  OrganismeEtablissement: byItsSiret,
  Company: byItsSiret,
};
