import { useCallback, useState } from 'react';
import { ANY_COLUMN, type Condition, readValues } from '../../../rows/row-choice.js';
import { isDay, shifted, startOfDay } from '../../questions/days.js';
import { Checkbox, Choice } from '../elements/controls.js';
import { useSteps } from '../elements/effects.js';
import { dayOfDate, formatNumber } from '../elements/format.js';
import { formatCell, useLabels } from '../labels/labels.js';
import { type CellKind, type LoadedList, valueSteps } from '../lists/loaded-list.js';
import { useTexts } from '../state/language.js';
import { TABLE_TEXTS } from './texts.js';

interface FilterPanelProps {
  list: LoadedList;
  where: readonly Condition[];
  onChange(where: Condition[]): void;
}

/** Filters one column at a time: by value, by part, by range, by date, by emptiness. */
export function FilterPanel({ list, where, onChange }: FilterPanelProps) {
  const texts = useTexts(TABLE_TEXTS);
  const names = list.layout.columns.map(({ name }) => name);
  const labels = useLabels(names);
  const [chosen, setColumn] = useState('');
  const column = names.includes(chosen) ? chosen : (names[0] ?? '');
  const kind = list.profiles.get(column)?.kind ?? 'text';
  const filter = filterOf(where, column, kind);
  const change = (part: Partial<ColumnFilter>): void =>
    onChange(withFilter(where, column, kind, { ...filter, ...part }));
  return (
    <>
      <div className="pa-bar">
        <Choice label={texts.column} value={column} options={names} titles={labels} onChoose={setColumn} />
        <RangeOrPart kind={kind} filter={filter} onChange={change} />
        <Choice
          label={texts.cells}
          value={filter.empty}
          options={['', 'true', 'false']}
          titles={{ '': texts.anyCell, true: texts.onlyEmpty, false: texts.notEmpty }}
          onChoose={(empty) => change({ empty: empty as ColumnFilter['empty'] })}
        />
      </div>
      <Values key={column} list={list} column={column} filter={filter} onChange={change} />
    </>
  );
}

interface PartProps {
  filter: ColumnFilter;
  onChange(part: Partial<ColumnFilter>): void;
}

function RangeOrPart({ kind, filter, onChange }: PartProps & { kind: CellKind }) {
  const texts = useTexts(TABLE_TEXTS);
  if (kind === 'text') {
    return (
      <label>
        {texts.contains}{' '}
        <input type="search" value={filter.part} onChange={({ target }) => onChange({ part: target.value })} />
      </label>
    );
  }
  if (kind === 'boolean') return null;
  return (['from', 'to'] as const).map((end) => (
    <label key={end}>
      {texts[end]}{' '}
      <input
        type={kind}
        step="any"
        value={filter[end]}
        onChange={({ target }) => onChange(end === 'from' ? { from: target.value } : { to: target.value })}
      />
    </label>
  ));
}

/** Values that are shown to choose from. */
const SHOWN = 100;

function Values({ list, column, filter, onChange }: PartProps & { list: LoadedList; column: string }) {
  const texts = useTexts(TABLE_TEXTS);
  const [part, setPart] = useState('');
  const begin = useCallback(() => valueSteps(list, { name: column, part, most: SHOWN }), [list, column, part]);
  const { value: found } = useSteps(begin);
  const kind = list.profiles.get(column)?.kind;
  if (found === undefined) return <p className="pa-empty">{texts.reading}</p>;
  const isChosen = (value: string): boolean =>
    kind === 'date' ? filter.from === value && filter.to === value : filter.values.includes(value);
  const toggle = (value: string): void => {
    const { values } = filter;
    // A day is a range of instants, of which there can be one.
    if (kind === 'date') onChange(isChosen(value) ? { from: '', to: '' } : { from: value, to: value });
    else onChange({ values: values.includes(value) ? values.filter((other) => other !== value) : [...values, value] });
  };
  return (
    <fieldset className="pa-values">
      <legend>{texts.values}</legend>
      {(part !== '' || found.values.length > 12) && (
        <input
          type="search"
          aria-label={texts.findValue}
          placeholder={texts.findValue}
          value={part}
          onChange={({ target }) => setPart(target.value)}
        />
      )}
      <ul>
        {found.values.map(([value, rows]) => (
          <li key={value}>
            <Checkbox isChecked={isChosen(value)} onCheck={() => toggle(value)}>
              {formatCell(kind === 'number' ? Number(value) : value, column)}{' '}
              <span className="pa-quiet">{formatNumber(rows)}</span>
            </Checkbox>
          </li>
        ))}
      </ul>
      {found.further > 0 && <p className="pa-note">{texts.furtherValues(found.further)}</p>}
    </fieldset>
  );
}

/** The conditions on one column, as the filter panel shows them; an empty text means no condition. */
export interface ColumnFilter {
  /** Cells that equal one of these. */
  readonly values: readonly string[];
  readonly part: string;
  /** Least number, or first day. */
  readonly from: string;
  /** Greatest number, or last day. */
  readonly to: string;
  readonly empty: '' | 'true' | 'false';
}

/** The text that is searched in all columns. */
export function searchOf(where: readonly Condition[]): string {
  return where.find(({ column }) => column === ANY_COLUMN)?.value ?? '';
}

/** The conditions with another text to search in all columns. */
export function withSearch(where: readonly Condition[], text: string): Condition[] {
  const others = where.filter(({ column }) => column !== ANY_COLUMN);
  return text.trim() === '' ? others : [{ column: ANY_COLUMN, operator: 'has', value: text }, ...others];
}

/** Reads the conditions on a column. */
export function filterOf(where: readonly Condition[], column: string, kind: CellKind): ColumnFilter {
  const own = where.filter((condition) => condition.column === column);
  const textOf = (operator: Condition['operator']): string | undefined =>
    own.find((condition) => condition.operator === operator)?.value;
  const dayIn = (text: string): string => (kind === 'date' ? (dayOfDate(text) ?? text) : text);
  const [several, one, before, empty] = [textOf('in'), textOf('eq'), textOf('lt'), textOf('empty')];
  return {
    values: several === undefined ? (one === undefined ? [] : [one]) : readValues(several),
    part: textOf('has') ?? '',
    from: dayIn(textOf('ge') ?? ''),
    to: dayIn(textOf('le') ?? '') || (kind === 'date' && before !== undefined ? dayBeside(dayIn(before), -1) : ''),
    empty: empty === 'true' || empty === 'false' ? empty : '',
  };
}

/** The conditions with another filter of a column. */
export function withFilter(
  where: readonly Condition[],
  column: string,
  kind: CellKind,
  { values, part, from, to, empty }: ColumnFilter,
): Condition[] {
  const [single] = values;
  const own: [operator: Condition['operator'], value: string][] = [];
  if (values.length === 1 && single !== undefined) own.push(['eq', single]);
  if (values.length > 1) own.push(['in', JSON.stringify(values)]);
  if (part.trim() !== '') own.push(['has', part]);
  if (from !== '') own.push(['ge', kind === 'date' ? startOfDay(from) : from]);
  // A date may have a time: a day is what lies between its beginning and that of the next, in Paris.
  if (to !== '') own.push(kind === 'date' ? ['lt', startOfDay(dayBeside(to, 1))] : ['le', to]);
  if (empty !== '') own.push(['empty', empty]);
  const others = where.filter((condition) => condition.column !== column);
  return [...others, ...own.map(([operator, value]) => ({ column, operator, value }))];
}

/** A day before or after another, such as `2026-02-01`; any other text as it is. */
export function dayBeside(day: string, step: number): string {
  return isDay(day) ? shifted(day, step) : day;
}
