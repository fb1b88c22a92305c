import type { Column } from '../../rows/row.js';
import { formatCell } from '../elements/format-cell.js';
import { useTexts } from '../language/texts.js';
import { remember } from '../state/tab-memory.js';
import type { MapPoint } from './points.js';
import { MAP_TEXTS } from './texts.js';

interface PointCardProps {
  columns: readonly Column[];
  points: readonly MapPoint[];
  chosen: MapPoint | null;
  onChoose(point: MapPoint): void;
}

/** The row of the chosen point, with buttons to step through the points by keyboard. */
export function PointCard({ columns, points, chosen, onChoose }: PointCardProps) {
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

function Card({ columns, point }: { columns: readonly Column[]; point: MapPoint }) {
  return (
    <dl className="pa-card">
      {columns.map(({ name }, index) => {
        const cell = point.cells[index] ?? null;
        return cell === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatCell(cell, name)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
