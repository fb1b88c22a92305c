/** A bar that shows how long a distance is on the map. */
export interface Scale {
  readonly kilometres: number;
  /** Pixels. */
  readonly length: number;
}

/** Maximum length of the bar, in pixels. */
const LONGEST = 110;

/** The longest bar that fits, for 1, 2 or 5 times a power of ten kilometres. */
export function scaleBar(kilometresPerPixel: number): Scale {
  const most = LONGEST * kilometresPerPixel;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [5, 2, 1].find((factor) => factor * power <= most) ?? 1;
  return { kilometres: step * power, length: (step * power) / kilometresPerPixel };
}
