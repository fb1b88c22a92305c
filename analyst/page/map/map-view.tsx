import { useCallback, useMemo, useState } from 'react';
import type { LayoutRow, PlacedColumn, Position } from '../../../rows/layout.js';
import type { RowList } from '../../../rows/lists.js';
import { Button, Checkbox, Choice } from '../elements/controls.js';
import { useSteps } from '../elements/effects.js';
import { formatNumber } from '../elements/format.js';
import { formatCell, useLabels } from '../labels/labels.js';
import { sayExtent } from '../lists/extent.js';
import type { ShownRows, ViewProps } from '../lists/loaded-list.js';
import { textsNow, useTexts } from '../state/language.js';
import { changePage, rememberList, usePage, useTabMemory } from '../state/page-state.js';
import { outcomeOf } from '../state/query-result.js';
import type { ListMemory } from '../state/tab-memory.js';
import { afterClick, type ColourClass, type Colouring, isShown, nameOf, PALETTE } from './colours.js';
import { FranceMap, type SearchArea, useSearchArea } from './france-map.js';
import { PointCard } from './point-card.js';
import {
  type Layer,
  layerPaths,
  layerSteps,
  type MapPoint,
  mapSteps,
  type PlacedMap,
  type PlacedRows,
} from './points.js';
import { MAP_TEXTS } from './texts.js';
// After the library's own styles.
import './map.css';

/** The rows of a list as points on a map of France, coloured by a column; those of the response's other lists are layers. */
export function MapView({ result, shown, extent, memory, lists }: ViewProps & { lists: readonly RowList[] }) {
  const chosen = usePage(({ row }) => row);
  const texts = useTexts(MAP_TEXTS);
  const [here, setHere] = useState<readonly MapPoint[]>([]);
  const { columns, positions, list, choice } = shown;
  const position = positions.find(({ name }) => name === memory.position) ?? positions[0];
  const column = columns.find(({ name }) => name === memory.colour) ?? null;
  const begin = useCallback(() => mapSteps(shown, position, column), [shown, position, column]);
  const { value: placed } = useSteps(begin);
  const layers = useLayers(shown, lists);
  const isHidden = (path: string): boolean => memory.hiddenLayers.includes(path);
  const all = useMemo(() => withLayers(placed, layers, memory.hiddenLayers), [placed, layers, memory.hiddenLayers]);
  const area = useSearchArea(result);
  const change = (part: Partial<ListMemory>): void => rememberList(list.path, part);
  if (list.rows.length === 0) return <p className="pa-empty">{texts.emptyList}</p>;
  if (position === undefined) {
    return <p className="pa-empty">{outcomeOf(result) === 'whole' ? texts.noPosition : texts.noPositionCame}</p>;
  }
  if (placed === undefined || all === undefined) return null;
  const { colouring } = placed;
  const { points } = all;
  const point = points.find(({ row }) => row === chosen) ?? null;
  const choose = (row: LayoutRow | null): void => changePage({ row });
  return (
    <>
      <MapBar {...{ shown, position, column, onChange: change }} />
      <div className="pa-map">
        <FranceMap
          {...{ points, columns, area, chosen: point, frame: memory.frame, of: placed.of }}
          onChoose={(clicked) => {
            setHere(clicked);
            // Repeated clicks on one spot go through its rows.
            choose(clicked[(point === null ? -1 : clicked.indexOf(point)) + 1]?.row ?? clicked[0]?.row ?? null);
          }}
          onFrame={(frame) => change({ frame })}
        />
        <div className="pa-map-side">
          {layers.length > 0 && (
            <LayerSwitches
              of={[{ list, colour: 0, points: placed.points }, ...layers]}
              isHidden={isHidden}
              onToggle={(path) => {
                const others = memory.hiddenLayers.filter((other) => other !== path);
                change({ hiddenLayers: isHidden(path) ? others : [...others, path] });
              }}
            />
          )}
          {colouring && column && (
            <Legend
              column={column.name}
              colouring={colouring}
              isShown={(one) => isShown(choice.where, nameOf(column.name, choice), one)}
              onClick={(value) => {
                const where = afterClick(memory.choice.where, nameOf(column.name, choice), value);
                change({ choice: { ...memory.choice, where } });
              }}
            />
          )}
          <PointCard
            {...{ list, columns, points, here, chosen: point }}
            onChoose={({ row }) => choose(row)}
            onClose={() => choose(null)}
          />
        </div>
      </div>
      <p className="pa-note">
        {describePlaced(placed, sayExtent(extent, list.path), area)} <span className="pa-credit">{texts.credit}</span>
      </p>
    </>
  );
}

