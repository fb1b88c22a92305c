import type { Resolvers } from '../__generated__/resolvers.js';

export const sourceResolvers: Resolvers = {
  VolunteeringSource: {
    __resolveReference: ({ name }) => (name === 'volunteering' ? { name } : null),
    state: (_source, _args, { status }) => status().state,
  },
};
