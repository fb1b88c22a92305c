import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from './fragments.js';
import type { FindFragment } from './walk-fields.js';

/** The size of a selection set with its fragments spread; equal parts count each time. */
export interface SpreadSize {
  readonly fields: number;
  /** Fields, fragments and spreads of fragments. */
  readonly selections: number;
}

/**
 * Measures selection sets of one document. A kilobyte of text may spread to more fields than any computer can visit;
 * this takes time only for what is written. A fragment within itself, which validation refuses, counts as empty.
 */
export function createSpreadMeasure(findFragment: FindFragment): (set: SelectionSetNode) => SpreadSize {
  const measured = new Map<string, SpreadSize>();

  function sizeOfFragment(name: string): SpreadSize {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, NOTHING);
    const fragment = findFragment(name);
    const size = fragment ? sizeOf(fragment.selectionSet) : NOTHING;
    measured.set(name, size);
    return size;
  }

  function sizeOf({ selections: written }: SelectionSetNode): SpreadSize {
    let [fields, selections] = [0, written.length];
    for (const selection of written) {
      if (selection.kind === Kind.FIELD) fields += 1;
      const below =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? sizeOfFragment(selection.name.value)
          : selection.selectionSet && sizeOf(selection.selectionSet);
      fields += below?.fields ?? 0;
      selections += below?.selections ?? 0;
    }
    return { fields, selections };
  }

  return sizeOf;
}

const NOTHING: SpreadSize = { fields: 0, selections: 0 };

/**
 * Fields of all operations of a valid document with its fragments spread; equal ones count each time, since a compiled
 * operation takes memory for each of them, however short its text is.
 */
export function spreadFields(document: DocumentNode): number {
  const fragments = fragmentsOf(document);
  const sizeOf = createSpreadMeasure((name) => fragments.get(name));
  return document.definitions.reduce(
    (sum, one) => sum + (one.kind === Kind.OPERATION_DEFINITION ? sizeOf(one.selectionSet).fields : 0),
    0,
  );
}
