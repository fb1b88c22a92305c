import { useTexts } from '../language/texts.js';
import type { Colouring } from './colours.js';
import { MAP_TEXTS } from './texts.js';

/** The meaning of each colour. */
export function Legend({ colouring: { classes } }: { colouring: Colouring }) {
  const texts = useTexts(MAP_TEXTS);
  return (
    <ul className="pa-legend">
      {classes.map(({ colour, label, count }) => (
        <li key={colour} title={texts.points(count)}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <path className={`pa-colour-${colour}`} d="M5 5h0" strokeWidth="8" />
          </svg>{' '}
          {label} ({count})
        </li>
      ))}
    </ul>
  );
}
