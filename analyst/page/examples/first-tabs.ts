import { readExampleFragment, readShareFragment, type SharedQuery } from '../tabs/sharing.js';
import { returnToStored, storedFront } from '../tabs/stored-tabs.js';
import { EXAMPLES } from './catalogue.js';

/** The tabs that the page opens with. */
export interface FirstTabs {
  readonly defaultTabs: SharedQuery[];
  /** The query of the active tab. */
  readonly front: SharedQuery | undefined;
}

/**
 * GraphiQL's keys for the contents of the editors, which it writes one after the other: reloaded soon after a change of
 * tabs, GraphiQL 5.4 finds the query of one tab with the variables of another, and opens a tab for the pair.
 */
const STORED_EDITORS = ['graphiql:query', 'graphiql:variables'];

const PRELOADED = 2;

/** The query in the URL fragment, and two examples if no tabs are stored. Removes the fragment. */
export function readFirstTabs(): FirstTabs {
  for (const key of STORED_EDITORS) window.localStorage.removeItem(key);
  const linked = takeLinked();
  if (linked !== null) returnToStored(linked);
  const examples = EXAMPLES.map(asTab)
    .filter(({ query }) => query !== linked?.query)
    .slice(0, PRELOADED);
  const defaultTabs = linked === null ? examples : [linked, ...examples];
  // Without `front`, GraphiQL 5.4 drops the variables of the first default tab (graphql/graphiql#3392) and, after a
  // reload, those of the active tab, along with its query unless it is the first.
  return { defaultTabs, front: linked ?? storedFront() ?? defaultTabs[0] };
}

/** The query that the URL fragment contains or names; null if there is none. Removes the fragment. */
export function takeLinked(): SharedQuery | null {
  const { hash, pathname } = window.location;
  const named = EXAMPLES.find(({ name }) => name === readExampleFragment(hash));
  if (hash !== '') window.history.replaceState(null, '', pathname);
  return readShareFragment(hash) ?? (named && asTab(named)) ?? null;
}

function asTab({ query, variables }: (typeof EXAMPLES)[number]): SharedQuery {
  return { query, variables: JSON.stringify(variables, null, 2) };
}
