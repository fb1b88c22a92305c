import L from 'leaflet';
import Supercluster from 'supercluster';
import 'leaflet/dist/leaflet.css';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PlacedColumn } from '../../../rows/layout.js';
import { readPlace } from '../../questions/question.js';
import TOWNS from '../../questions/towns.json' with { type: 'json' };
import { centreOf } from '../ask/known.js';
import { SignButton } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { formatNumber } from '../elements/format.js';
import { useTexts } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';
import type { MapFrame } from '../state/tab-memory.js';
import { PALETTE } from './colours.js';
import { OUTLINES } from './outlines.js';
import { tipOf } from './point-card.js';
import type { MapPoint } from './points.js';
import { MAP_TEXTS } from './texts.js';

interface FranceMapProps {
  points: readonly MapPoint[];
  /** Changes when the points are of another list or position: the map then shows where they are. */
  of: unknown;
  columns: readonly PlacedColumn[];
  /** Where the question searched. */
  area: SearchArea | null;
  chosen: MapPoint | null;
  /** Called with the points of the mark that was clicked. */
  onChoose(points: readonly MapPoint[]): void;
  /** Where the reader moved the map; null to show where the points are. */
  frame: MapFrame | null;
  onFrame(frame: MapFrame): void;
}

const METROPOLITAN = L.latLngBounds([41.3, -5.2], [51.1, 9.6]);
/** Points that span more than this share of it are shown with all of France. */
const SPREAD = 0.45;
/** As close as outlines are accurate. */
const CLOSEST = 15;

