import type { Resolvers } from '../__generated__/resolvers.js';

/** This subgraph knows the state of its own source only, and never fails to report it (architecture 5). */
export const sourceResolvers: Resolvers = {
  WasteIdentitySource: {
    id: { reads: 'parent', resolve: ({ name }) => name },
    __resolveReference: ({ name }, { report }) => (name === 'waste-identity' ? report() : null),
  },
};
