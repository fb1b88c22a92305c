import { useCallback, useState } from 'react';
import type { Extent } from '../../../rows/extent.js';
import type { LayoutRow } from '../../../rows/layout.js';
import { Choice } from '../elements/choice.js';
import { formatNumber } from '../elements/format.js';
import { textsNow, useTexts } from '../language/texts.js';
import type { ListMemory } from '../lists/list-memory.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { useSteps } from '../lists/use-steps.js';
import type { QueryResult } from '../responses/query-result.js';
import { chosenRow } from '../state/page-state.js';
import { rememberList } from '../state/tab-memory.js';
import { useStore } from '../store/store.js';
import { Drawing } from './drawing.js';
import { Legend } from './legend.js';
import { afterClick, hiddenColours, nameOf } from './legend-filter.js';
import { mapSteps } from './placed-map.js';
import { PointCard } from './point-card.js';
import type { MapPoint, PlacedRows } from './points.js';
import type { Search } from './search-area.js';
import { MAP_TEXTS } from './texts.js';
import './map.css';
import './drawing.css';
import './legend.css';
import { useSearchAreas } from './use-search-areas.js';

interface MapViewProps {
  result: QueryResult;
  shown: ShownRows;
  extent: Extent;
  memory: ListMemory;
}

/** The rows of a list as points on a map of France, coloured by a column. */
export function MapView({ result, shown, extent, memory }: MapViewProps) {
  const chosen = useStore(chosenRow);
  const texts = useTexts(MAP_TEXTS);
  const [here, setHere] = useState<readonly MapPoint[]>([]);
  const { columns, positions, list, choice } = shown;
  const position = positions.find(({ name }) => name === memory.position) ?? positions[0];
  const column = columns.find(({ name }) => name === memory.colour) ?? null;
  const begin = useCallback(() => mapSteps(shown, position, column), [shown, position, column]);
  const { value: placed } = useSteps(begin);
  const { search, lines } = useSearchAreas(result, list);
  const change = (part: Partial<ListMemory>): void => rememberList(list.path, part);
  if (list.rows.length === 0) return <p className="pa-empty">{texts.emptyList}</p>;
  if (position === undefined) return <p className="pa-empty">{texts.noPosition}</p>;
  if (placed === undefined) return null;
  const { points, colouring } = placed;
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
            onChoose={(name) => change({ position: name, frame: null })}
          />
        )}
        <Choice
          label={texts.colour}
          value={column === null ? '' : memory.colour}
          options={['', ...columns.map(({ name }) => name)]}
          onChoose={(colour) => change({ colour })}
        />
      </div>
      <div className="pa-map">
        <Drawing
          {...{ placed, columns, chosen: point, frame: memory.frame }}
          areas={lines}
          onChoose={(clicked) => {
            setHere(clicked);
            // Repeated clicks on one spot go through its rows.
            choose(clicked[(point === null ? -1 : clicked.indexOf(point)) + 1]?.row ?? clicked[0]?.row ?? null);
          }}
          onFrame={(frame) => change({ frame })}
        />
        <div className="pa-map-side">
          {colouring && column && (
            <Legend
              column={column.name}
              colouring={colouring}
              hidden={hiddenColours(choice.where, nameOf(column.name, choice), colouring)}
              onClick={(clicked) => {
                const where = afterClick(choice.where, nameOf(column.name, choice), colouring, clicked);
                change({ choice: { ...memory.choice, where } });
              }}
            />
          )}
          <PointCard {...{ columns, points, here, chosen: point }} onChoose={({ row }) => choose(row)} />
        </div>
      </div>
      <p className="pa-note">
        {describePlaced(placed, textsNow(EXTENT_TEXTS).words(extent, list.path), lines.length > 0 ? search : null)}{' '}
        <span className="pa-credit">{texts.credit}</span>
      </p>
    </>
  );
}

function describePlaced({ points, outside, nowhere }: PlacedRows, extent: string, search: Search | null): string {
  const texts = textsNow(MAP_TEXTS);
  const words = [texts.points(points.length)];
  if (outside > 0) words.push(texts.outside(outside));
  if (nowhere > 0) words.push(texts.nowhere(nowhere));
  words.push(extent);
  const searched = search === null ? '' : ` ${texts.searched(formatNumber(search.kilometres, 1), search.isSquare)}`;
  return `${words.join(', ')}.${searched}`;
}
