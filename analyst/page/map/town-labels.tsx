import { useEffect, useMemo, useState } from 'react';
import type { Placement, Size } from './frame.js';
import { seenAt } from './frame.js';
import { INSETS } from './projection.js';
import { chooseLabels, type Obstacle, placeTowns, type Town } from './towns.js';

let loaded: readonly Town[] = [];

/** The towns, loaded when a map is first shown; empty until then. */
function useTowns(): readonly Town[] {
  const [towns, setTowns] = useState(loaded);
  useEffect(() => {
    let isGone = false;
    // Also if they are loaded: another map may have loaded them since this one was rendered.
    import('./towns.json').then(
      ({ default: rows }) => {
        if (loaded.length === 0) loaded = placeTowns(rows);
        if (!isGone) setTowns(loaded);
      },
      () => {}, // Without the file, the map has no names.
    );
    return () => {
      isGone = true;
    };
  }, []);
  return towns;
}

/** Scale, in pixels per unit, from which the names of the insets have room next to each other. */
const NAMED_INSETS = 0.56;

interface TownLabelsProps {
  placement: Placement;
  size: Size;
  /** Marks of several points, which no name may cover. */
  obstacles: readonly Obstacle[];
}

/** The names of towns and of the overseas départements. */
export function TownLabels({ placement, size, obstacles }: TownLabelsProps) {
  const towns = useTowns();
  const labels = useMemo(() => chooseLabels(towns, placement, size, obstacles), [towns, placement, size, obstacles]);
  return (
    <g className="pa-towns">
      {labels.map(({ name, x, y, offset }) => (
        <g key={`${name} ${x} ${y}`} transform={`translate(${x.toFixed(1)},${y.toFixed(1)})`}>
          <circle r="1.5" />
          <text x={offset} y="4" className={offset < 0 ? 'pa-before' : ''}>
            {name}
          </text>
        </g>
      ))}
      {placement.k >= NAMED_INSETS &&
        INSETS.map(({ code, name, x, y, side }) => {
          const at = seenAt(placement, { x: x + side / 2, y });
          return (
            <text key={code} className="pa-inset-name" x={at.x} y={at.y - 3}>
              {name}
            </text>
          );
        })}
    </g>
  );
}
