/**
 * Lets libraries style the page under `style-src 'self'`: the text of each `<style>` in the head is copied to a
 * constructed sheet, which the policy does not cover. The browser still reports each `<style>` that it blocked.
 */
export function adoptStyles(): void {
  const sheets = new Map<HTMLStyleElement, CSSStyleSheet>();
  const adopt = (style: HTMLStyleElement): void => {
    const sheet = sheets.get(style) ?? new CSSStyleSheet();
    sheet.replaceSync(style.textContent ?? '');
    if (sheets.has(style)) return;
    sheets.set(style, sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  };
  const observer = new MutationObserver((records) => {
    const changed = new Set<HTMLStyleElement>();
    for (const { target, addedNodes } of records) {
      for (const node of [...addedNodes, target, target.parentNode]) {
        if (node instanceof HTMLStyleElement) changed.add(node);
      }
    }
    for (const style of changed) adopt(style);
  });
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
}
