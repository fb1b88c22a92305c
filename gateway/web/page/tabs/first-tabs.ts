import { EXAMPLES } from './examples.js';
import { readExampleFragment, readShareFragment, type SharedQuestion } from './sharing.js';

/** What the page opens with. */
export interface FirstTabs {
  readonly defaultTabs: SharedQuestion[];
  /** The query in front; undefined when stored tabs are to be shown as they are. */
  readonly front: SharedQuestion | undefined;
}

/** GraphiQL's own key for its tabs. */
const STORED_TABS = 'graphiql:tabState';

const PRELOADED = 2;

/** The query of the address's fragment in front, and two examples where no tabs are stored. Takes the fragment away. */
export function readFirstTabs(): FirstTabs {
  const { hash, pathname } = window.location;
  const named = EXAMPLES.find(({ name }) => name === readExampleFragment(hash));
  const linked = readShareFragment(hash) ?? (named && asTab(named)) ?? null;
  if (hash !== '') window.history.replaceState(null, '', pathname);
  const examples = EXAMPLES.slice(0, PRELOADED).map(asTab);
  const defaultTabs = linked === null ? examples : [linked, ...examples];
  const isFirstVisit = window.localStorage.getItem(STORED_TABS) === null;
  // Without it, GraphiQL 5.4 drops the variables of the first default tab (graphql/graphiql#3392).
  return { defaultTabs, front: linked ?? (isFirstVisit ? defaultTabs[0] : undefined) };
}

function asTab({ query, variables }: (typeof EXAMPLES)[number]): SharedQuestion {
  return { query, variables: JSON.stringify(variables, null, 2) };
}
