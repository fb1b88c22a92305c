import type { Resolvers } from '../__generated__/resolvers.js';
import { HOST } from './counter.js';
import { selectsField } from './selects-field.js';

/** How many companies a user usually has, for the price of what is joined to them. */
const USUAL_COMPANIES = 10;

/** If companies are selected, the first 500 are requested in the same call as the user. */
export const viewerResolvers: Resolvers = {
  Query: {
    viewer: {
      reads: 'sources',
      price: { scope: HOST, rows: USUAL_COMPANIES },
      waits: true,
      resolve: (_root, _args, { loaders, operation }, info) =>
        loaders.viewer(selectsField(info, 'companies'), operation),
    },
  },
  Viewer: {
    id: { reads: 'parent', resolve: ({ user }) => user.id },
    email: { reads: 'parent', resolve: ({ user }) => user.email },
    name: { reads: 'parent', resolve: ({ user }) => user.name },
  },
  Company: { id: { reads: 'parent', resolve: ({ orgId }) => orgId } },
};
