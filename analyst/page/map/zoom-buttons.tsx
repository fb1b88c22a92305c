import { useTexts } from '../language/texts.js';
import { MAP_TEXTS } from './texts.js';

interface ZoomButtonsProps {
  zoomBy(factor: number): void;
  onFit(): void;
}

/** Zooms in and out, and fits the map to the points. */
export function ZoomButtons({ zoomBy, onFit }: ZoomButtonsProps) {
  const texts = useTexts(MAP_TEXTS);
  const buttons = [
    [texts.zoomIn, '+', () => zoomBy(2)],
    [texts.zoomOut, '−', () => zoomBy(0.5)],
    [texts.fit, '⤢', onFit],
  ] as const;
  return (
    <div className="pa-zoom">
      {buttons.map(([label, sign, act]) => (
        <button key={sign} type="button" aria-label={label} title={label} onClick={act}>
          {sign}
        </button>
      ))}
    </div>
  );
}
