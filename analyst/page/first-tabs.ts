import { type TabsState, useGraphiQL } from '@graphiql/react';
import { useWindowEvent } from './elements/effects.js';
import { EXAMPLES } from './examples/catalogue.js';
import { markLinked } from './request/linked-writes.js';
import { operationNameOf } from './request/operation.js';
import { foldForQuestion } from './state/mode.js';
import { useActiveQuery } from './tabs/editors.js';
import { useOpenSaved } from './tabs/open-tab.js';
import { readExampleFragment, readShareFragment, type SharedQuery } from './tabs/sharing.js';

/**
 * GraphiQL's keys for the contents of the editors, which it writes one after the other: reloaded soon after a change of
 * tabs, GraphiQL 5.4 finds the query of one tab with the variables of another, and opens a tab for the pair.
 */
const STORED_EDITORS = ['graphiql:query', 'graphiql:variables'];

const PRELOADED = 2;

/**
 * The tabs that the page opens with, and the query of the active one: that in the URL fragment, and two examples if no
 * tabs are stored. Removes the fragment.
 */
export function readFirstTabs() {
  for (const key of STORED_EDITORS) window.localStorage.removeItem(key);
  const linked = takeLinked();
  if (linked !== null) returnToStored(linked);
  // A query that comes back from a login is the user's own.
  if (linked !== null && linked.tab === undefined) foldForQuestion();
  const examples = EXAMPLES.map(asTab)
    .filter(({ query }) => query !== linked?.query)
    .slice(0, PRELOADED);
  const defaultTabs = linked === null ? examples : [linked, ...examples];
  // Without `front`, GraphiQL 5.4 drops the variables of the first default tab (graphql/graphiql#3392) and, after a
  // reload, those of the active tab, along with its query unless it is the first.
  return { defaultTabs, front: linked ?? storedFront() ?? defaultTabs[0] };
}

/** The query that the URL fragment contains or names; null if there is none. Removes the fragment. */
function takeLinked(): SharedQuery | null {
  const { hash, pathname } = window.location;
  const named = EXAMPLES.find(({ name }) => name === readExampleFragment(hash));
  if (hash !== '') window.history.replaceState(null, '', pathname);
  const shared = readShareFragment(hash);
  // A query that comes back from a login is the user's own.
  if (shared !== null && shared.tab === undefined) markLinked(shared.query);
  return shared ?? (named && asTab(named)) ?? null;
}

function asTab({ query, variables }: (typeof EXAMPLES)[number]): SharedQuery {
  return { query, variables: JSON.stringify(variables, null, 2) };
}

/** Opens the query of a link that is followed while the window shows the page, when the browser loads nothing. */
export function useFollowedLinks(): void {
  const open = useOpenSaved();
  useWindowEvent('hashchange', () => {
    const linked = takeLinked();
    if (linked === null) return;
    foldForQuestion();
    open({ operationName: null, memory: null, ...linked });
  });
}

/** GraphiQL's own key for its tabs. */
const STORED_TABS = 'graphiql:tabState';

/** The query of the stored tab that was active; undefined without stored tabs. */
function storedFront(): SharedQuery | undefined {
  const { tabs, activeTabIndex = -1 } = readStored() ?? {};
  const active = tabs?.[activeTabIndex];
  return active && { query: active.query ?? '', variables: active.variables ?? '' };
}

/**
 * Stores the contents of the active tab's editors. GraphiQL does so 600 ms after a change, so what is typed right
 * before the page is left would be lost. What another window has stored for other tabs stays.
 */
function storeFront({ tabs, activeTabIndex }: TabsState, { query, variables }: SharedQuery): void {
  const active = tabs[activeTabIndex];
  if (active === undefined) return;
  const front = { ...active, query, variables, title: operationNameOf({ query }) ?? active.title };
  const others = readStored()?.tabs ?? tabs;
  const index = others.findIndex(({ id }) => id === active.id);
  const all = index < 0 ? [...others, front] : others.with(index, front);
  const stored = { tabs: all.map(storable), activeTabIndex: all.indexOf(front) };
  try {
    window.localStorage.setItem(STORED_TABS, JSON.stringify(stored));
  } catch {
    // Without storage, or beyond its limit, GraphiQL stores no tabs either.
  }
}

/**
 * Puts the query of an address into the stored tab that it returns to, if there is one. A browser may end a page that is
 * left before the page has stored its tabs; GraphiQL would open a second tab for what differs from the stored one.
 */
function returnToStored(returned: SharedQuery): void {
  const tabs = readStored()?.tabs ?? [];
  storeFront({ tabs, activeTabIndex: tabs.findIndex(({ id }) => id === returned.tab) }, returned);
}

/** A tab as GraphiQL 5.4 reads it: with every key, null for what must not be stored. */
function storable({ variables = null, ...tab }: TabsState['tabs'][number]) {
  return { ...tab, variables, hash: null, headers: null, response: null };
}

function readStored(): TabsState | undefined {
  try {
    const stored = JSON.parse(window.localStorage.getItem(STORED_TABS) ?? '{}');
    return Array.isArray(stored.tabs) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Stores what has just been typed when the page is left. */
export function useStoredFront(): void {
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const hasEditors = useGraphiQL(
    ({ queryEditor, variableEditor }) => queryEditor !== undefined && variableEditor !== undefined,
  );
  const query = useActiveQuery();
  // Until the editors are loaded, what is stored is all there is.
  useWindowEvent('pagehide', () => hasEditors && storeFront({ tabs, activeTabIndex }, query()));
}
