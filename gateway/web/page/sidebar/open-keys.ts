/** Opens the panel of sources and puts the focus into the field for the own key of a service. */
export function openKeyOf(service: string): void {
  const focus = (): boolean => {
    const field = document.querySelector<HTMLElement>(`[data-key-of="${service}"]`);
    field?.focus();
    return field !== null;
  };
  if (focus()) return;
  // GraphiQL keeps to itself whether the pane of its panels is hidden: its button knows.
  document.querySelector<HTMLElement>('.graphiql-sidebar button:has([data-panel="sources"])')?.click();
  const observer = new MutationObserver(() => focus() && observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), PATIENCE_MS);
}

/** Milliseconds that the panel may take to appear. */
const PATIENCE_MS = 3000;
