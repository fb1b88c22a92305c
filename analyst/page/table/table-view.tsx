import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Cell } from '../../../rows/cells.js';
import type { PickedRow, RowChoice } from '../../../rows/row-choice.js';
import { Button, SignButton } from '../elements/controls.js';
import { formatCell, labelWidth, useLabels } from '../labels/labels.js';
import { sayExtent } from '../lists/extent.js';
import type { ShownRows, ViewProps } from '../lists/loaded-list.js';
import { RowPanel } from '../lists/row-panel.js';
import { ROW_TEXTS } from '../lists/texts.js';
import { language, useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { changePage, rememberList, usePage } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { TABLE_TEXTS } from './texts.js';

/** Height of a row in CSS pixels, as in the style sheet: empty rows are as high as others. */
const ROW_HEIGHT = 24;
/** Rows drawn beyond each end of what is in view. */
const BEYOND = 20;
/** The range of rows moves in steps, so that scrolling seldom renders. */
const RANGE_STEP = 10;
/** The `aria-rowindex` of the first row: the titles have 1. */
const FIRST_ROW = 2;
/** Heights of a row that caption and titles have. */
const HEAD_ROWS = 3;
/** Height of the view before it is measured. */
const USUAL_HEIGHT = 800;

/** The rows of a list, sortable; a click opens one with all its fields, as Enter does, and arrow keys go to the next. */
export function TableView({ shown, extent, memory }: Omit<ViewProps, 'result'>) {
  const texts = useTexts(TABLE_TEXTS);
  const scroller = useRef<HTMLElement>(null);
  const { list, rows } = shown;
  const chosen = usePage(({ row }) => row);
  const marked = useMemo(() => (chosen === null ? -1 : rows.findIndex(({ of }) => of === chosen)), [rows, chosen]);
  if (list.rows.length === 0) return <p className="pa-empty">{texts.isEmpty}</p>;
  const go = (to: number): void => changePage({ row: rows[to]?.of ?? null });
  const close = (): void => {
    changePage({ row: null });
    scroller.current?.focus();
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const next = { ArrowUp: marked - 1, ArrowDown: marked + 1 }[event.key];
    if (marked >= 0 && next !== undefined && rows[next] !== undefined) go(next);
    else if (event.key === 'Enter' && event.target === scroller.current) go(Math.max(marked, firstInView(scroller)));
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the rows and of the one that is open
    <div className="pa-rows-frame" onKeyDown={onKey}>
      <Grid {...{ scroller, shown, extent, memory, marked }} onOpen={go} />
      {chosen !== null && marked >= 0 && (
        <RowPanel
          list={list}
          row={chosen}
          onClose={close}
          steps={<RowSteps at={marked} of={rows.length} onGo={go} />}
        />
      )}
    </div>
  );
}

interface GridProps extends Omit<ViewProps, 'result'> {
  scroller: React.RefObject<HTMLElement | null>;
  /** Index of the row that is open; -1 for none. */
  marked: number;
  onOpen(at: number): void;
}

/** Titles and rows. Only the rows in view are elements, so that 100,000 are as quick as 100. */
function Grid({ scroller, shown, extent, memory, marked, onOpen }: GridProps) {
  const texts = useTexts(TABLE_TEXTS);
  const { list, rows, choice } = shown;
  const [top, setTop] = useState(0);
  const columns = useMemo(() => layOut(shown), [shown]);
  useScrolling(scroller, shown, marked);
  const height = scroller.current?.clientHeight ?? USUAL_HEIGHT;
  const first = Math.min(top, Math.max(0, rows.length - RANGE_STEP));
  const from = Math.max(0, first - BEYOND);
  const to = Math.min(rows.length, first + Math.ceil(height / ROW_HEIGHT) + BEYOND + RANGE_STEP);
  return (
    <section
      ref={scroller}
      className="pa-scroll"
      // What is scrolled into view must not end below the column that stays.
      style={{ '--pa-first': `${columns[0]?.width ?? 0}ch` } as React.CSSProperties}
      aria-label={texts.rows}
      aria-keyshortcuts="Enter"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) =>
        setTop(RANGE_STEP * Math.floor(currentTarget.scrollTop / ROW_HEIGHT / RANGE_STEP))
      }
    >
      <table
        className="pa-table pa-rows"
        aria-rowcount={rows.length + 1}
        style={{ width: `${columns.reduce((sum, column) => sum + column.width, 0)}ch` }}
      >
        <caption>
          {texts.caption(texts.rowsShown(rows.length, list.rows.length), list.path)}, {sayExtent(extent, list.path)}
        </caption>
        <colgroup>
          {columns.map((column) => (
            <col key={column.name} style={{ width: `${column.width}ch` }} />
          ))}
        </colgroup>
        <Head
          {...{ columns, order: choice.order }}
          onOrder={(order) => rememberList(list.path, { choice: { ...memory.choice, order } })}
        />
        <Room rows={from} />
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the first row in view, arrows the next */}
        <tbody onClick={({ target }) => isTextSelected() || onOpen(rowAt(target))}>
          {rows.slice(from, to).map((row, index) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: the place among all rows, which have no key of their own
              key={from + index}
              row={row}
              place={from + index}
              columns={columns}
              isMarked={from + index === marked}
            />
          ))}
        </tbody>
        <Room rows={rows.length - to} />
      </table>
      {rows.length === 0 && <p className="pa-empty">{texts.noneLeft}</p>}
    </section>
  );
}

