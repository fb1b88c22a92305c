export interface Point {
  readonly kind: 'mission' | 'offer' | 'organization';
  readonly label: string;
  readonly lon: number;
  readonly lat: number;
}

export interface View {
  readonly label: string;
  readonly lon: number;
  readonly lat: number;
  readonly radiusKm: number;
}

const KM_PER_DEGREE = 111.2;

/** Draws the points within a radius into a square of 200 units around its centre, true to distance. Fetches nothing. */
export function drawMap(svg: SVGSVGElement, view: View, points: readonly Point[]): void {
  const scale = 100 / view.radiusKm;
  const shrink = Math.cos((view.lat * Math.PI) / 180);
  const dots = points.flatMap(({ kind, label, lon, lat }) => {
    const x = (lon - view.lon) * KM_PER_DEGREE * shrink * scale;
    const y = (view.lat - lat) * KM_PER_DEGREE * scale;
    if (Math.abs(x) > 108 || Math.abs(y) > 108) return [];
    const dot = element('circle', { class: kind, cx: x, cy: y, r: 2 });
    dot.append(titled(label));
    return [dot];
  });
  const ring = element('circle', { class: 'ring', r: 100 });
  const name = element('text', { x: -108, y: -102 });
  name.textContent = `${view.label}, ${view.radiusKm} km around`;
  svg.replaceChildren(ring, name, ...dots);
}

function titled(label: string): SVGElement {
  const title = element('title', {});
  title.textContent = label;
  return title;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}
