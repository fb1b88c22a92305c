import { type Condition, type RowChoice, readValues, testOf } from '../../../rows/row-choice.js';
import { type ColourClass, type Colouring, type Range, REST } from './colours.js';

/** The operators with which the legend hides classes: values by naming them, numbers by a range. */
const OPERATORS: Readonly<Record<'values' | 'range', readonly Condition['operator'][]>> = {
  values: ['eq', 'in', 'ne'],
  range: ['ge', 'gt', 'le', 'lt', 'empty'],
};

/** The name in the response of a column that may have been renamed. */
export function nameOf(title: string, { columns }: RowChoice): string {
  return columns?.find((column) => column.title === title)?.name ?? title;
}

/** The conditions without those that a legend of the column sets. */
export function withoutLegend(where: readonly Condition[], column: string): readonly Condition[] {
  const others = where.filter((condition) => !isOfLegend(condition, column));
  return others.length === where.length ? where : others;
}

function isOfLegend(condition: Condition, column: string): boolean {
  const all = [...OPERATORS.values, ...OPERATORS.range];
  return condition.column === column && all.includes(condition.operator);
}

/** The colours of the classes whose rows the conditions leave out. */
export function hiddenColours(
  where: readonly Condition[],
  column: string,
  { classes, isByRange }: Colouring,
): ReadonlySet<number> {
  const own = where.filter((condition) => isOfLegend(condition, column));
  const tests = own.map((condition) => testOf(condition));
  const named = own.some(({ operator }) => operator === 'in' || operator === 'eq');
  const isHidden = ({ of }: ColourClass): boolean => {
    if (of === null) return isByRange ? tests.some((meets) => !meets(null)) : named;
    const cell = 'value' in of ? of.value : of.from;
    return tests.some((meets) => !meets(cell));
  };
  return new Set(classes.filter(isHidden).map(({ colour }) => colour));
}

/**
 * The conditions after a click on a class. A value is hidden or shown again; a class of numbers is shown alone, or all
 * of them again, because conditions cannot leave out the middle of a range.
 */
export function afterClick(
  where: readonly Condition[],
  column: string,
  colouring: Colouring,
  clicked: ColourClass,
): readonly Condition[] {
  const hidden = new Set(hiddenColours(where, column, colouring));
  const others = withoutLegend(where, column);
  const condition = (operator: Condition['operator'], value: string): Condition => ({ column, operator, value });
  if (colouring.isByRange) {
    const isOnly = hidden.size === colouring.classes.length - 1 && !hidden.has(clicked.colour);
    if (isOnly) return others;
    if (clicked.of === null || 'value' in clicked.of) return [...others, condition('empty', 'true')];
    const { from, to } = shortRange(clicked.of, colouring.classes);
    return [...others, condition('ge', String(from)), condition('le', String(to))];
  }
  if (!hidden.delete(clicked.colour)) hidden.add(clicked.colour);
  const texts = (isWanted: (colour: number) => boolean): string[] =>
    colouring.classes.flatMap(({ colour, of }) =>
      of !== null && 'value' in of && isWanted(colour) ? [String(of.value)] : [],
    );
  if (!hidden.has(REST)) {
    return [...others, ...texts((colour) => hidden.has(colour)).map((value) => condition('ne', value))];
  }
  const all = new Set(texts(() => true));
  const chosen = where.flatMap((one) => (one.column === column && one.operator === 'in' ? readValues(one.value) : []));
  const values = [...texts((colour) => !hidden.has(colour)), ...chosen.filter((value) => !all.has(value))];
  const [single] = values;
  return [
    ...others,
    values.length === 1 && single !== undefined ? condition('eq', single) : condition('in', JSON.stringify(values)),
  ];
}

/** The same rows by bounds with few digits: just enough to exclude the neighbouring classes. */
function shortRange({ from, to }: Range, classes: readonly ColourClass[]): Range {
  const ranges = classes.flatMap(({ of }) => (of !== null && 'from' in of ? [of] : []));
  const below = Math.max(...ranges.map((range) => range.to).filter((end) => end < from));
  const above = Math.min(...ranges.map((range) => range.from).filter((start) => start > to));
  for (const digits of [1, 10, 100, 1000]) {
    const short = { from: Math.floor(from * digits) / digits, to: Math.ceil(to * digits) / digits };
    if (short.from > below && short.to < above) return short;
  }
  return { from, to };
}
