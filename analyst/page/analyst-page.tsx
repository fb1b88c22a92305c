import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { useEffect } from 'react';
import { ExamplesButton } from './examples/examples-button.js';
import { readFirstTabs } from './examples/first-tabs.js';
import { LinkWatch } from './examples/link-watch.js';
import { HistoryLabels } from './history-labels.js';
import { EditorMessages } from './language/editor-messages.js';
import { language } from './language/language.js';
import { PLUGINS } from './plugins.js';
import { createFetcher } from './requests/fetcher.js';
import { ResizeKeys } from './resize-keys.js';
import { ResultPane } from './results/result-pane.js';
import { OpeningWatch } from './state/opening.js';
import { activeTab, captures, dismissNotice, notify, showsTrace } from './state/page-state.js';
import { adoptMemory } from './state/tab-memory.js';
import { useStore } from './store/store.js';
import { LeaveWatch } from './tabs/leave-watch.js';
import { LanguageSwitch } from './toolbar/language-switch.js';
import { ShareButton } from './toolbar/share-button.js';

const fetcher = createFetcher({
  captures,
  activeTab: activeTab.get,
  showsTrace: showsTrace.get,
  notify,
  dismissNotice,
});

const { defaultTabs, front } = readFirstTabs();

/** GraphiQL with views of the response, sources, examples and links. */
export function AnalystPage() {
  return (
    <GraphiQL
      fetcher={fetcher}
      plugins={PLUGINS}
      defaultTabs={defaultTabs}
      {...(front && { initialQuery: front.query, initialVariables: front.variables })}
      defaultEditorToolsVisibility="variables"
      isHeadersEditorEnabled={false}
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <ExamplesButton />
        <LanguageSwitch />
        <HomeLink />
      </GraphiQL.Logo>
      {/* GraphiQL looks for its own components among its direct children. */}
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <ShareButton />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <TabWatch />
        <LeaveWatch />
        <OpeningWatch />
        <LinkWatch />
        <ThemeWatch />
        <EditorKeys />
        <EditorMenus />
        <EditorMessages />
        <ResizeKeys />
        <HistoryLabels />
        <ResultPane />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

/** Links to the home page in the language of this one. */
function HomeLink() {
  return (
    <a className="pa-logo" href={`/?lang=${useStore(language)}`}>
      Passerelle
    </a>
  );
}

/** The memory in a link belongs to the first tab in front, and is adopted once. */
let isMemoryAdopted = false;

/** Tracks the active tab for the fetcher, and scrolls it into view among many. */
function TabWatch() {
  const id = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  useEffect(() => {
    if (id !== '' && front?.memory !== undefined && !isMemoryAdopted) {
      isMemoryAdopted = true;
      adoptMemory(front.memory, id);
    }
    activeTab.set(id);
    const tab = document.querySelector('.graphiql-tab-active');
    if (tab === null) return;
    // The tab's width changes with its title, the bar's with the window.
    const observer = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    for (const watched of [tab, tab.parentElement]) if (watched !== null) observer.observe(watched);
    return () => observer.disconnect();
  }, [id]);
  return null;
}

/** Makes the editors follow the system's colour scheme; GraphiQL reads it only when the page loads. */
function ThemeWatch() {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme !== null) return;
    const unmount = new AbortController();
    const follow = (): void => setTheme(null);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow, { signal: unmount.signal });
    return () => unmount.abort();
  }, [theme, setTheme]);
  return null;
}

/** Takes the editors' menus out of shadow roots, whose styles the page's policy would refuse. */
function EditorMenus() {
  const editors = useGraphiQL((state) => [state.queryEditor, state.variableEditor, state.responseEditor]);
  useEffect(() => {
    for (const editor of editors) editor?.updateOptions({ useShadowDOM: false });
  }, [editors]);
  return null;
}

let isTabKeyFree = false;

/**
 * Lets the Tab key leave the editors (WCAG 2.1.2; graphql/graphiql#3766); Ctrl-M in an editor toggles this. All editors
 * on the page share the mode, which can only be toggled, so it is set once.
 */
function EditorKeys() {
  const editor = useGraphiQL((state) => state.queryEditor);
  useEffect(() => {
    if (editor === undefined || isTabKeyFree) return;
    isTabKeyFree = true;
    editor.focus();
    editor.trigger('page', 'editor.action.toggleTabFocusMode', null);
  }, [editor]);
  return null;
}
