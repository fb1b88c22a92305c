import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** A field of an operation, however often it is written: equal fields are answered once. */
export interface MergedField {
  /** The first place where it is written. */
  readonly node: FieldNode;
  /** The type whose field it is. */
  readonly parent: string;
  /** All selections below it. */
  readonly sets: readonly SelectionSetNode[];
}

export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/**
 * The fields that selections select on an object of `type`, equal ones merged. Fields under different type conditions
 * stay apart. `onSelection` is called for every selection on the way: written fields, not merged ones, are what this
 * costs.
 */
export function mergeFields(
  sets: readonly SelectionSetNode[],
  type: string,
  findFragment: FindFragment,
  onSelection?: () => void,
): MergedField[] {
  const merged = new Map<string, { node: FieldNode; parent: string; sets: SelectionSetNode[] }>();
  const spread = new Set<string>();

  function addField(node: FieldNode, parent: string): void {
    const key = `${parent}.${(node.alias ?? node.name).value}`;
    const field = merged.get(key) ?? { node, parent, sets: [] };
    if (node.selectionSet !== undefined) field.sets.push(node.selectionSet);
    merged.set(key, field);
  }

  function collect({ selections }: SelectionSetNode, parent: string): void {
    for (const selection of selections) {
      onSelection?.();
      if (selection.kind === Kind.FIELD) {
        addField(selection, parent);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, selection.typeCondition?.name.value ?? parent);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = findFragment(selection.name.value);
        if (fragment) collect(fragment.selectionSet, fragment.typeCondition.name.value);
      }
    }
  }

  for (const set of sets) collect(set, type);
  return [...merged.values()];
}
