import type { GraphQLResolveInfo, SelectionNode } from 'graphql';

/**
 * Whether a sub-field of this name is selected in the field being resolved, directly or in a fragment. A conditional
 * selection counts too: an unneeded field costs less than a second call.
 */
export function selectsField({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const selects = (selection: SelectionNode): boolean => {
    if (selection.kind === 'Field') return selection.name.value === name;
    const { selectionSet } = selection.kind === 'FragmentSpread' ? (fragments[selection.name.value] ?? {}) : selection;
    return selectionSet?.selections.some(selects) ?? false;
  };
  return fieldNodes.some(({ selectionSet }) => selectionSet?.selections.some(selects) ?? false);
}
