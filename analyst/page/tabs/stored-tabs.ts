import type { TabsState } from '@graphiql/react';
import { operationNameOf } from '../requests/operation-name.js';
import type { SharedQuery } from './sharing.js';

/** GraphiQL's own key for its tabs. */
const STORED_TABS = 'graphiql:tabState';

/** The query of the stored tab that was active; undefined without stored tabs. */
export function storedFront(): SharedQuery | undefined {
  const { tabs, activeTabIndex = -1 } = readStored() ?? {};
  const active = tabs?.[activeTabIndex];
  return active && { query: active.query ?? '', variables: active.variables ?? '' };
}

/**
 * Stores the contents of the active tab's editors. GraphiQL does so 600 ms after a change, so what is typed right
 * before the page is left would be lost. What another window has stored for other tabs stays.
 */
export function storeFront({ tabs, activeTabIndex }: TabsState, { query, variables }: SharedQuery): void {
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
export function returnToStored(returned: SharedQuery): void {
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
