import type { Column } from '../../rows/row.js';
import { remember } from '../state/tab-memory.js';
import type { MapPoint } from './points.js';

interface PointCardProps {
  columns: readonly Column[];
  points: readonly MapPoint[];
  chosen: MapPoint | null;
  onChoose(point: MapPoint): void;
}

/** The row of the chosen point, with buttons to step through the points by keyboard. */
export function PointCard({ columns, points, chosen, onChoose }: PointCardProps) {
  if (points.length === 0) return <p>No row is on the map.</p>;
  const at = chosen === null ? -1 : points.indexOf(chosen);
  const go = (to: number): void => {
    const point = points[(to + points.length) % points.length];
    if (point !== undefined) onChoose(point);
  };
  return (
    <>
      <div className="pa-steps">
        <button type="button" aria-label="Previous point" onClick={() => go(at < 0 ? -1 : at - 1)}>
          ‹
        </button>
        <span role="status">{chosen === null ? 'Click a point for its row.' : `${at + 1} of ${points.length}`}</span>
        <button type="button" aria-label="Next point" onClick={() => go(at + 1)}>
          ›
        </button>
      </div>
      {chosen !== null && (
        <>
          <button type="button" onClick={() => remember({ view: 'Table' })}>
            Show in the table
          </button>
          <Card columns={columns} point={chosen} />
        </>
      )}
    </>
  );
}

function Card({ columns, point }: { columns: readonly Column[]; point: MapPoint }) {
  return (
    <dl className="pa-card">
      {columns.map(({ name }, index) => {
        const cell = point.cells[index] ?? null;
        return cell === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{String(cell)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
