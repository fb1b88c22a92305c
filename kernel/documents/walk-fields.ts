import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { type Flags, isSkipped } from './flags.js';

/** Looks up a fragment by name. */
export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** What walking the fields of selection sets needs to know. */
export interface FieldWalk {
  readonly findFragment: FindFragment;
  /** If absent, nothing is skipped. */
  readonly flags?: Flags;
  /** Whether a fragment with this type condition applies; if absent, every fragment does. */
  applies?(condition: string): boolean;
}

/**
 * Visits the fields of selection sets and of their fragments, each fragment spread once, in the order of the response
 * (GraphQL 6.3.2). `condition` is the innermost type condition around a field; undefined without one.
 */
export function walkFields(
  sets: readonly SelectionSetNode[],
  { findFragment, flags, applies }: FieldWalk,
  visit: (field: FieldNode, condition: string | undefined) => void,
): void {
  const spread = new Set<string>();

  function walk({ selections }: SelectionSetNode, condition: string | undefined): void {
    for (const selection of selections) {
      if (flags !== undefined && isSkipped(selection, flags)) continue;
      if (selection.kind === Kind.FIELD) {
        visit(selection, condition);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : findFragment(selection.name.value);
      if (!fragment) continue;
      const own = fragment.typeCondition?.name.value;
      if (own === undefined || applies?.(own) !== false) walk(fragment.selectionSet, own ?? condition);
    }
  }

  for (const set of sets) walk(set, undefined);
}
