import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { defineTexts, useTexts } from './language/texts.js';

const TEXTS = defineTexts({
  en: { width: 'Width of the panes: arrow keys move it' },
  fr: { width: 'Largeur des volets : les flèches la changent' },
});

/** CSS pixels that an arrow key moves a bar. */
const STEP = 40;

/** Lets the arrow keys move the bars between the panes, which GraphiQL supports for pointers only (WCAG 2.1.1). */
export function ResizeKeys() {
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
  return null;
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
