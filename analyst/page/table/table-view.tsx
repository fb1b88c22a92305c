import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Extent } from '../../../rows/extent.js';
import type { RowChoice } from '../../../rows/row-choice.js';
import { useTexts } from '../language/texts.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { chosenRow } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { Body } from './body.js';
import { layOut } from './column-layout.js';
import { Head } from './head.js';
import { TABLE_TEXTS } from './texts.js';

/** Height of a row in CSS pixels, as in the style sheet: empty rows are as high as others. */
const ROW_HEIGHT = 24;
/** Rows drawn beyond each end of what is in view. */
const BEYOND = 20;
/** The range of rows moves in steps, so that scrolling seldom renders. */
const RANGE_STEP = 10;
/** Height of the view before it is measured. */
const USUAL_HEIGHT = 800;

interface TableViewProps {
  shown: ShownRows;
  extent: Extent;
  onOrder(order: RowChoice['order']): void;
}

/** The rows of a list, sortable. Only the rows in view are elements, so that 100,000 are as quick as 100. */
export function TableView({ shown, extent, onOrder }: TableViewProps) {
  const texts = useTexts(TABLE_TEXTS);
  const { words } = useTexts(EXTENT_TEXTS);
  const scroller = useRef<HTMLElement>(null);
  const { list, rows } = shown;
  const [top, setTop] = useState(0);
  const columns = useMemo(() => layOut(shown), [shown]);
  const chosen = useStore(chosenRow);
  const marked = useMemo(() => (chosen === null ? -1 : rows.findIndex(({ of }) => of === chosen)), [rows, chosen]);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (marked < 0 || current === null) return;
    current.scrollTop = Math.max(0, marked * ROW_HEIGHT - current.clientHeight / 2);
  }, [marked]);
  // After "Show in the table" on the map, the button that was pressed is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only where the table takes the place of the map
  useEffect(() => {
    if (marked >= 0 && document.activeElement === document.body) scroller.current?.focus();
  }, []);
  // When the rows change, the view starts at the top.
  const { order, where } = shown.choice;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes the rows
  useEffect(() => {
    if (scroller.current !== null && marked < 0) scroller.current.scrollTop = 0;
  }, [list, order, where]);
  if (list.rows.length === 0) return <p className="pa-empty">{texts.isEmpty}</p>;
  const height = scroller.current?.clientHeight ?? USUAL_HEIGHT;
  const first = Math.min(top, Math.max(0, rows.length - RANGE_STEP));
  const range = {
    from: Math.max(0, first - BEYOND),
    to: Math.min(rows.length, first + Math.ceil(height / ROW_HEIGHT) + BEYOND + RANGE_STEP),
  };
  return (
    <section
      ref={scroller}
      className="pa-scroll"
      aria-label={texts.rows}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) =>
        setTop(RANGE_STEP * Math.floor(currentTarget.scrollTop / ROW_HEIGHT / RANGE_STEP))
      }
    >
      <table
        className="pa-table pa-rows"
        aria-rowcount={rows.length + 1}
        style={{ width: `${columns.reduce((sum, { width }) => sum + width, 0)}ch` }}
      >
        <caption>
          {texts.caption(texts.rowsShown(rows.length, list.rows.length), list.path)}, {words(extent, list.path)}
        </caption>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width: `${width}ch` }} />
          ))}
        </colgroup>
        <Head columns={columns} order={order} onOrder={onOrder} />
        <Body rows={rows} range={range} columns={columns} marked={marked} rowHeight={ROW_HEIGHT} />
      </table>
      {rows.length === 0 && <p className="pa-empty">{texts.noneLeft}</p>}
    </section>
  );
}
