import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Cell } from '../../rows/columns.js';
import type { Column } from '../../rows/row.js';
import type { Table } from '../../rows/table.js';
import { formatCount } from '../elements/format.js';
import { type Sorting, sortRows } from '../responses/sort-rows.js';
import { chosenOrder, chosenRow } from '../state/page-state.js';
import { useStore } from '../store/store.js';

/** Rows rendered at first: rendering is the expensive part. */
const FIRST = 100;
/** Rows rendered with each click on "more". */
const MORE = 500;

/** The rows of a list, sortable, rendered in parts. */
export function TableView({ table }: { table: Table }) {
  const rows = useMemo(() => [...table.rows()].map((row) => row.cells()), [table]);
  const order = useStore(chosenOrder);
  const sorting = order?.table === table ? order.sorting : null;
  const setSorting = (next: Sorting | null): void => chosenOrder.set(next === null ? null : { table, sorting: next });
  const [wanted, setWanted] = useState(FIRST);
  const sorted = useMemo(() => sortRows(rows, sorting, (cells) => cells), [rows, sorting]);
  const choice = useStore(chosenRow);
  const chosen = choice?.table === table ? rows[choice.row] : undefined;
  const drawn = Math.max(wanted, chosen === undefined ? 0 : sorted.indexOf(chosen) + 1);
  const numeric = useMemo(() => table.columns.map((_, index) => isNumeric(rows, index)), [rows, table]);
  if (rows.length === 0) return <p className="pa-empty">This list is empty.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <section className="pa-scroll" aria-label="Rows" tabIndex={0}>
        <table className="pa-table">
          <caption>
            {formatCount(rows.length, 'row')} of {table.path || 'the response'}
          </caption>
          <Head columns={table.columns} numeric={numeric} sorting={sorting} onSort={setSorting} />
          <Body rows={sorted.slice(0, drawn)} numeric={numeric} chosen={chosen} />
        </table>
      </section>
      {drawn < rows.length && (
        <button type="button" className="pa-more" onClick={() => setWanted(drawn + MORE)}>
          Show {Math.min(MORE, rows.length - drawn)} more of {rows.length - drawn}
        </button>
      )}
    </>
  );
}

interface HeadProps {
  columns: readonly Column[];
  numeric: readonly boolean[];
  sorting: Sorting | null;
  onSort(sorting: Sorting | null): void;
}

function Head({ columns, numeric, sorting, onSort }: HeadProps) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, isInherited }, column) => {
          const own = sorting?.column === column ? sorting : null;
          return (
            <th
              key={name}
              scope="col"
              className={classes(numeric[column], isInherited)}
              aria-sort={own === null ? 'none' : own.descending ? 'descending' : 'ascending'}
            >
              <button type="button" onClick={() => onSort(next(own, column))}>
                {name}
                <span aria-hidden="true">{own === null ? '' : own.descending ? ' ▼' : ' ▲'}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface BodyProps {
  rows: readonly (readonly Cell[])[];
  numeric: readonly boolean[];
  /** The row that is marked and scrolled into view. */
  chosen: readonly Cell[] | undefined;
}

function Body({ rows, numeric, chosen }: BodyProps) {
  const marked = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chosen row is scrolled into view once
  useLayoutEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [chosen]);
  return (
    <tbody>
      {rows.map((cells, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no key of their own, and are rendered anew when sorted
        <tr key={row} {...(cells === chosen && { ref: marked, 'aria-current': true })}>
          {cells.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <td key={column} className={classes(numeric[column], false)} {...(isLong(cell) && { title: cell })}>
              {cell === null ? '' : String(cell)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Whether a cell may be truncated. */
function isLong(cell: Cell): cell is string {
  return typeof cell === 'string' && cell.length > 40;
}

/** Cycles through ascending, descending, and the order of the response. */
function next(own: Sorting | null, column: number): Sorting | null {
  if (own === null) return { column, descending: false };
  return own.descending ? null : { column, descending: true };
}

function isNumeric(rows: readonly (readonly Cell[])[], column: number): boolean {
  const first = rows.find((cells) => cells[column] !== null && cells[column] !== undefined);
  return typeof first?.[column] === 'number';
}

function classes(isNumber: boolean | undefined, isInherited: boolean): string {
  return [isNumber ? 'pa-number' : '', isInherited ? 'pa-inherited' : ''].filter(Boolean).join(' ');
}
