import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { KEY_TEXTS } from '../elements/keys.js';
import { defineTexts, textsNow, useTexts } from '../state/language.js';

/** What the page mends in GraphiQL 5.4 and its editors; draws nothing. */
export function GraphiqlPatches() {
  useSystemTheme();
  useFreeTabKey();
  useMenusOutsideShadow();
  useResizeKeys();
  useHistoryLabels();
  useLandmarks();
  useTabsAsButtons();
  useOwnScroll();
  useKeyList();
  return null;
}

/** Shows the query of another tab from its beginning, not from where the last one was scrolled to. */
function useOwnScroll(): void {
  const editor = useGraphiQL((state) => state.queryEditor);
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another tab comes to the front
  useEffect(() => {
    editor?.setScrollPosition({ scrollTop: 0, scrollLeft: 0 });
  }, [editor, tab]);
}

/** Adds the page's own keys to the list of keys, which the library shows in a dialog. */
function useKeyList(): void {
  useEffect(() => {
    const observer = new MutationObserver(() => {
      const list = document.querySelector('.graphiql-dialog .graphiql-table tbody:not([data-whole])');
      if (!(list instanceof HTMLTableSectionElement)) return;
      list.dataset['whole'] = '';
      for (const [keys, meaning] of Object.entries(textsNow(KEY_TEXTS))) {
        const row = list.insertRow();
        for (const [at, key] of keys.split('-').entries()) {
          if (at === 0) row.insertCell();
          else row.cells[0]?.append(' + ');
          row.cells[0]?.append(
            Object.assign(document.createElement('code'), { className: 'graphiql-key', textContent: key }),
          );
        }
        row.insertCell().textContent = meaning;
      }
    });
    observer.observe(document.body, { childList: true });
    return () => observer.disconnect();
  }, []);
}

/** Makes the part beside the sidebar the page's main one. */
function useLandmarks(): void {
  useEffect(() => {
    document.querySelector('.graphiql-main')?.setAttribute('role', 'main');
  }, []);
}

/**
 * Makes the tabs a list of pairs of buttons: the library nests the one that closes a tab in an element with the role of
 * a tab, which hides it from screen readers (WCAG 4.1.2).
 */
function useTabsAsButtons(): void {
  useEffect(() => {
    const list = document.querySelector('.graphiql-tabs');
    if (list === null) return;
    const mend = (): void => {
      list.removeAttribute('role');
      for (const tab of list.querySelectorAll('[role="tab"], [aria-selected]')) {
        if (tab.matches('[aria-selected]')) {
          const isFront = tab.getAttribute('aria-selected') === 'true';
          tab.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', String(isFront));
        }
        tab.removeAttribute('role');
        tab.removeAttribute('aria-selected');
      }
    };
    const observer = new MutationObserver(mend);
    observer.observe(list, { childList: true, subtree: true, attributeFilter: ['role', 'aria-selected'] });
    mend();
    return () => observer.disconnect();
  }, []);
}

/** Gives each history item its own accessible name: the library labels them all "Set active" (WCAG 2.5.3). */
function useHistoryLabels(): void {
  const isOpen = useGraphiQL((state) => state.visiblePlugin === HISTORY_PLUGIN);
  useEffect(() => {
    const list = document.querySelector('.graphiql-plugin');
    if (!isOpen || list === null) return;
    const rename = (): void => {
      for (const button of list.querySelectorAll('.graphiql-history-item-label')) button.removeAttribute('aria-label');
    };
    const observer = new MutationObserver(rename);
    observer.observe(list, { childList: true, subtree: true });
    rename();
    return () => observer.disconnect();
  }, [isOpen]);
}

const TEXTS = defineTexts({
  en: { width: 'Width of the panes: arrow keys move it' },
  fr: { width: 'Largeur des volets : les flèches la changent' },
});

/** CSS pixels that an arrow key moves a bar. */
const STEP = 40;

/** Lets the arrow keys move the bars between the panes, which GraphiQL supports for pointers only (WCAG 2.1.1). */
function useResizeKeys(): void {
  const { width } = useTexts(TEXTS);
  // Each panel has its own bar.
  const panel = useGraphiQL((state) => state.visiblePlugin);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another panel is another bar
  useEffect(() => {
    const unmount = new AbortController();
    for (const bar of document.querySelectorAll<HTMLElement>('.graphiql-horizontal-drag-bar')) {
      bar.ariaLabel = width;
      addKeys(bar, unmount.signal);
    }
    return () => unmount.abort();
  }, [panel, width]);
}

function addKeys(bar: HTMLElement, signal: AbortSignal): void {
  bar.tabIndex = 0;
  bar.role = 'separator';
  bar.ariaOrientation = 'vertical';
  showWidth(bar);
  const update = (): void => showWidth(bar);
  bar.addEventListener('focus', update, { signal });
  bar.addEventListener(
    'keydown',
    ({ key }) => {
      const direction = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (direction === 0) return;
      drag(bar, direction * STEP);
      update();
    },
    { signal },
  );
}

/** Moves a bar like a pointer, so that GraphiQL hides panes that get too narrow, and stores the widths. */
function drag(bar: HTMLElement, by: number): void {
  const { left } = bar.getBoundingClientRect();
  const mouse = (type: string, clientX: number) => new MouseEvent(type, { bubbles: true, clientX, buttons: 1 });
  bar.dispatchEvent(mouse('mousedown', left));
  document.dispatchEvent(mouse('mousemove', left + by));
  document.dispatchEvent(mouse('mouseup', left + by));
}

function showWidth(bar: HTMLElement): void {
  const [own, all] = [bar.getBoundingClientRect(), bar.parentElement?.getBoundingClientRect()];
  if (all && all.width > 0) bar.ariaValueNow = String(Math.round(((own.left - all.left) / all.width) * 100));
}

/** Makes the editors follow the system's colour scheme; GraphiQL reads it only when the page loads. */
function useSystemTheme(): void {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  useEffect(() => {
    if (theme !== null) return;
    const unmount = new AbortController();
    const follow = (): void => setTheme(null);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow, { signal: unmount.signal });
    return () => unmount.abort();
  }, [theme, setTheme]);
}

/** Takes the editors' menus out of shadow roots, whose styles the page's policy would refuse. */
function useMenusOutsideShadow(): void {
  const editors = useGraphiQL((state) => [state.queryEditor, state.variableEditor, state.responseEditor]);
  useEffect(() => {
    for (const editor of editors) editor?.updateOptions({ useShadowDOM: false });
  }, [editors]);
}

let isTabKeyFree = false;

/**
 * Lets the Tab key leave the editors (WCAG 2.1.2; graphql/graphiql#3766); Ctrl-M in an editor toggles this. All editors
 * on the page share the mode, which can only be toggled, so it is set once.
 */
function useFreeTabKey(): void {
  const editor = useGraphiQL((state) => state.queryEditor);
  useEffect(() => {
    if (editor === undefined || isTabKeyFree) return;
    isTabKeyFree = true;
    editor.focus();
    editor.trigger('page', 'editor.action.toggleTabFocusMode', null);
  }, [editor]);
}
