import type { Column } from '../../rows/row.js';
import { formatCell } from '../elements/format-cell.js';
import { textsNow } from '../language/texts.js';
import type { MapPoint } from './points.js';
import { MAP_TEXTS } from './texts.js';

interface PointTipProps {
  /** Position within the frame, in CSS pixels. */
  x: number;
  y: number;
  /** The rows on the spot. */
  points: readonly MapPoint[];
  columns: readonly Column[];
}

/** Values shown besides the title. */
const SHOWN = 4;

/** CSS pixels that the tip needs above the point; with less, it is shown below. */
const ROOM = 130;

/** The row under the pointer: its title and its first values. */
export function PointTip({ x, y, points, columns }: PointTipProps) {
  const cells = points[0]?.cells ?? [];
  const title = titleColumn(columns);
  const values = columns.flatMap(({ name }, index) =>
    index === title || cells[index] == null || isCoordinate(name)
      ? []
      : [{ name, value: formatCell(cells[index] ?? null, name) }],
  );
  return (
    <div
      className={y < ROOM ? 'pa-tip pa-tip-below' : 'pa-tip'}
      style={{ left: `clamp(9em, ${x}px, 100% - 9em)`, top: y }}
      aria-hidden="true"
    >
      <strong>{String(cells[title] ?? textsNow(MAP_TEXTS).row)}</strong>
      {values.slice(0, SHOWN).map(({ name, value }) => (
        <div key={name}>
          {name}: {value}
        </div>
      ))}
      {points.length > 1 && <em>{textsNow(MAP_TEXTS).more(points.length - 1)}</em>}
    </div>
  );
}

/** The column with the name of a row: its title or name, or else the first one. */
function titleColumn(columns: readonly Column[]): number {
  const own = columns.findIndex(({ name, isInherited }) => !isInherited && /^(title|nom|name|label)$/.test(name));
  const any = own < 0 ? columns.findIndex(({ name }) => /[./](title|nom|name|label)$/.test(name)) : own;
  return Math.max(0, any);
}

function isCoordinate(name: string): boolean {
  return /(^|[./])(lon|lat|longitude|latitude|coordinates|type)$/.test(name);
}
