import { formatNumber } from '../elements/format.js';
import { formatCell } from '../elements/format-cell.js';
import { textsNow, useTexts } from '../language/texts.js';
import type { ColourClass, Colouring } from './colours.js';
import { MAP_TEXTS } from './texts.js';

interface LegendProps {
  /** Title of the coloured column. */
  column: string;
  colouring: Colouring;
  /** Colours of classes whose rows are filtered out. */
  hidden: ReadonlySet<number>;
  onClick(clicked: ColourClass): void;
}

/** The meaning of each colour; a click filters the rows by it. */
export function Legend({ column, colouring: { classes, isByRange }, hidden, onClick }: LegendProps) {
  const texts = useTexts(MAP_TEXTS);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else
    <div role="group" aria-label={texts.legend(column)}>
      <ul className="pa-legend">
        {classes.map((one) => (
          <li key={one.colour}>
            <button
              type="button"
              aria-pressed={!hidden.has(one.colour)}
              title={isByRange ? texts.onlyThis : texts.hideOrShow}
              onClick={() => onClick(one)}
            >
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <path className={`pa-colour-${one.colour}`} d="M5 5h0" strokeWidth="8" />
              </svg>{' '}
              <span>{labelOf(one, column)}</span> ({formatNumber(one.count)})
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function labelOf({ of }: ColourClass, column: string): string {
  if (of === null) return textsNow(MAP_TEXTS).rest;
  if ('value' in of) return formatCell(of.value, column);
  return [...new Set([of.from, of.to])].map((end) => formatNumber(end, 2)).join(' – ');
}
