import type { RowChoice } from '../../../rows/row-choice.js';
import { classesOf, type DrawnColumn } from './column-layout.js';

interface HeadProps {
  columns: readonly DrawnColumn[];
  order: RowChoice['order'];
  onOrder(order: RowChoice['order']): void;
}

/** The titles of the columns, which sort the rows. */
export function Head({ columns, order, onOrder }: HeadProps) {
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
