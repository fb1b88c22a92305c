import type { PlacedColumn } from '../../../rows/layout.js';
import { formatCell } from '../elements/format-cell.js';
import { textsNow } from '../language/texts.js';
import { isOneSpot, type Mark } from './marks.js';
import type { Point } from './projection.js';
import { MAP_TEXTS } from './texts.js';
import { titleColumn, titleOf } from './title-column.js';

interface PointTipProps {
  /** Position within the frame, in CSS pixels. */
  at: Point;
  mark: Mark;
  columns: readonly PlacedColumn[];
}

/** Values shown besides the title. */
const SHOWN = 4;

/** CSS pixels that the tip needs above the point; if there are fewer, it is shown below. */
const ROOM = 130;

/** What is under the pointer: the title and the first values of a row, or how many rows there are. */
export function PointTip({ at: { x, y }, mark, columns }: PointTipProps) {
  return (
    <div
      className={y < ROOM ? 'pa-tip pa-tip-below' : 'pa-tip'}
      style={{ left: `clamp(9em, ${x}px, 100% - 9em)`, top: y }}
      aria-hidden="true"
    >
      {mark.points.length === 1 ? <OneRow mark={mark} columns={columns} /> : <SeveralRows mark={mark} />}
    </div>
  );
}

function OneRow({ mark: { points }, columns }: Pick<PointTipProps, 'mark' | 'columns'>) {
  const [point] = points;
  if (point === undefined) return null;
  const title = titleColumn(columns);
  const values = columns.flatMap((column) => {
    const cell = point.row.cell(column);
    return column === title || cell === null || isCoordinate(column.name) ? [] : [{ name: column.name, cell }];
  });
  return (
    <>
      <strong>{titleOf(point.row, columns)}</strong>
      {values.slice(0, SHOWN).map(({ name, cell }) => (
        <div key={name}>
          {name}: {formatCell(cell, name)}
        </div>
      ))}
    </>
  );
}

function SeveralRows({ mark }: { mark: Mark }) {
  const texts = textsNow(MAP_TEXTS);
  return (
    <>
      <strong>{texts.rowsHere(mark.points.length)}</strong>
      <div>{isOneSpot(mark) ? texts.clickToList : texts.clickToZoom}</div>
    </>
  );
}

function isCoordinate(name: string): boolean {
  return /(^|[./])(lon|lat|longitude|latitude|coordinates|type)$/.test(name);
}
