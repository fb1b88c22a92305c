import type { Resolvers } from '../__generated__/resolvers.js';
import { selectsField } from './selects-field.js';

/** Companies are requested with the user when they are selected: one call in all. */
export const viewerResolvers: Resolvers = {
  Query: {
    viewer: (_root, _args, { loaders, operation }, info) => loaders.viewer(selectsField(info, 'companies'), operation),
  },
  Viewer: {
    id: ({ user }) => user.id,
    email: ({ user }) => user.email,
    name: ({ user }) => user.name,
  },
  Company: { id: ({ orgId }) => orgId },
};
