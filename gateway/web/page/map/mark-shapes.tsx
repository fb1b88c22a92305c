import { memo } from 'react';
import { formatNumber } from '../elements/format.js';
import { REST } from './colours.js';
import type { Mark, SeenMark } from './marks.js';
import type { Point } from './projection.js';

/** The marks in view: single points as one path per colour, several points as a disc with their number. */
export function MarkShapes({ seen, isColoured }: { seen: readonly SeenMark[]; isColoured: boolean }) {
  const several = seen.filter(({ mark }) => mark.points.length > 1);
  return (
    <g className="pa-points">
      {pathsByColour(seen).map(({ colour, d }) => (
        <path key={colour} className={`pa-colour-${colour}`} d={d} />
      ))}
      {several.map(({ mark, at, radius }) => (
        <g key={keyOf(mark)} transform={`translate(${at.x.toFixed(1)},${at.y.toFixed(1)})`}>
          <Disc mark={mark} radius={radius} isColoured={isColoured} />
        </g>
      ))}
    </g>
  );
}

function keyOf({ x, y, points }: Mark): string {
  return `${x} ${y} ${points.length}`;
}

/** Width of the ring of colours around a disc, in pixels. */
const RING = 4;

/** Several points: their number, and in a ring the share of each colour. */
const Disc = memo(function Disc({ mark: { points }, radius, isColoured }: DiscProps) {
  return (
    <>
      <circle className="pa-disc" r={radius} />
      {sharesOf(isColoured ? points : points.slice(0, 1)).map(({ colour, from, share }) => (
        <circle
          key={colour}
          className={`pa-ring pa-colour-${colour}`}
          r={radius - RING / 2}
          pathLength={1}
          transform="rotate(-90)"
          strokeWidth={RING}
          strokeDasharray={`${share} ${1 - share}`}
          strokeDashoffset={-from}
        />
      ))}
      <text y="3.5">
        {points.length < 10_000 ? formatNumber(points.length) : `${formatNumber(points.length / 1000)}k`}
      </text>
    </>
  );
});

interface DiscProps {
  mark: Mark;
  radius: number;
  isColoured: boolean;
}

function sharesOf(points: Mark['points']): { colour: number; from: number; share: number }[] {
  const counts = new Map<number, number>();
  for (const { colour } of points) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  let from = 0;
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([colour, count]) => {
      const share = count / points.length;
      from += share;
      return { colour, share, from: from - share };
    });
}

function pathsByColour(seen: readonly SeenMark[]): { colour: number; d: string }[] {
  const parts = new Map<number, string>();
  for (const { mark, at } of seen) {
    const [point, another] = mark.points;
    if (point !== undefined && another === undefined) {
      parts.set(point.colour, (parts.get(point.colour) ?? '') + dot(at));
    }
  }
  // The rest is drawn first, so that it does not cover the other colours.
  return [...parts]
    .map(([colour, d]) => ({ colour, d }))
    .sort((one, other) => Number(other.colour === REST) - Number(one.colour === REST));
}

/** A line of zero length with round caps. */
function dot({ x, y }: Point): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
}
