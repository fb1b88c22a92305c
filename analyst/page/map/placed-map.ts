import type { PlacedColumn, Position } from '../../../rows/layout.js';
import type { Steps } from '../../../rows/steps.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { chooseSteps, type ShownRows } from '../lists/shown-rows.js';
import { type Colouring, colourSteps } from './colours.js';
import { nameOf, withoutLegend } from './legend-filter.js';
import { type PlacedRows, placeSteps } from './points.js';

/** The shown rows on the map, with the colours of a column. */
export interface PlacedMap extends PlacedRows {
  readonly list: LoadedList;
  readonly position: Position | undefined;
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
  return { ...placed, list: shown.list, position, colouring };
}

/** The rows that the legend counts, including those that it hides, so that they can be shown again in their colour. */
function* rowsOfLegend(shown: ShownRows, { name }: PlacedColumn): Steps<ShownRows['rows']> {
  const { choice, list } = shown;
  const where = withoutLegend(choice.where, nameOf(name, choice));
  if (where === choice.where) return shown.rows;
  return (yield* chooseSteps(list, { choice: { ...choice, where, order: null }, hidesUniform: false })).rows;
}
