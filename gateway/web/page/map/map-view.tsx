import { useMemo, useState } from 'react';
import type { LayoutRow } from '../../rows/layout.js';
import { Choice } from '../elements/choice.js';
import { textsNow, useTexts } from '../language/texts.js';
import type { ListMemory } from '../lists/list-memory.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { chosenRow } from '../state/page-state.js';
import { rememberList } from '../state/tab-memory.js';
import { useStore } from '../store/store.js';
import { colourBy } from './colours.js';
import { Drawing } from './drawing.js';
import { Legend } from './legend.js';
import { PointCard } from './point-card.js';
import { type PlacedRows, placeRows } from './points.js';
import { MAP_TEXTS } from './texts.js';

/** The rows of a list as points on a map of France, coloured by a column. */
export function MapView({ shown, memory }: { shown: ShownRows; memory: ListMemory }) {
  const [isFitted, setFitted] = useState(false);
  const chosen = useStore(chosenRow);
  const texts = useTexts(MAP_TEXTS);
  const { columns, positions, list } = shown;
  const position = positions.find(({ name }) => name === memory.position) ?? positions[0];
  const placed = useMemo(() => placeRows(shown.rows, position), [shown, position]);
  const column = columns.findIndex(({ name }) => name === memory.colour);
  const cells = useMemo(() => placed.points.map((point) => point.cells[column] ?? null), [placed, column]);
  const colouring = useMemo(() => (column < 0 ? null : colourBy(cells)), [cells, column]);
  const change = (part: Partial<ListMemory>): void => rememberList(list.path, part);
  if (list.rows.length === 0) return <p className="pa-empty">{texts.emptyList}</p>;
  if (position === undefined) return <p className="pa-empty">{texts.noPosition}</p>;
  const { points } = placed;
  const point = points.find(({ row }) => row === chosen) ?? null;
  const choose = (row: LayoutRow | null): void => chosenRow.set(row);
  return (
    <>
      <div className="pa-bar">
        {positions.length > 1 && (
          <Choice
            label={texts.position}
            value={position.name}
            options={positions.map(({ name }) => name)}
            onChoose={(name) => change({ position: name })}
          />
        )}
        <Choice
          label={texts.colour}
          value={column < 0 ? '' : memory.colour}
          options={['', ...columns.map(({ name }) => name)]}
          onChoose={(colour) => change({ colour })}
        />
        <label>
          <input type="checkbox" checked={isFitted} onChange={({ target }) => setFitted(target.checked)} /> {texts.fit}
        </label>
      </div>
      <div className="pa-map">
        <Drawing
          {...{ points, cells, colouring, isFitted, chosen: point }}
          columns={columns}
          onChoose={(next) => choose(next?.row ?? null)}
        />
        <div className="pa-map-side">
          {colouring && <Legend colouring={colouring} />}
          <PointCard columns={columns} points={points} chosen={point} onChoose={({ row }) => choose(row)} />
        </div>
      </div>
      <p className="pa-note">
        {describePlaced(placed)} <span className="pa-credit">{texts.credit}</span>
      </p>
    </>
  );
}

function describePlaced({ points, outside, nowhere }: PlacedRows): string {
  const texts = textsNow(MAP_TEXTS);
  const words = [texts.points(points.length)];
  if (outside > 0) words.push(texts.outside(outside));
  if (nowhere > 0) words.push(texts.nowhere(nowhere));
  return `${words.join(', ')}.`;
}
