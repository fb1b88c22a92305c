import { formatNumber } from '../elements/format.js';
import { REST } from './colours.js';
import type { Mark, SeenMark } from './marks.js';
import type { Point } from './projection.js';

/** The marks in view: single points as dots, several points as a disc with their number and a ring of their colours. */
export function MarkShapes({ seen, isColoured }: { seen: readonly SeenMark[]; isColoured: boolean }) {
  const single = seen.filter(({ mark }) => mark.points.length === 1);
  const several = seen.filter(({ mark }) => mark.points.length > 1);
  const dots = pathsByColour(single.map(({ mark, at }) => [mark.points[0]?.colour ?? 0, dot(at)]));
  const arcs = pathsByColour(several.flatMap((one) => ringOf(one, isColoured)));
  return (
    <g className="pa-points">
      {dots.map(({ colour, d }) => (
        <path key={colour} className={`pa-dots pa-colour-${colour}`} d={d} />
      ))}
      <path className="pa-discs" d={several.map(({ at, radius }) => circle(at, radius)).join('')} />
      {arcs.map(({ colour, d }) => (
        <path key={colour} className={`pa-ring pa-colour-${colour}`} d={d} />
      ))}
      {several.map(({ mark, at }, index) => (
        // Elements are reused for different marks: creating hundreds of new ones takes longer than a frame.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <text key={index} x={at.x.toFixed(1)} y={(at.y + 3.5).toFixed(1)}>
          {numberOf(mark)}
        </text>
      ))}
    </g>
  );
}

/** Short enough for the disc: `999`, `1.2k`, `12k`. */
function numberOf({ points: { length } }: Mark): string {
  return length < 1_000 ? formatNumber(length) : `${formatNumber(length / 1000, length < 9_950 ? 1 : 0)}k`;
}

/** One path per colour, so that there are few elements. The rest comes first, so as not to cover the other colours. */
function pathsByColour(parts: readonly (readonly [colour: number, d: string])[]): { colour: number; d: string }[] {
  const paths = new Map<number, string>();
  for (const [colour, d] of parts) paths.set(colour, (paths.get(colour) ?? '') + d);
  return [...paths]
    .map(([colour, d]) => ({ colour, d }))
    .sort((one, other) => Number(other.colour === REST) - Number(one.colour === REST));
}

/** Width of the ring around a disc, in pixels, as in the style sheet. */
const RING = 4;

/** The arcs of a ring, one for each colour, in proportion to its points. */
function ringOf({ mark, at, radius }: SeenMark, isColoured: boolean): [colour: number, d: string][] {
  const middle = radius - RING / 2;
  const shares = isColoured ? sharesOf(mark) : ONE_COLOUR;
  return shares.map(({ colour, from, to }) => [
    colour,
    to - from > WHOLE ? circle(at, middle) : arc(at, middle, from, to),
  ]);
}

/** A share of a ring from which it is drawn as whole. */
const WHOLE = 0.999;

/** The part of a ring that a colour takes, clockwise from the top, 0 to 1. */
interface Share {
  readonly colour: number;
  readonly from: number;
  readonly to: number;
}

const ONE_COLOUR: readonly Share[] = [{ colour: 0, from: 0, to: 1 }];

/** Shares already computed, since a mark is drawn in many frames. */
const known = new WeakMap<Mark, readonly Share[]>();

function sharesOf(mark: Mark): readonly Share[] {
  const before = known.get(mark);
  if (before !== undefined) return before;
  const counts = new Map<number, number>();
  for (const { colour } of mark.points) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  let to = 0;
  const shares = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([colour, count]): Share => {
      const from = to;
      to += count / mark.points.length;
      return { colour, from, to };
    });
  known.set(mark, shares);
  return shares;
}

/** A line of zero length with round caps. */
function dot({ x, y }: Point): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
}

function circle({ x, y }: Point, radius: number): string {
  const [r, across] = [radius.toFixed(1), (2 * radius).toFixed(1)];
  return `M${(x - radius).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 1 ${across} 0a${r} ${r} 0 1 1 -${across} 0`;
}

function arc(middle: Point, radius: number, from: number, to: number): string {
  const place = (share: number): string => {
    const angle = 2 * Math.PI * share;
    return `${(middle.x + radius * Math.sin(angle)).toFixed(1)} ${(middle.y - radius * Math.cos(angle)).toFixed(1)}`;
  };
  return `M${place(from)}A${radius.toFixed(1)} ${radius.toFixed(1)} 0 ${to - from > 0.5 ? 1 : 0} 1 ${place(to)}`;
}
