import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { type GraphiQLPlugin, ToolbarButton } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';
import { Boundary } from './elements/boundary.js';
import { Button } from './elements/button.js';
import { ComposerIcon, LinkIcon, SavedIcon, SourcesIcon } from './elements/icons.js';
import { KEY_TEXTS, useKey } from './elements/keys.js';
import { ExamplesButton } from './examples/examples-button.js';
import { FirstQuestions, QuestionTitle } from './examples/questions.js';
import { readFirstTabs, useFollowedLinks, useStoredFront } from './first-tabs.js';
import { GraphiqlPatches } from './graphiql/patches.js';
import { LanguageSwitch } from './language-switch.js';
import { fetcher } from './request/fetcher.js';
import { ResultPane } from './results/result-pane.js';
import { defineTexts, language, useTexts } from './state/language.js';
import { mode, switchMode } from './state/mode.js';
import { changePage, remember } from './state/page-state.js';
import { useStore } from './state/store.js';
import { readMemory } from './state/tab-memory.js';
import { useFrontTab } from './tabs/editors.js';
import { useOpening } from './tabs/open-tab.js';
import { SHARE_TEXTS, useShareLink } from './tabs/share-link.js';

const { defaultTabs, front } = readFirstTabs();

/*
 * The page is GraphiQL with another response pane. What GraphiQL knows (tabs, editors, the schema) is read from its own
 * store by `useGraphiQL`; everything else that the page knows is in one store, `state/page-state.ts`, read by `usePage`:
 *
 *   state      page-state: active tab, results, notice, keys, memories; language; what survives a reload: tab-memory
 *     ↓
 *   request    fetcher: GraphiQL's, of what is in the editors; send-query: any other; sources: what is left of quotas
 *     ↓
 *   response   results/result-pane: status, price, form, errors, and the view; missing: what is asked for again
 *     ↓
 *   rows       results/rows: one list of the response; lists/loaded-list: all of it, lists/shown-rows: what was chosen,
 *              lists/extent: how much of the source's list that is; paging/: the rows of further pages
 *     ↓
 *   views      table/, counts/, map/, and the trace of the request; list-bar: files of the rows, and links to them
 *
 * Beside these stand tabs/ (the editors, and opening queries in tabs), variables/ (the form), examples/, composer/,
 * saved/ and sidebar/ (panels), elements/ (controls and formats) and graphiql/ (what is changed in GraphiQL). What shows
 * something imports it, and all import state/, which imports none of them.
 */

/** GraphiQL with views of the response, sources, examples and links. */
export function AnalystPage() {
  return (
    <>
      <SkipLink />
      <GraphiQL
        fetcher={fetcher}
        plugins={PLUGINS}
        defaultTabs={defaultTabs}
        {...(front && { initialQuery: front.query, initialVariables: front.variables })}
        defaultEditorToolsVisibility="variables"
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
      >
        <GraphiQL.Logo>
          <ExamplesButton />
          <ModeSwitch />
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
          <GraphiqlPatches />
          <Tabs />
          <ResultPane title={<QuestionTitle key="title" />} questions={<FirstQuestions />} />
        </GraphiQL.Footer>
      </GraphiQL>
    </>
  );
}

const TEXTS = defineTexts({ en: { toAnswer: 'Go to the answer' }, fr: { toAnswer: 'Aller à la réponse' } });

/** Leads keyboards past tabs, panels and editors. */
function SkipLink() {
  return (
    <a className="pa-skip" href="#pa-answer">
      {useTexts(TEXTS).toAnswer}
    </a>
  );
}

/** Unfolds the editors, or folds them; F2 does so from anywhere. */
function ModeSwitch() {
  const { F2 } = useTexts(KEY_TEXTS);
  const isCode = useStore(mode) === 'code';
  useKey('F2', switchMode);
  return (
    <Button className="pa-top" aria-pressed={isCode} aria-keyshortcuts="F2" title={`${F2} (F2)`} onClick={switchMode}>
      Code
    </Button>
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

/** Keeps the page's state and links in step with GraphiQL's tabs; draws nothing. */
function Tabs() {
  useActiveTab();
  useStoredFront();
  useOpening();
  useFollowedLinks();
  useKey('F9', (isBack) => {
    const tabs = [...document.querySelectorAll('.graphiql-tab')];
    const at = tabs.findIndex((tab) => tab.matches('.graphiql-tab-active'));
    tabs
      .at((at + (isBack ? -1 : 1)) % tabs.length)
      ?.querySelector<HTMLElement>('.graphiql-tab-button')
      ?.click();
  });
  return null;
}

/** Tracks the active tab, and scrolls it into view among many. */
function useActiveTab(): void {
  const id = useFrontTab();
  // The memory in a link belongs to the first tab in front, and is adopted once.
  const linked = useRef(readMemory(front?.memory));
  useEffect(() => {
    changePage({ tab: id });
    if (id !== '' && linked.current !== null) {
      remember(linked.current, id);
      linked.current = null;
    }
    const tab = document.querySelector('.graphiql-tab-active');
    if (tab === null) return;
    // The tab's width changes with its title, the bar's with the window.
    const observer = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    for (const watched of [tab, tab.parentElement]) if (watched !== null) observer.observe(watched);
    return () => observer.disconnect();
  }, [id]);
}

// GraphiQL recognizes its own panels by identity, so copies of them would not do.
for (const own of [DOC_EXPLORER_PLUGIN, HISTORY_PLUGIN]) own.content = bounded(own.content);

/** The panels of the sidebar besides the documentation; their titles are translated with GraphiQL's own texts. */
const PLUGINS: GraphiQLPlugin[] = [
  HISTORY_PLUGIN,
  {
    title: 'Composer',
    icon: ComposerIcon,
    content: onDemand(async () => (await import('./composer/composer-panel.js')).ComposerPanel),
  },
  {
    title: 'Saved queries',
    icon: SavedIcon,
    content: onDemand(async () => (await import('./saved/saved-panel.js')).SavedPanel),
  },
  {
    title: 'Sources',
    icon: SourcesIcon,
    content: onDemand(async () => (await import('./sidebar/sources-panel.js')).SourcesPanel),
  },
];

/** A panel that is loaded when it is first opened. */
function onDemand(load: () => Promise<ComponentType>): ComponentType {
  const Panel = lazy(async () => ({ default: await load() }));
  return bounded(() => (
    <Suspense fallback={null}>
      <Panel />
    </Suspense>
  ));
}

/** A panel whose failure leaves the rest of the page as it is. */
function bounded(Panel: ComponentType): ComponentType {
  return () => (
    <Boundary>
      <Panel />
    </Boundary>
  );
}

function ShareButton() {
  const share = useShareLink();
  return (
    <ToolbarButton label={useTexts(SHARE_TEXTS).copyLink} onClick={() => void share()}>
      <LinkIcon />
    </ToolbarButton>
  );
}
