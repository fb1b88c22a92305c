import { select } from 'd3-selection';
// Adds `transition()` to selections.
import 'd3-transition';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { looksLike, MAX_SCALE, type Placement, type Size, wholeScale } from './frame.js';
import { DRAWING, type Point } from './projection.js';

/** What to show, and what to call when the user has moved it. */
interface ZoomOptions {
  /** Null before the map is laid out. */
  readonly size: Size | null;
  /** What is shown until a gesture changes it; null before the map is laid out. */
  readonly wanted: Placement | null;
  /** Called at the end of each gesture. */
  onMoved(placement: Placement): void;
}

/** A drawing that can be zoomed and moved by wheel, pinch, drag and double click. */
export interface Zooming {
  /** Where the drawing is now; null before the map is laid out. */
  readonly placement: Placement | null;
  zoomBy(factor: number): void;
  /** Moves by pixels. */
  panBy(right: number, down: number): void;
  centre(point: Point): void;
  show(placement: Placement): void;
}

const ANIMATION_MS = 250;

function animationMs(): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ANIMATION_MS;
}

/** Empty units around the drawing that may come into view. */
const BEYOND = 40;

/** Lets wheel, pinch, drag and double click move a drawing. */
export function useZoom(svg: RefObject<SVGSVGElement | null>, { size, wanted, onMoved }: ZoomOptions): Zooming {
  const [placement, setPlacement] = useState<Placement | null>(null);
  const latest = useRef({ size, wanted, onMoved });
  /** The last placement passed to `onMoved`: by the time it comes back as `wanted`, a new gesture may have started. */
  const told = useRef<Placement | null>(null);
  /** Whether a wheel, pointer or finger is moving it. */
  const isGesture = useRef(false);
  useLayoutEffect(() => {
    latest.current = { size, wanted, onMoved };
  });
  const behaviour = useMemo(() => zoom<SVGSVGElement, unknown>().clickDistance(4), []);
  useLayoutEffect(() => {
    if (svg.current === null) return;
    const selection = select(svg.current);
    behaviour
      .on('start', ({ sourceEvent }: ZoomEvent) => {
        isGesture.current = sourceEvent instanceof Event;
      })
      .on('zoom', ({ transform }: ZoomEvent) => setPlacement(transform))
      .on('end', ({ transform }: ZoomEvent) => {
        isGesture.current = false;
        const { size, wanted, onMoved } = latest.current;
        if (size === null || wanted === null || looksLike(transform, wanted, size)) return;
        told.current = transform;
        onMoved(transform);
      });
    selection.call(behaviour);
    return () => void selection.interrupt().on('.zoom', null);
  }, [svg, behaviour]);
  useLayoutEffect(() => {
    if (svg.current === null || size === null || wanted === null) return;
    behaviour
      .duration(animationMs())
      .extent([
        [0, 0],
        [size.width, size.height],
      ])
      .scaleExtent([0.8 * wholeScale(size), MAX_SCALE])
      .translateExtent([
        [-BEYOND, -BEYOND],
        [DRAWING.width + BEYOND, DRAWING.height + BEYOND],
      ]);
    // A user who is dragging the map while its window changes does not lose hold of it.
    if (isGesture.current || (told.current !== null && looksLike(told.current, wanted, size))) return;
    told.current = null;
    select(svg.current).interrupt().call(behaviour.transform, transformOf(wanted));
  }, [svg, behaviour, size, wanted]);
  const moving = () => {
    if (svg.current === null) return null;
    return select(svg.current).transition().duration(animationMs());
  };
  return {
    placement,
    zoomBy: (factor) => void moving()?.call(behaviour.scaleBy, factor),
    panBy(right, down) {
      const k = placement?.k ?? 1;
      moving()?.call(behaviour.translateBy, -right / k, -down / k);
    },
    centre: ({ x, y }) => void moving()?.call(behaviour.translateTo, x, y),
    show: (next) => void moving()?.call(behaviour.transform, transformOf(next)),
  };
}

type ZoomEvent = D3ZoomEvent<SVGSVGElement, unknown>;

function transformOf({ x, y, k }: Placement): ZoomTransform {
  return zoomIdentity.translate(x, y).scale(k);
}

/** The size of an element once it is laid out; null before. */
export function useSize(element: RefObject<Element | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      const { width, height } = current.getBoundingClientRect();
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