/** Scrolls to the row that is open if it is out of view, and to the first one when the rows change. */
function useScrolling(scroller: GridProps['scroller'], { list, choice }: ShownRows, marked: number): void {
  useLayoutEffect(() => {
    const { current } = scroller;
    if (marked < 0 || current === null) return;
    const [top, bottom] = [current.scrollTop, current.scrollTop + current.clientHeight - HEAD_ROWS * ROW_HEIGHT];
    const at = marked * ROW_HEIGHT;
    if (at < top || at > bottom) current.scrollTop = Math.max(0, at - current.clientHeight / 2);
  }, [scroller, marked]);
  const { order, where } = choice;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes the rows
  useEffect(() => {
    if (scroller.current !== null && marked < 0) scroller.current.scrollTop = 0;
  }, [list, order, where]);
}

function RowSteps({ at, of, onGo }: { at: number; of: number; onGo(to: number): void }) {
  const texts = useTexts(ROW_TEXTS);
  return (
    <>
      <SignButton label={texts.previous} sign="↑" disabled={at === 0} onClick={() => onGo(at - 1)} />
      <SignButton label={texts.next} sign="↓" disabled={at === of - 1} onClick={() => onGo(at + 1)} />
      <span role="status">{texts.place(at + 1, of)}</span>
    </>
  );
}

/** Index of the first row that is wholly in view. */
function firstInView({ current }: React.RefObject<HTMLElement | null>): number {
  return Math.ceil((current?.scrollTop ?? 0) / ROW_HEIGHT);
}

/** Index of the row that was clicked. */
function rowAt(target: EventTarget): number {
  const row = target instanceof Element ? target.closest('tr') : null;
  return Number(row?.getAttribute('aria-rowindex') ?? 0) - FIRST_ROW;
}

/** Who selects the text of a cell does not want to open its row. */
function isTextSelected(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

interface HeadProps {
  columns: readonly DrawnColumn[];
  order: RowChoice['order'];
  onOrder(order: RowChoice['order']): void;
}

/** The titles of the columns, which sort the rows. */
function Head({ columns, order, onOrder }: HeadProps) {
  const labels = useLabels(columns.map(({ source }) => source));
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => {
          const own = order?.column === column.source ? order : null;
          return (
            <th
              key={column.name}
              scope="col"
              className={classesOf(column)}
              aria-sort={own === null ? 'none' : own.descending ? 'descending' : 'ascending'}
              title={column.source}
            >
              <Button onClick={() => onOrder(next(own, column.source))}>
                {column.name === column.source ? (labels[column.source] ?? column.name) : column.name}
                <span aria-hidden="true">{own === null ? '' : own.descending ? ' ▼' : ' ▲'}</span>
              </Button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Cycles through ascending, descending, and the order of the response. */
function next(own: RowChoice['order'], column: string): RowChoice['order'] {
  if (own === null) return { column, descending: false };
  return own.descending ? null : { column, descending: true };
}

/** A gap as high as the rows that are not drawn. */
function Room({ rows }: { rows: number }) {
  return (
    <tbody className="pa-room" aria-hidden="true">
      <tr style={{ height: rows * ROW_HEIGHT }} />
    </tbody>
  );
}

interface RowProps {
  row: PickedRow;
  /** Index among all rows. */
  place: number;
  columns: readonly DrawnColumn[];
  isMarked: boolean;
}

const Row = memo(function Row({ row, place, columns, isMarked }: RowProps) {
  const cells = row.cells();
  // In another language, numbers are written differently.
  useStore(language);
  useStore(mode);
  return (
    <tr aria-rowindex={place + FIRST_ROW} {...(isMarked && { 'aria-current': true })}>
      {columns.map((column, index) => {
        const cell = cells[index] ?? null;
        return (
          <td key={column.name} className={classesOf(column)} {...(isLong(cell) && { title: cell })}>
            {formatCell(cell, column.source)}
          </td>
        );
      })}
    </tr>
  );
});

/** Whether a cell may be truncated. */
function isLong(cell: Cell): cell is string {
  return typeof cell === 'string' && cell.length > 30;
}

/** How a column is drawn. */
interface DrawnColumn {
  /** Its title. */
  readonly name: string;
  /** Its name in the list, used for sorting. */
  readonly source: string;
  /** In characters. */
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isInherited: boolean;
}

const MIN_WIDTH = 6;
const MAX_WIDTH = 36;
/** Characters of padding and of the order mark. */
const PADDING = 4;

/** Lays out the columns: widths are based on all rows, so that they do not change while scrolling. */
function layOut({ columns, choice, list }: ShownRows): DrawnColumn[] {
  return columns.map(({ name, isInherited }, index) => {
    const source = choice.columns?.[index]?.name ?? name;
    const profile = list.profiles.get(source);
    const longest = Math.max(profile?.width ?? 0, name.length, labelWidth(source));
    return {
      name,
      source,
      width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest)) + PADDING,
      isNumeric: profile?.kind === 'number',
      isInherited,
    };
  });
}

/** The class names of a column's cells. */
function classesOf({ isNumeric, isInherited }: DrawnColumn): string {
  return [isNumeric ? 'pa-number' : '', isInherited ? 'pa-inherited' : ''].filter(Boolean).join(' ');
}
