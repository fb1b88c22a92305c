/** Milliseconds that a panel may take to appear. */
const PATIENCE_MS = 3000;

/** Opens a panel of the sidebar, by the name of its icon, and gives the focus to a part of it. */
export function focusInPanel(panel: string, part: string): void {
  const focus = (): boolean => {
    const found = document.querySelector<HTMLElement>(part);
    found?.focus();
    return found !== null;
  };
  if (focus()) return;
  // GraphiQL does not expose whether its panel pane is hidden, but its button toggles it.
  document.querySelector<HTMLElement>(`.graphiql-sidebar button:has([data-panel="${panel}"])`)?.click();
  const observer = new MutationObserver(() => focus() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), PATIENCE_MS);
}
