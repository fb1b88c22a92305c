import type { LayoutRow, PlacedColumn } from '../../../rows/layout.js';
import { Button, SignButton } from '../elements/controls.js';
import { formatCell, labelsOfColumns } from '../labels/labels.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { RowPanel } from '../lists/row-panel.js';
import { textsNow, useTexts } from '../state/language.js';
import { remember } from '../state/page-state.js';
import type { MapPoint } from './points.js';
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
        <SignButton label={texts.previous} sign="‹" onClick={() => go(at < 0 ? -1 : at - 1)} />
        <span role="status">{chosen === null ? texts.click : texts.place(at + 1, points.length)}</span>
        <SignButton label={texts.next} sign="›" onClick={() => go(at + 1)} />
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

/** Values shown besides the title. */
const SHOWN = 4;

/** What is under the pointer: the title and the first values of a row, or how many rows there are, as an element. */
export function tipOf(points: readonly MapPoint[], ofFront: readonly PlacedColumn[], comesApart = false): HTMLElement {
  const texts = textsNow(MAP_TEXTS);
  const [point] = points;
  if (point === undefined || points.length > 1) {
    return tip(texts.rowsHere(points.length), [comesApart ? texts.clickToZoom : texts.clickToList]);
  }
  const columns = point.layer?.columns ?? ofFront;
  const labels = labelsOfColumns(columns.map(({ name }) => name));
  const title = titleColumn(columns);
  const values = columns.flatMap((column) => {
    const cell = point.row.cell(column);
    const { name } = column;
    if (column === title || cell === null || isCoordinate(name)) return [];
    return [`${labels[name] ?? name}: ${formatCell(cell, name)}`];
  });
  return tip(titleOf(point.row, columns), values.slice(0, SHOWN));
}

function tip(title: string, lines: readonly string[]): HTMLElement {
  const element = document.createElement('div');
  const parts = [title, ...lines].map((text, at) => {
    const part = document.createElement(at === 0 ? 'strong' : 'div');
    part.textContent = text;
    return part;
  });
  element.append(...parts);
  return element;
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
