import { useMemo } from 'react';
import { useAwaited } from '../elements/effects.js';
import { isInView, type Placement, type Size, seenAt } from './frame.js';
import { INSETS, isOverseas, type Point, project } from './projection.js';

/** A town with its place in the drawing. */
interface Town extends Point {
  readonly name: string;
}

/** The name of a town next to its place, in pixels of the window. */
interface TownLabel extends Point {
  readonly name: string;
  /** Pixels from the place to the start of the name or, if negative, to its end. */
  readonly offset: number;
}

/** A round shape in the window that no name may cover. */
interface Obstacle {
  readonly at: Point;
  readonly radius: number;
}

/** Places the towns of the file, in the order of their size. */
export function placeTowns(towns: readonly (readonly (string | number)[])[]): Town[] {
  return towns.flatMap(([name, longitude, latitude]) => {
    const point = project(Number(longitude), Number(latitude));
    return point === null ? [] : [{ name: String(name), ...point }];
  });
}

/** The space that a label takes in the window. */
interface Room {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Pixels of the window per name: with fewer, it would be crowded. */
const AREA = 8_000;
const CHARACTER = 6.3;
const GAP = 5;
const HALF_LINE = 7;
/** Pixels per unit from which overseas towns are named; below, the names of the départements need the room. */
const OVERSEAS_SCALE = 2.2;

/** The names that fit, starting with the largest towns in view. `towns` must be sorted by size, the largest first. */
export function chooseLabels(
  towns: readonly Town[],
  placement: Placement,
  size: Size,
  obstacles: readonly Obstacle[] = [],
): TownLabel[] {
  const most = Math.max(4, (size.width * size.height) / AREA);
  const labels: TownLabel[] = [];
  const rooms: Room[] = [...corners(size), ...obstacles.map(roomOf)];
  for (const town of towns) {
    const at = seenAt(placement, town);
    if (!isInView(at, size) || (placement.k < OVERSEAS_SCALE && isOverseas(town))) continue;
    const length = town.name.length * CHARACTER;
    for (const offset of offsets(at, obstacles)) {
      const start = at.x + (offset < 0 ? offset - length : offset);
      const room = { left: start, right: start + length, top: at.y - HALF_LINE, bottom: at.y + HALF_LINE };
      if (room.left < 0 || room.right > size.width || room.top < 0 || room.bottom > size.height) continue;
      if (rooms.some((other) => overlap(room, other))) continue;
      rooms.push(room);
      labels.push({ name: town.name, ...at, offset });
      break;
    }
    if (labels.length >= most) break;
  }
  return labels;
}

/** To the right or left of the place, or of the obstacle that covers it. */
function offsets({ x, y }: Point, obstacles: readonly Obstacle[]): [behind: number, before: number] {
  const cover = obstacles.find(({ at, radius }) => Math.hypot(at.x - x, at.y - y) < radius + GAP);
  if (cover === undefined) return [GAP, -GAP];
  return [cover.at.x + cover.radius - x + 2, cover.at.x - cover.radius - x - 2];
}

/** The space of the scale bar and the buttons. */
function corners({ width }: Size): Room[] {
  return [
    { left: 0, right: 125, top: 0, bottom: 30 },
    { left: width - 42, right: width, top: 0, bottom: 108 },
  ];
}

function roomOf({ at: { x, y }, radius }: Obstacle): Room {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

function overlap(one: Room, other: Room): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

let loaded: readonly Town[] = [];

/** The towns, loaded when a map is first shown; rejects without their file, and the map has no names. */
async function loadTowns(): Promise<readonly Town[]> {
  if (loaded.length === 0) loaded = placeTowns((await import('./towns.json')).default);
  return loaded;
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
  const towns = useAwaited(loadTowns) ?? loaded;
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
