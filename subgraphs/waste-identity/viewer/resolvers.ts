import type { GraphQLResolveInfo, SelectionNode } from 'graphql';
import { idOf } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { HOST } from './client.js';

/** How many companies a user usually has, for the price of what is joined to them. */
const USUAL_COMPANIES = 10;

/** If companies are selected, the first 500 are requested in the same call as the user. */
export const viewerResolvers: Resolvers = {
  Query: {
    viewer: {
      price: { scope: HOST, rows: USUAL_COMPANIES },
      resolve: (_root, _args, { loaders, operation }, info) =>
        loaders.viewer(
          ['companies', 'companiesComplete'].some((name) => selectsField(info, name)),
          operation,
        ),
    },
  },
  Viewer: {
    id: ({ user }) => user.id,
    email: ({ user }) => user.email,
    name: ({ user }) => user.name,
  },
  Company: { id: ({ orgId }) => idOf('Company', orgId) },
};

/**
 * Whether a sub-field of this name is selected in the field being resolved, directly or in a fragment. A conditional
 * selection counts too: an unneeded field costs less than a second call.
 */
function selectsField({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const selects = (selection: SelectionNode): boolean => {
    if (selection.kind === 'Field') return selection.name.value === name;
    const { selectionSet } = selection.kind === 'FragmentSpread' ? (fragments[selection.name.value] ?? {}) : selection;
    return selectionSet?.selections.some(selects) ?? false;
  };
  return fieldNodes.some(({ selectionSet }) => selectionSet?.selections.some(selects) ?? false);
}
