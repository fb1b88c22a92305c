import { useMemo, useState } from 'react';
import type { Table } from '../../rows/table.js';
import { formatCount } from '../elements/format.js';
import { chosenRow } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { colourBy } from './colours.js';
import { Drawing } from './drawing.js';
import { Legend } from './legend.js';
import { PointCard } from './point-card.js';
import { type PlacedRows, placeRows } from './points.js';

/** The rows of a list as points on a map of France, coloured by a column. */
export function MapView({ table }: { table: Table }) {
  const [positionName, setPosition] = useState(table.positions[0]?.name ?? '');
  const [colourColumn, setColour] = useState('');
  const [isFitted, setFitted] = useState(false);
  const chosen = useStore(chosenRow);
  const position = table.positions.find(({ name }) => name === positionName);
  const placed = useMemo(() => placeRows(table, position), [table, position]);
  const column = table.columns.findIndex(({ name }) => name === colourColumn);
  const cells = useMemo(() => placed.points.map((point) => point.cells[column] ?? null), [placed, column]);
  const colouring = useMemo(() => (column < 0 ? null : colourBy(cells)), [cells, column]);
  if (position === undefined) return <p className="pa-empty">{NO_POSITION}</p>;
  const { points } = placed;
  const point = chosen?.table === table ? (points.find(({ row }) => row === chosen.row) ?? null) : null;
  const choose = (row: number | null): void => chosenRow.set(row === null ? null : { table, row });
  return (
    <>
      <div className="pa-bar">
        {table.positions.length > 1 && (
          <Choice
            label="Position"
            value={positionName}
            options={table.positions.map(({ name }) => name)}
            onChoose={setPosition}
          />
        )}
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
          {...{ points, cells, colouring, isFitted, chosen: point }}
          columns={table.columns}
          onChoose={(next) => choose(next?.row ?? null)}
        />
        <div className="pa-map-side">
          {colouring && <Legend colouring={colouring} />}
          <PointCard columns={table.columns} points={points} chosen={point} onChoose={({ row }) => choose(row)} />
        </div>
      </div>
      <p className="pa-note">
        {describePlaced(placed)} <span className="pa-credit">{CREDIT}</span>
      </p>
    </>
  );
}

const NO_POSITION =
  'These rows have no position. Select location { lon lat }, geopoint { type coordinates } or localisation { centre { type coordinates } }.';

/** Both licences require attribution. */
const CREDIT = 'Outlines: svg-maps, CC BY 4.0; overseas IGN Admin Express 2018, Licence Ouverte.';

function describePlaced({ points, outside, nowhere }: PlacedRows): string {
  const words = [formatCount(points.length, 'point')];
  if (outside > 0) words.push(`${formatCount(outside, 'row')} outside the map`);
  if (nowhere > 0) words.push(`${formatCount(nowhere, 'row')} without a position`);
  return `${words.join(', ')}.`;
}

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
