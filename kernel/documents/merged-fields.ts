import type { FieldNode, SelectionSetNode } from 'graphql';
import { type FindFragment, walkFields } from './walk-fields.js';

/** A field of an operation after merging: equal fields appear once in the response. */
export interface MergedField {
  /** Its first occurrence. */
  readonly node: FieldNode;
  /** The type that has the field. */
  readonly parent: string;
  /** All selections below it. */
  readonly sets: readonly SelectionSetNode[];
}

/**
 * Merges the fields of selection sets on `type`; fields under different type conditions stay separate. Takes time in
 * proportion to the fields as written, not as merged.
 */
export function mergeFields(
  sets: readonly SelectionSetNode[],
  type: string,
  findFragment: FindFragment,
): MergedField[] {
  const merged = new Map<string, { node: FieldNode; parent: string; sets: SelectionSetNode[] }>();

  walkFields(sets, { findFragment }, (node, parent = type) => {
    const key = `${parent}.${(node.alias ?? node.name).value}`;
    const field = merged.get(key) ?? { node, parent, sets: [] };
    if (node.selectionSet !== undefined) field.sets.push(node.selectionSet);
    merged.set(key, field);
  });
  return [...merged.values()];
}
