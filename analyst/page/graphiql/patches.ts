import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/** What the page mends in GraphiQL 5.4 and its editors; draws nothing. */
export function GraphiqlPatches() {
  useSystemTheme();
  useFreeTabKey();
  useMenusOutsideShadow();
  useHistoryLabels();
  useLandmarks();
  useTabsAsButtons();
  return null;
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
