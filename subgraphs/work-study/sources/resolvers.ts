import type { Resolvers } from '../__generated__/resolvers.js';

/** The three sources by reference; this subgraph knows the state of its own only. */
export const sourcesResolvers: Resolvers = {
  Query: {
    sources: {
      reads: 'context',
      resolve: (_root, _args, { report }) => [
        { __typename: 'WorkStudySource', ...report() },
        { __typename: 'WasteIdentitySource', name: 'waste-identity' },
        { __typename: 'VolunteeringSource', name: 'volunteering' },
      ],
    },
  },
  WorkStudySource: {
    id: { reads: 'parent', resolve: ({ name }) => name },
    __resolveReference: ({ name }, { report }) =>
      name === 'work-study' ? { __typename: 'WorkStudySource', ...report() } : null,
  },
  WasteIdentitySource: { id: { reads: 'parent', resolve: ({ name }) => name } },
  VolunteeringSource: { id: { reads: 'parent', resolve: ({ name }) => name } },
};
