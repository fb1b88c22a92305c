import type { Resolvers } from '../__generated__/resolvers.js';

export const sourceResolvers: Resolvers = {
  WasteIdentitySource: {
    __resolveReference: ({ name }) => (name === 'waste-identity' ? { name } : null),
    state: (_source, _args, { status }) => status().state,
  },
};
