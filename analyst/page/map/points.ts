import { ownValue } from '../../../kernel/text.js';
import { type LayoutRow, type PlacedColumn, type Position, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { RowList } from '../../../rows/lists.js';
import type { JsonObject } from '../../../rows/path.js';
import type { PickedRow } from '../../../rows/row-choice.js';
import type { Steps } from '../../../rows/steps.js';
import { chooseSteps, type LoadedList, loadSteps, type ShownRows } from '../lists/loaded-list.js';
import { type ListMemory, UNTOUCHED } from '../state/tab-memory.js';
import { type Colouring, colourSteps, nameOf, withoutLegend } from './colours.js';

/** A row at its position. */
export interface MapPoint {
  readonly latitude: number;
  readonly longitude: number;
  readonly row: LayoutRow;
  readonly colour: number;
  /** The list that the row is of, if that is not the one in front. */
  readonly layer?: Pick<Layer, 'list' | 'columns'>;
}

/** Another list of the response on the same map. */
export interface Layer {
  readonly list: LoadedList;
  readonly columns: readonly PlacedColumn[];
  readonly colour: number;
  readonly points: readonly MapPoint[];
}

/** The rows of a table on the map; rows that are not shown are counted. */
export interface PlacedRows {
  readonly points: readonly MapPoint[];
  /** Rows without a position. */
  readonly nowhere: number;
}

/** How rows become points. */
interface Placing {
  /** Undefined if the list has none. */
  readonly position: Position | undefined;
  /** Null for one colour. */
  readonly colouring: Colouring | null;
  readonly column: PlacedColumn | null;
}

/** Places rows by one of their positions, in steps. */
export function* placeSteps(rows: readonly PickedRow[], { position, colouring, column }: Placing): Steps<PlacedRows> {
  const points: MapPoint[] = [];
  let nowhere = 0;
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const where = position === undefined ? null : row.at(position);
    if (where === null) {
      nowhere += 1;
      continue;
    }
    const colour = colouring === null || column === null ? 0 : colouring.colourOf(row.of.cell(column));
    points.push({ longitude: where[0], latitude: where[1], row: row.of, colour });
  }
  return { points, nowhere };
}

/** The shown rows on the map, with the colours of a column. */
export interface PlacedMap extends PlacedRows {
  readonly list: LoadedList;
  /** The list and its position, by name. */
  readonly of: string;
  /** Null for one colour. */
  readonly colouring: Colouring | null;
}

/** Colours and places the shown rows, in steps. */
export function* mapSteps(
  shown: ShownRows,
  position: Position | undefined,
  column: PlacedColumn | null,
): Steps<PlacedMap> {
  const colouring = column === null ? null : yield* colourSteps(yield* rowsOfLegend(shown, column), column);
  const placed = yield* placeSteps(shown.rows, { position, colouring, column });
  return { ...placed, list: shown.list, colouring, of: `${shown.list.path} ${position?.name}` };
}

/** The rows that the legend counts, including those that it hides, so that they can be shown again in their colour. */
function* rowsOfLegend(shown: ShownRows, { name }: PlacedColumn): Steps<ShownRows['rows']> {
  const { choice, list } = shown;
  const where = withoutLegend(choice.where, nameOf(name, choice));
  if (where === choice.where) return shown.rows;
  return (yield* chooseSteps(list, { choice: { ...choice, where, order: null }, hidesUniform: false })).rows;
}

/** Layers beside the list in front: as many as have colours that are told apart at a glance. */
const MOST_LAYERS = 4;

/** The lists at some paths that have positions of their own, each in its colour, with what was chosen for them, in steps. */
export function* layerSteps(
  data: JsonObject,
  paths: readonly string[],
  memories: Readonly<Record<string, ListMemory>>,
): Steps<readonly Layer[]> {
  const layers: Layer[] = [];
  for (const path of paths) {
    const list = yield* loadSteps(data, path);
    const position = list.layout.positions.find(({ isInherited }) => !isInherited);
    if (position === undefined || layers.length === MOST_LAYERS) continue;
    const { rows, columns } = yield* chooseSteps(list, ownValue(memories, path) ?? UNTOUCHED);
    const { points } = yield* placeSteps(rows, { position, colouring: null, column: null });
    const [layer, colour] = [{ list, columns }, layers.length + 1];
    layers.push({ ...layer, colour, points: points.map((point) => ({ ...point, colour, layer })) });
  }
  return layers;
}

/** The paths of the lists that may be layers beside one: those which are neither part of it nor hold it. */
export function layerPaths(lists: readonly RowList[], front: string): readonly string[] {
  const isApart = (path: string, other: string): boolean => !path.startsWith(other) && !other.startsWith(path);
  const paths: string[] = [];
  for (const { path } of lists) if ([front, ...paths].every((other) => isApart(path, other))) paths.push(path);
  return paths;
}