interface MapBarProps {
  shown: ShownRows;
  position: Position;
  column: PlacedColumn | null;
  onChange(part: Partial<ListMemory>): void;
}

/** Chooses which of its positions a row stands at, and what colours it. */
function MapBar({ shown: { positions, columns }, position, column, onChange }: MapBarProps) {
  const texts = useTexts(MAP_TEXTS);
  const labels = useLabels([...columns, ...positions].map(({ name }) => name));
  return (
    <div className="pa-bar">
      {positions.length > 1 && (
        <Choice
          label={texts.position}
          value={position.name}
          options={positions.map(({ name }) => name)}
          titles={labels}
          onChoose={(name) => onChange({ position: name, frame: null })}
        />
      )}
      <Choice
        label={texts.colour}
        value={column === null ? '' : column.name}
        options={['', ...columns.map(({ name }) => name)]}
        titles={labels}
        onChoose={(colour) => onChange({ colour })}
      />
    </div>
  );
}

const NO_LAYERS: readonly Layer[] = [];

/** The other lists of the response that have positions of their own. */
function useLayers({ list: { data, path } }: ShownRows, lists: readonly RowList[]): readonly Layer[] {
  const { lists: memories } = useTabMemory();
  const begin = useCallback(() => layerSteps(data, layerPaths(lists, path), memories), [data, lists, path, memories]);
  return useSteps(begin).value ?? NO_LAYERS;
}

/** The points of the list in front and of the layers, without those that are hidden. */
function withLayers(
  placed: PlacedMap | undefined,
  layers: readonly Layer[],
  hidden: readonly string[],
): PlacedMap | undefined {
  if (placed === undefined || layers.length === 0) return placed;
  const own = hidden.includes(placed.list.path) ? [] : placed.points;
  const others = layers.filter(({ list }) => !hidden.includes(list.path)).flatMap(({ points }) => points);
  return { ...placed, points: [...own, ...others] };
}

interface LayerSwitchesProps {
  of: readonly Pick<Layer, 'list' | 'colour' | 'points'>[];
  isHidden(path: string): boolean;
  onToggle(path: string): void;
}

/** The lists on the map with their colours, each of which can be hidden. */
function LayerSwitches({ of, isHidden, onToggle }: LayerSwitchesProps) {
  const texts = useTexts(MAP_TEXTS);
  const labels = useLabels(of.map(({ list }) => list.path));
  return (
    <fieldset className="pa-layers">
      <legend>{texts.layers}</legend>
      {of.map(({ list: { path }, colour, points }) => (
        <Checkbox key={path} isChecked={!isHidden(path)} onCheck={() => onToggle(path)}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <circle cx="5" cy="5" r="4" fill={PALETTE[colour]} />
          </svg>{' '}
          <span title={path}>{labels[path] ?? path}</span> ({formatNumber(points.length)})
        </Checkbox>
      ))}
    </fieldset>
  );
}

function describePlaced({ points, nowhere }: PlacedRows, extent: string, area: SearchArea | null): string {
  const texts = textsNow(MAP_TEXTS);
  const words = [texts.points(points.length), ...(nowhere > 0 ? [texts.nowhere(nowhere)] : []), extent];
  return `${words.join(', ')}.${area === null ? '' : ` ${texts.searched(formatNumber(area.kilometres, 1))}`}`;
}

interface LegendProps {
  /** Title of the coloured column. */
  column: string;
  colouring: Colouring;
  isShown(one: ColourClass): boolean;
  onClick(value: NonNullable<ColourClass['value']>): void;
}

/** The meaning of each colour; a click leaves the rows of one value, or all again. */
function Legend({ column, colouring: { classes }, isShown, onClick }: LegendProps) {
  const texts = useTexts(MAP_TEXTS);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else
    <div role="group" aria-label={texts.legend(useLabels([column])[column] ?? column)}>
      <ul className="pa-legend">
        {classes.map((one) => (
          <li key={one.colour}>
            <Button
              aria-pressed={isShown(one)}
              disabled={one.value === null}
              title={texts.theseAlone}
              onClick={() => one.value !== null && onClick(one.value)}
            >
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <path stroke={PALETTE[one.colour]} d="M5 5h0" strokeWidth="8" />
              </svg>{' '}
              <span>{one.value === null ? texts.rest : formatCell(one.value, column)}</span> ({formatNumber(one.count)})
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
