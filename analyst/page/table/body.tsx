import { memo } from 'react';
import type { Cell } from '../../../rows/cells.js';
import type { PickedRow } from '../../../rows/row-picker.js';
import { formatCell } from '../elements/format-cell.js';
import { language } from '../language/language.js';
import { useStore } from '../store/store.js';
import { classesOf, type DrawnColumn } from './column-layout.js';

interface BodyProps {
  rows: readonly PickedRow[];
  /** The rows that are rendered as elements. */
  range: { readonly from: number; readonly to: number };
  columns: readonly DrawnColumn[];
  /** Index of the marked row; negative for none. */
  marked: number;
  /** In CSS pixels. */
  rowHeight: number;
}

/** The rows in view, and the space that the others take. */
export function Body({ rows, range: { from, to }, columns, marked, rowHeight }: BodyProps) {
  return (
    <>
      <Room height={from * rowHeight} />
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
      <Room height={(rows.length - to) * rowHeight} />
    </>
  );
}

/** A gap as high as the rows that are not drawn. */
function Room({ height }: { height: number }) {
  return (
    <tbody className="pa-room" aria-hidden="true">
      <tr style={{ height }} />
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
