import type { Resolvers } from '../__generated__/resolvers.js';

/** Of its own source alone this subgraph knows the state, and never fails to tell it (DESIGN 5). */
export const sourceResolvers: Resolvers = {
  VolunteeringSource: {
    id: ({ name }) => name,
    __resolveReference: ({ name }, { report }) => (name === 'volunteering' ? report() : null),
  },
};
