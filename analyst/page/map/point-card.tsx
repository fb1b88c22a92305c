import type { PlacedColumn } from '../../../rows/layout.js';
import { formatCell } from '../elements/format-cell.js';
import { useTexts } from '../language/texts.js';
import { remember } from '../state/tab-memory.js';
import type { MapPoint } from './points.js';
import { MAP_TEXTS } from './texts.js';
import { titleOf } from './title-column.js';

interface PointCardProps {
  columns: readonly PlacedColumn[];
  points: readonly MapPoint[];
  /** The points of the mark that was clicked. */
  here: readonly MapPoint[];
  chosen: MapPoint | null;
  onChoose(point: MapPoint): void;
}

/** The row of the chosen point, those at the same spot, and buttons to step through all points by keyboard. */
export function PointCard({ columns, points, here, chosen, onChoose }: PointCardProps) {
  const texts = useTexts(MAP_TEXTS);
  if (points.length === 0) return <p>{texts.noRow}</p>;
  const at = chosen === null ? -1 : points.indexOf(chosen);
  const go = (to: number): void => {
    const point = points[(to + points.length) % points.length];
    if (point !== undefined) onChoose(point);
  };
  return (
    <>
      <div className="pa-steps">
        <button type="button" aria-label={texts.previous} onClick={() => go(at < 0 ? -1 : at - 1)}>
          ‹
        </button>
        <span role="status">{chosen === null ? texts.click : texts.place(at + 1, points.length)}</span>
        <button type="button" aria-label={texts.next} onClick={() => go(at + 1)}>
          ›
        </button>
      </div>
      {chosen !== null && here.length > 1 && here.includes(chosen) && (
        <RowsHere columns={columns} here={here} chosen={chosen} onChoose={onChoose} />
      )}
      {chosen !== null && (
        <>
          <button type="button" onClick={() => remember({ view: 'Table' })}>
            {texts.showInTable}
          </button>
          <Card columns={columns} point={chosen} />
        </>
      )}
    </>
  );
}

/** Rows of one spot that are listed; the buttons step through the others. */
const LISTED = 50;

function RowsHere({ columns, here, chosen, onChoose }: Omit<PointCardProps, 'points'>) {
  const texts = useTexts(MAP_TEXTS);
  return (
    <>
      <p>{texts.rowsHere(here.length)}</p>
      <ul className="pa-rows-here">
        {here.slice(0, LISTED).map((point, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a spot stay in their order
          <li key={index}>
            <button type="button" aria-current={point === chosen} onClick={() => onChoose(point)}>
              {titleOf(point.row, columns)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ columns, point: { row } }: { columns: readonly PlacedColumn[]; point: MapPoint }) {
  return (
    <dl className="pa-card">
      {columns.map((column) => {
        const cell = row.cell(column);
        return cell === null ? null : (
          <div key={column.name}>
            <dt>{column.name}</dt>
            <dd>{formatCell(cell, column.name)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
