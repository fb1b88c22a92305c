import { BREAK, type DocumentNode, visit } from 'graphql';

const known = new WeakMap<DocumentNode, boolean>();

/** Whether a document selects the state of sources, which changes without any call: nobody may cache that. */
export function asksForStates(document: DocumentNode): boolean {
  const before = known.get(document);
  if (before !== undefined) return before;
  let asks = false;
  visit(document, {
    Field({ name }) {
      asks ||= name.value === 'sources';
      return asks ? BREAK : undefined;
    },
  });
  known.set(document, asks);
  return asks;
}
