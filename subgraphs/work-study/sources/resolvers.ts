import type { Resolvers } from '../__generated__/resolvers.js';

/** The three sources by reference; of its own alone this subgraph knows the state (DESIGN 5). */
export const sourcesResolvers: Resolvers = {
  Query: {
    sources: () => [
      { __typename: 'WorkStudySource', name: 'work-study' },
      { __typename: 'WasteIdentitySource', name: 'waste-identity' },
      { __typename: 'VolunteeringSource', name: 'volunteering' },
    ],
  },
  WorkStudySource: {
    state: (_source, _args, { status }) => status().state,
  },
};
