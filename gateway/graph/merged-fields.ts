import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** A field of an operation after merging: equal fields appear once in the response. */
export interface MergedField {
  /** Its first occurrence. */
  readonly node: FieldNode;
  /** The type that has the field. */
  readonly parent: string;
  /** All selections below it. */
  readonly sets: readonly SelectionSetNode[];
}

/** Looks up a fragment by name. */
export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/**
 * Merges the fields of selection sets on `type`; fields under different type conditions stay separate. The time that
 * this takes depends on written fields, not on merged ones.
 */
export function mergeFields(
  sets: readonly SelectionSetNode[],
  type: string,
  findFragment: FindFragment,
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
