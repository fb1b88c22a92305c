import { ANY_COLUMN, type Condition, readValues } from '../../../rows/row-choice.js';
import { useTexts } from '../language/texts.js';
import { TABLE_TEXTS } from './texts.js';

/** The conditions on columns, each with a button that removes it. */
export function FilterChips({ where, onChange }: { where: readonly Condition[]; onChange(where: Condition[]): void }) {
  const texts = useTexts(TABLE_TEXTS);
  const chips = where.filter(({ column }) => column !== ANY_COLUMN);
  if (chips.length === 0) return null;
  return (
    <ul className="pa-chips">
      {chips.map((condition) => {
        const text = describe(condition, texts);
        return (
          <li key={text}>
            {text}{' '}
            <button
              type="button"
              aria-label={texts.removeFilter(text)}
              onClick={() => onChange(where.filter((other) => other !== condition))}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const SIGNS: Readonly<Record<Condition['operator'], string>> = {
  ...{ eq: '=', ne: '≠', in: '=', lt: '<', le: '≤', gt: '>', ge: '≥', has: '∋', empty: '' },
};

function describe(
  { column, operator, value }: Condition,
  { isEmptyFilter, isFilledFilter }: { isEmptyFilter: string; isFilledFilter: string },
): string {
  if (operator === 'empty') return `${column} ${value === 'true' ? isEmptyFilter : isFilledFilter}`;
  return `${column} ${SIGNS[operator]} ${operator === 'in' ? readValues(value).join(', ') : value}`;
}
