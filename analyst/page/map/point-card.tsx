import type { LayoutRow, PlacedColumn } from '../../../rows/layout.js';
import { Button } from '../elements/button.js';
import { formatCell, useLabels } from '../labels/labels.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { RowPanel } from '../lists/row-panel.js';
import { textsNow, useTexts } from '../state/language.js';
import { remember } from '../state/page-state.js';
import { isOneSpot, type Mark } from './marks.js';
import type { MapPoint } from './points.js';
import type { Point } from './projection.js';
import { MAP_TEXTS } from './texts.js';

interface PointCardProps {
  list: LoadedList;
  columns: readonly PlacedColumn[];
  points: readonly MapPoint[];
  /** The points of the mark that was clicked. */
  here: readonly MapPoint[];
  chosen: MapPoint | null;
  onChoose(point: MapPoint): void;
  onClose(): void;
}

/** The row of the chosen point, those at the same spot, and buttons to step through all points by keyboard. */
export function PointCard({ list, columns, points, here, chosen, onChoose, onClose }: PointCardProps) {
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
        <Button aria-label={texts.previous} onClick={() => go(at < 0 ? -1 : at - 1)}>
          ‹
        </Button>
        <span role="status">{chosen === null ? texts.click : texts.place(at + 1, points.length)}</span>
        <Button aria-label={texts.next} onClick={() => go(at + 1)}>
          ›
        </Button>
      </div>
      {chosen !== null && here.length > 1 && here.includes(chosen) && (
        <RowsHere columns={columns} here={here} chosen={chosen} onChoose={onChoose} />
      )}
      {chosen !== null && (
        <>
          <Button onClick={() => remember({ view: 'Table', list: (chosen.layer?.list ?? list).path })}>
            {texts.showInTable}
          </Button>
          <RowPanel list={chosen.layer?.list ?? list} row={chosen.row} onClose={onClose} />
        </>
      )}
    </>
  );
}

/** Rows of one spot that are listed; the buttons step through the others. */
const LISTED = 50;

function RowsHere({ columns, here, chosen, onChoose }: Omit<PointCardProps, 'list' | 'points' | 'onClose'>) {
  const texts = useTexts(MAP_TEXTS);
  return (
    <>
      <p>{texts.rowsHere(here.length)}</p>
      <ul className="pa-rows-here">
        {here.slice(0, LISTED).map((point, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a spot stay in their order
          <li key={index}>
            <Button aria-current={point === chosen} onClick={() => onChoose(point)}>
              {titleOf(point.row, point.layer?.columns ?? columns)}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

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

function OneRow({ mark: { points }, columns: ofFront }: Pick<PointTipProps, 'mark' | 'columns'>) {
  const [point] = points;
  const columns = point?.layer?.columns ?? ofFront;
  const labels = useLabels(columns.map(({ name }) => name));
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
          {labels[name] ?? name}: {formatCell(cell, name)}
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

/** The column that names a row: its title or name, or else the first column. */
function titleColumn(columns: readonly PlacedColumn[]): PlacedColumn | undefined {
  return (
    columns.find(({ name, isInherited }) => !isInherited && /^(title|nom|name|label)$/.test(name)) ??
    columns.find(({ name }) => /[./](title|nom|name|label)$/.test(name)) ??
    columns[0]
  );
}

/** The title of a row. */
function titleOf(row: LayoutRow, columns: readonly PlacedColumn[]): string {
  const column = titleColumn(columns);
  return String((column && row.cell(column)) ?? textsNow(MAP_TEXTS).row);
}
