import { priced } from '../../../schema/price.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { HOST } from './counter.js';
import { selectsField } from './selects-field.js';

/** Companies of one user, for the price of what is joined to them. */
const USUAL_COMPANIES = 10;

/** Companies are requested with the user when they are selected: one call in all. */
export const viewerResolvers: Resolvers = {
  Query: {
    viewer: priced({ scope: HOST, rows: USUAL_COMPANIES }, (_root, _args, { loaders, operation }, info) =>
      loaders.viewer(selectsField(info, 'companies'), operation),
    ),
  },
  Viewer: {
    id: ({ user }) => user.id,
    email: ({ user }) => user.email,
    name: ({ user }) => user.name,
  },
  Company: { id: ({ orgId }) => orgId },
};
