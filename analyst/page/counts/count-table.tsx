import { memo } from 'react';
import type { PlacedColumn } from '../../../rows/layout.js';
import { type CountGroup, FIGURES, type Figure } from '../../../rows/row-counts.js';
import { formatNumber } from '../elements/format.js';
import { useTexts } from '../language/texts.js';
import { COUNT_TEXTS } from './texts.js';

/** Groups that are drawn: nobody reads more bars. */
const DRAWN = 200;

/** What was counted, the groups with the greatest figure first. */
export interface OrderedCounts {
  readonly groups: readonly CountGroup[];
  readonly by: readonly PlacedColumn[];
  readonly of: PlacedColumn | null;
  /** The figure that the bars show and the groups are ordered by. */
  readonly show: Figure;
  /** Rows that were counted. */
  readonly rows: number;
}

/** The groups with their figures, and a bar beside the chosen one; drawn again only when the counts change. */
export const CountTable = memo(function CountTable({ counts, extent }: { counts: OrderedCounts; extent: string }) {
  const { groups, by, of, show, rows } = counts;
  const texts = useTexts(COUNT_TEXTS);
  // The chosen figure is next to its bar, visible in narrow windows too.
  const others = of === null ? [] : FIGURES.filter((figure) => figure !== show);
  const greatest = groups[0]?.[show] ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll" aria-label={texts.counts} tabIndex={0}>
      <table className="pa-table pa-count-table">
        <caption>
          {texts.groups(groups.length, rows)}, {extent}. {groups.length > DRAWN && texts.first(DRAWN)}
        </caption>
        <thead>
          <tr>
            {by.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col" className="pa-number">
              {texts.figures[show]}
            </th>
            <th scope="col">{texts.bar}</th>
            {others.map((figure) => (
              <th key={figure} scope="col" className="pa-number">
                {texts.figures[figure]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, DRAWN).map((group) => (
            <tr key={JSON.stringify(group.key)}>
              {by.map(({ name }, place) => (
                <KeyCell key={name} text={String(group.key[place] ?? '') || texts.none} />
              ))}
              <FigureCell value={group[show]} />
              <td>
                <Bar share={greatest <= 0 ? 0 : Math.max(0, group[show] ?? 0) / greatest} />
              </td>
              {others.map((figure) => (
                <FigureCell key={figure} value={group[figure]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** Characters above which a name is cut off. */
const LONG = 20;

function KeyCell({ text }: { text: string }) {
  return <td {...(text.length > LONG && { title: text })}>{text}</td>;
}

function FigureCell({ value }: { value: number | null }) {
  return <td className="pa-number">{value === null ? '' : formatNumber(value, 2)}</td>;
}

/** The number beside the bar says the same. */
function Bar({ share }: { share: number }) {
  return (
    <svg className="pa-count-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width={100 * share} height="10" />
    </svg>
  );
}
