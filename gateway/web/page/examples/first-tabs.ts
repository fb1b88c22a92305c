import { readExampleFragment, readShareFragment, type SharedQuery } from '../tabs/sharing.js';
import { EXAMPLES } from './catalogue.js';

/** The tabs that the page opens with. */
export interface FirstTabs {
  readonly defaultTabs: SharedQuery[];
  /** The query of the active tab; undefined to show stored tabs as they are. */
  readonly front: SharedQuery | undefined;
}

/** GraphiQL's own key for its tabs. */
const STORED_TABS = 'graphiql:tabState';

/**
 * GraphiQL's keys for the contents of the editors, which it writes one after the other: reloaded soon after a change of
 * tabs, GraphiQL 5.4 would find the query of one tab beside the variables of another, and open a tab for the pair.
 */
const STORED_EDITORS = ['graphiql:query', 'graphiql:variables'];

const PRELOADED = 2;

/** The query in the URL fragment, and two examples if no tabs are stored. Removes the fragment. */
export function readFirstTabs(): FirstTabs {
  for (const key of STORED_EDITORS) window.localStorage.removeItem(key);
  const { hash, pathname } = window.location;
  const named = EXAMPLES.find(({ name }) => name === readExampleFragment(hash));
  const linked = readShareFragment(hash) ?? (named && asTab(named)) ?? null;
  if (hash !== '') window.history.replaceState(null, '', pathname);
  const examples = EXAMPLES.filter((example) => example !== named)
    .slice(0, PRELOADED)
    .map(asTab);
  const defaultTabs = linked === null ? examples : [linked, ...examples];
  const isFirstVisit = window.localStorage.getItem(STORED_TABS) === null;
  // Without `front`, GraphiQL 5.4 drops the variables of the first default tab (graphql/graphiql#3392).
  return { defaultTabs, front: linked ?? (isFirstVisit ? defaultTabs[0] : undefined) };
}

function asTab({ query, variables }: (typeof EXAMPLES)[number]): SharedQuery {
  return { query, variables: JSON.stringify(variables, null, 2) };
}
