import { useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';

/** How far a press of an arrow key moves a bar, in CSS pixels. */
const STEP = 40;

/** Lets the arrow keys move the bars between the panes, which GraphiQL leaves to the pointer alone (WCAG 2.1.1). */
export function ResizeKeys() {
  // Its panel has a bar of its own.
  const panel = useGraphiQL((state) => state.visiblePlugin);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another panel is another bar
  useEffect(() => {
    const gone = new AbortController();
    for (const bar of document.querySelectorAll<HTMLElement>('.graphiql-horizontal-drag-bar')) {
      equip(bar, gone.signal);
    }
    return () => gone.abort();
  }, [panel]);
  return null;
}

function equip(bar: HTMLElement, signal: AbortSignal): void {
  bar.tabIndex = 0;
  bar.role = 'separator';
  bar.ariaOrientation = 'vertical';
  bar.ariaLabel = 'Width of the panes: arrow keys move it';
  tellWidth(bar);
  const tell = (): void => tellWidth(bar);
  bar.addEventListener('focus', tell, { signal });
  bar.addEventListener(
    'keydown',
    ({ key }) => {
      const direction = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      if (direction === 0) return;
      drag(bar, direction * STEP);
      tell();
    },
    { signal },
  );
}

/** Moves a bar as a pointer would: GraphiQL then hides what gets too narrow, and remembers the widths. */
function drag(bar: HTMLElement, by: number): void {
  const { left } = bar.getBoundingClientRect();
  const mouse = (type: string, clientX: number) => new MouseEvent(type, { bubbles: true, clientX, buttons: 1 });
  bar.dispatchEvent(mouse('mousedown', left));
  document.dispatchEvent(mouse('mousemove', left + by));
  document.dispatchEvent(mouse('mouseup', left + by));
}

function tellWidth(bar: HTMLElement): void {
  const [own, all] = [bar.getBoundingClientRect(), bar.parentElement?.getBoundingClientRect()];
  if (all && all.width > 0) bar.ariaValueNow = String(Math.round(((own.left - all.left) / all.width) * 100));
}
