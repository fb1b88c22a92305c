import { BREAK, type DocumentNode, visit } from 'graphql';

const known = new WeakMap<DocumentNode, boolean>();

/** Whether a document selects the state of sources, which changes without any call: nobody may cache that. */
export function selectsSources(document: DocumentNode): boolean {
  const before = known.get(document);
  if (before !== undefined) return before;
  let found = false;
  visit(document, {
    Field({ name }) {
      found ||= name.value === 'sources';
      return found ? BREAK : undefined;
    },
  });
  known.set(document, found);
  return found;
}
