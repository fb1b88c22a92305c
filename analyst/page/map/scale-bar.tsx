import { formatNumber } from '../elements/format.js';
import { scaleBar } from './scale.js';

/** A bar for a round number of kilometres or metres, as long as they are in the middle of the map. */
export function ScaleBar({ kilometresPerPixel }: { kilometresPerPixel: number }) {
  const { kilometres, length } = scaleBar(kilometresPerPixel);
  return (
    <div className="pa-scale" style={{ width: length }}>
      {kilometres < 1 ? `${formatNumber(kilometres * 1000)} m` : `${formatNumber(kilometres)} km`}
    </div>
  );
}
