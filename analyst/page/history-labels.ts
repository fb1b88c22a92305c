import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** Gives each history item its own accessible name: the library labels them all "Set active" (WCAG 2.5.3). */
export function HistoryLabels() {
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
  return null;
}
