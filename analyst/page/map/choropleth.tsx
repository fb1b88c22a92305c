import { formatNumber } from '../elements/format.js';
import { DRAWING, drawnOutlines } from './outlines.js';
import './map.css';

interface ChoroplethProps {
  label: string;
  /** By official code. */
  values: ReadonlyMap<string, number>;
}

const SHAPES = drawnOutlines();

/** Shades of one colour. */
const SHADES = ['#fee5d9', '#fcae91', '#fb6a4a', '#de2d26', '#a50f15'] as const;

/** The départements of France: the greater their value, the darker. */
export function Choropleth({ label, values }: ChoroplethProps) {
  const bounds = quantiles([...values.values()]);
  const levelOf = (value: number): number => bounds.filter((bound) => value >= bound).length;
  return (
    <figure className="pa-choropleth">
      <svg viewBox={`0 0 ${DRAWING.width} ${DRAWING.height}`} role="img" aria-label={label}>
        {SHAPES.map(({ code, name, path }) => {
          const value = values.get(code);
          return (
            <path key={code} d={path} fill={value === undefined ? 'transparent' : SHADES[levelOf(value)]}>
              <title>{`${name} (${code}): ${value === undefined ? '–' : formatNumber(value, 2)}`}</title>
            </path>
          );
        })}
      </svg>
      <figcaption>
        <ul className="pa-legend">
          {[...new Set([...values.values()].map(levelOf))]
            .sort((one, other) => one - other)
            .map((level) => {
              const own = [...values.values()].filter((value) => levelOf(value) === level);
              return (
                <li key={level}>
                  <svg viewBox="0 0 10 10" aria-hidden="true">
                    <rect fill={SHADES[level]} width="10" height="10" />
                  </svg>{' '}
                  {[...new Set([Math.min(...own), Math.max(...own)])].map((end) => formatNumber(end, 2)).join(' – ')}
                </li>
              );
            })}
        </ul>
      </figcaption>
    </figure>
  );
}

function quantiles(values: readonly number[]): number[] {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  return Array.from(
    { length: SHADES.length - 1 },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / SHADES.length)] ?? Infinity,
  );
}
