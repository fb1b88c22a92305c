import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';

/**
 * Fields of all operations of a valid document with its fragments spread, equal ones counted each time: compiled, an
 * operation takes memory for each of them, however short its text is. Takes time for what is written, not for this number.
 */
export function spreadFields({ definitions }: DocumentNode): number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
  }
  const counted = new Map<string, number>();

  function fieldsOf(name: string): number {
    const known = counted.get(name);
    if (known !== undefined) return known;
    const selected = fragments.get(name);
    const fields = selected === undefined ? 0 : fieldsIn(selected);
    counted.set(name, fields);
    return fields;
  }

  function fieldsIn({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + fieldsOf(selection.name.value);
      const below = selection.selectionSet === undefined ? 0 : fieldsIn(selection.selectionSet);
      return sum + below + (selection.kind === Kind.FIELD ? 1 : 0);
    }, 0);
  }

  return definitions.reduce(
    (sum, one) => sum + (one.kind === Kind.OPERATION_DEFINITION ? fieldsIn(one.selectionSet) : 0),
    0,
  );
}
