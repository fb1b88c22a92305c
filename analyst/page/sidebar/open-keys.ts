/** Opens the panel of sources and focuses the field for the user's own key of a service. */
export function openKeyOf(service: string): void {
  const focus = (): boolean => {
    const field = document.querySelector<HTMLElement>(`[data-key-of="${service}"]`);
    field?.focus();
    return field !== null;
  };
  if (focus()) return;
  // GraphiQL does not expose whether its panel pane is hidden, but its button toggles it.
  document.querySelector<HTMLElement>('.graphiql-sidebar button:has([data-panel="sources"])')?.click();
  const observer = new MutationObserver(() => focus() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), PATIENCE_MS);
}

/** Milliseconds that the panel may take to appear. */
const PATIENCE_MS = 3000;