/** Outlines, towns and points on a map without tiles, which loads nothing. Points near to each other share a mark. */
export function FranceMap(props: FranceMapProps) {
  const { points, of, columns, area, chosen, frame } = props;
  const element = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<L.Map | null>(null);
  const texts = useTexts(MAP_TEXTS);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const showAll = (): void => {
    map?.fitBounds(boundsOf(points, area), { padding: [24, 24], maxZoom: 12 });
  };
  useEffect(() => {
    if (element.current === null) return;
    const created = createMap(element.current);
    setMap(created);
    const sizes = new ResizeObserver(() => created.invalidateSize({ pan: false }));
    sizes.observe(element.current);
    return () => {
      sizes.disconnect();
      created.remove();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a filter that changes the points moves nothing
  useEffect(() => {
    if (map === null) return;
    if (frame === null) showAll();
    else map.setView([frame.latitude, frame.longitude], frame.zoom, { animate: false });
    // Only what the reader moves is remembered.
    const moved = (): void => {
      const { lat, lng } = map.getCenter();
      latest.current.onFrame({ latitude: lat, longitude: lng, zoom: map.getZoom() });
    };
    // Where a key moves to is known at the end of its way there.
    const movesByKey = (): void => void map.once('moveend', moved);
    map.on('dragend zoomend', moved).on('keydown', movesByKey);
    return () => void map.off('dragend zoomend moveend', moved).off('keydown', movesByKey);
  }, [map, of, area]);
  useEffect(() => {
    if (map === null) return;
    const control = L.control.zoom({ zoomInTitle: texts.zoomIn, zoomOutTitle: texts.zoomOut }).addTo(map);
    return () => void control.remove();
  }, [map, texts]);
  useEffect(() => {
    if (map === null || area === null) return;
    const options = { radius: 1000 * area.kilometres, className: 'pa-search-area', interactive: false };
    const circle = L.circle([area.latitude, area.longitude], options).addTo(map);
    return () => void circle.remove();
  }, [map, area]);
  useEffect(() => {
    if (map === null) return;
    const choose = (clicked: readonly MapPoint[]): void => latest.current.onChoose(clicked);
    const remove = drawPoints(map, { points, columns, choose });
    return () => remove();
  }, [map, points, columns]);
  useEffect(() => {
    if (map === null || chosen === null) return;
    const at = L.latLng(chosen.latitude, chosen.longitude);
    if (!map.getBounds().contains(at)) map.panTo(at);
    const mark = L.circleMarker(at, { radius: 9, className: 'pa-chosen', interactive: false }).addTo(map);
    return () => void mark.remove();
  }, [map, chosen]);
  return (
    <div className="pa-drawing-frame">
      <div
        ref={element}
        className="pa-drawing"
        role="application"
        aria-label={texts.keys}
        onKeyDown={({ key }) => key === '0' && showAll()}
      />
      <SignButton className="pa-fit" label={texts.fit} sign="⤢" title={texts.fit} onClick={showAll} />
    </div>
  );
}

function createMap(element: HTMLElement): L.Map {
  const animates = !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const options = { attributionControl: false, zoomControl: false, zoomSnap: 0.5, minZoom: 3, maxZoom: CLOSEST };
  // A zoom that is animated ends after the map is gone, and fails.
  const map = L.map(element, { ...options, zoomAnimation: false, fadeAnimation: animates, inertia: animates });
  map.fitBounds(METROPOLITAN);
  L.control.scale({ imperial: false }).addTo(map);
  for (const { code, name, lines } of OUTLINES) {
    const corners = lines.map((line) => line.map(([lon, lat]): L.LatLngTuple => [lat, lon]));
    const outline = L.polygon(corners, { className: 'pa-outline', weight: 0.7 });
    outline.bindTooltip(`${name} (${code})`, { sticky: true, className: 'pa-tip', opacity: 1 }).addTo(map);
  }
  nameTowns(map);
  return map;
}

/** The search area, or the points if they are near to each other, or all of France. */
function boundsOf(points: readonly MapPoint[], area: SearchArea | null): L.LatLngBounds {
  if (area !== null) return L.latLng(area.latitude, area.longitude).toBounds(2000 * area.kilometres);
  const bounds = L.latLngBounds(points.map(({ latitude, longitude }): L.LatLngTuple => [latitude, longitude]));
  const isWide =
    !bounds.isValid() ||
    bounds.getEast() - bounds.getWest() > SPREAD * (METROPOLITAN.getEast() - METROPOLITAN.getWest()) ||
    bounds.getNorth() - bounds.getSouth() > SPREAD * (METROPOLITAN.getNorth() - METROPOLITAN.getSouth());
  return isWide ? METROPOLITAN : bounds;
}

/** What a mark of several points keeps of them: how many have each colour. */
type Colours = Record<number, number>;
interface Own {
  readonly point: MapPoint;
}

interface Drawn {
  readonly points: readonly MapPoint[];
  readonly columns: readonly PlacedColumn[];
  choose(points: readonly MapPoint[]): void;
}

/** Draws the marks in view, again whenever the map has moved. */
function drawPoints(map: L.Map, { points, columns, choose }: Drawn): () => void {
  const index = new Supercluster<Own, { colours: Colours }>({
    radius: 38,
    maxZoom: CLOSEST,
    map: ({ point }) => ({ colours: { [point.colour]: 1 } }),
    reduce: (all, { colours }) => {
      for (const [colour, count] of Object.entries(colours))
        all.colours[Number(colour)] = (all.colours[Number(colour)] ?? 0) + count;
    },
  });
  index.load(
    points.map((point) => ({
      type: 'Feature',
      properties: { point },
      geometry: { type: 'Point', coordinates: [point.longitude, point.latitude] },
    })),
  );
  const marks = L.layerGroup().addTo(map);
  const leavesOf = (id: number, most: number): MapPoint[] =>
    index.getLeaves(id, most).map(({ properties }) => properties.point);
  const draw = (): void => {
    const bounds = map.getBounds().pad(0.2);
    const zoom = Math.floor(map.getZoom());
    marks.clearLayers();
    const box = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()] as const;
    for (const { geometry, properties } of index.getClusters([...box], zoom)) {
      const at = L.latLng(geometry.coordinates[1] ?? 0, geometry.coordinates[0] ?? 0);
      if (!('cluster_id' in properties)) {
        const { point } = properties;
        const mark = L.circleMarker(at, { radius: 5, className: 'pa-point', fillColor: PALETTE[point.colour] ?? '' });
        mark.bindTooltip(() => tipOf([point], columns), TIP).on('click', () => choose([point]));
        marks.addLayer(mark);
        continue;
      }
      const { cluster_id: id, point_count: count, colours } = properties;
      const mark = clusterMark(at, count, colours);
      const next = index.getClusterExpansionZoom(id);
      mark.bindTooltip(() => tipOf(leavesOf(id, count), columns, next <= CLOSEST), TIP);
      mark.on('click', () => (next > CLOSEST ? choose(leavesOf(id, Number.POSITIVE_INFINITY)) : map.setView(at, next)));
      marks.addLayer(mark);
    }
  };
  draw();
  map.on('moveend', draw);
  return () => {
    map.off('moveend', draw);
    marks.remove();
  };
}

const TIP: L.TooltipOptions = { className: 'pa-tip', opacity: 1, direction: 'top' };

/** A disc with the number of its points and a ring of their colours. */
function clusterMark(at: L.LatLng, count: number, colours: Colours): L.Marker {
  const side = Math.round(22 + 7 * Math.log10(count));
  const number = count < 1000 ? formatNumber(count) : `${formatNumber(count / 1000, count < 9950 ? 1 : 0)}k`;
  const icon = L.divIcon({ className: 'pa-cluster', html: `<span>${number}</span>`, iconSize: [side, side] });
  const mark = L.marker(at, { icon, keyboard: false });
  let end = 0;
  const shares = Object.entries(colours).map(([colour, own]) => {
    const start = end;
    end += (100 * own) / count;
    return `${PALETTE[Number(colour)]} ${start}% ${end}%`;
  });
  return mark.on('add', () => {
    const drawn = mark.getElement();
    if (drawn) drawn.style.background = `conic-gradient(${shares.join(',')})`;
  });
}

/** Pixels that the name of a town takes. */
const NAME = { width: 90, height: 20 };

/** Names the largest towns in view that have room. */
function nameTowns(map: L.Map): void {
  const names = L.layerGroup().addTo(map);
  const draw = (): void => {
    names.clearLayers();
    const bounds = map.getBounds();
    const taken: L.Point[] = [];
    for (const [name, longitude, latitude] of TOWNS) {
      const at = L.latLng(Number(latitude), Number(longitude));
      if (!bounds.contains(at)) continue;
      const { x, y } = map.latLngToContainerPoint(at);
      if (taken.some((one) => Math.abs(one.x - x) < NAME.width && Math.abs(one.y - y) < NAME.height)) continue;
      taken.push(L.point(x, y));
      const text = document.createElement('span');
      text.textContent = String(name);
      const icon = L.divIcon({ className: 'pa-town', html: text, iconSize: [0, 0] });
      names.addLayer(L.marker(at, { icon, interactive: false, keyboard: false, zIndexOffset: -1000 }));
    }
  };
  draw();
  map.on('moveend', draw);
}

/** Where a question searched: kilometres around a point. */
export interface SearchArea {
  readonly latitude: number;
  readonly longitude: number;
  readonly kilometres: number;
}

/** Where a question searched, once its centre is known, which takes one call at most; null for other questions. */
export function useSearchArea({ asked }: Pick<QueryResult, 'asked'>): SearchArea | null {
  const [value = ''] = asked?.question.criteria['place'] ?? [];
  const { kind = '', code = '', radius = 0 } = readPlace(value) ?? {};
  const kilometres = kind === 'commune' ? Number(radius) : 0;
  // Missions are measured from the middle of the official extent, offers and courses from here.
  const find = useCallback(async () => (kilometres > 0 ? centreOf(code) : null), [kilometres, code]);
  const centre = useAwaited(find) ?? null;
  return useMemo(() => (centre === null ? null : { ...centre, kilometres }), [centre, kilometres]);
}
