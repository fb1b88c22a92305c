import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Cell } from '../../../rows/cells.js';
import type { Extent } from '../../../rows/extent.js';
import type { RowChoice } from '../../../rows/row-choice.js';
import type { PickedRow } from '../../../rows/row-picker.js';
import { formatCell } from '../elements/format.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { language, useTexts } from '../state/language.js';
import { usePage } from '../state/page-state.js';
import { useStore } from '../state/store.js';
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
  const chosen = usePage(({ row }) => row);
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
  const from = Math.max(0, first - BEYOND);
  const to = Math.min(rows.length, first + Math.ceil(height / ROW_HEIGHT) + BEYOND + RANGE_STEP);
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
        <Room rows={from} />
        <tbody>
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

interface HeadProps {
  columns: readonly DrawnColumn[];
  order: RowChoice['order'];
  onOrder(order: RowChoice['order']): void;
}

/** The titles of the columns, which sort the rows. */
function Head({ columns, order, onOrder }: HeadProps) {
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
              title={column.name}
            >
              <button type="button" onClick={() => onOrder(next(own, column.source))}>
                {column.name}
                <span aria-hidden="true">{own === null ? '' : own.descending ? ' ▼' : ' ▲'}</span>
              </button>
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
  return (
    <tr aria-rowindex={place + 2} {...(isMarked && { 'aria-current': true })}>
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
    const longest = Math.max(profile?.width ?? 0, name.length);
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
