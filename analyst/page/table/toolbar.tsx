import { useEffect, useId, useRef, useState } from 'react';
import { ANY_COLUMN, asTitle, type ChosenColumn, type Condition, readValues } from '../../../rows/row-choice.js';
import { Button, Checkbox, Overlay, SignButton } from '../elements/controls.js';
import { formatCell, useLabels } from '../labels/labels.js';
import type { LoadedList, ShownRows } from '../lists/loaded-list.js';
import { useTexts } from '../state/language.js';
import { rememberList } from '../state/page-state.js';
import { type ListMemory, UNTOUCHED } from '../state/tab-memory.js';
import { FilterPanel, searchOf, withSearch } from './filter-panel.js';
import { TABLE_TEXTS } from './texts.js';

interface ToolbarProps {
  shown: ShownRows;
  memory: ListMemory;
  isBusy: boolean;
}

/** Chooses rows and columns of the list, for table, map, counts, files and links alike. */
export function RowToolbar({ shown, memory, isBusy }: ToolbarProps) {
  const texts = useTexts(TABLE_TEXTS);
  const [open, setOpen] = useState<'filter' | 'columns' | null>(null);
  const panel = useId();
  const filterButton = useRef<HTMLButtonElement>(null);
  const { list, rows, choice } = shown;
  const change = (part: Partial<ListMemory['choice']>): void =>
    rememberList(list.path, { choice: { ...memory.choice, ...part } });
  const where = memory.choice.where;
  const isTouched = memory.choice !== UNTOUCHED.choice || memory.hidesUniform;
  const toggle = (name: 'filter' | 'columns'): void => setOpen(open === name ? null : name);
  return (
    <section className="pa-toolbar" aria-label={texts.toolbar}>
      <div className="pa-bar">
        <Search key={list.path} where={where} onChange={(next) => change({ where: next })} />
        {(['filter', 'columns'] as const).map((name) => (
          <Button
            key={name}
            ref={name === 'filter' ? filterButton : null}
            aria-expanded={open === name}
            aria-controls={panel}
            onClick={() => toggle(name)}
          >
            {texts[name]} {name === 'columns' && choice.columns !== null && `(${choice.columns.length})`}
          </Button>
        ))}
        {isTouched && (
          <Button onClick={() => rememberList(list.path, { choice: UNTOUCHED.choice, hidesUniform: false })}>
            {texts.reset}
          </Button>
        )}
        <output className="pa-shown" aria-busy={isBusy}>
          {texts.rowsShown(rows.length, list.rows.length)}
        </output>
        <Overlay id={panel} isOpen={open !== null} onClose={() => setOpen(null)}>
          {open === 'filter' && <FilterPanel list={list} where={where} onChange={(next) => change({ where: next })} />}
          {open === 'columns' && <ColumnsPanel list={list} memory={memory} />}
        </Overlay>
      </div>
      {shown.problem !== null && <p role="alert">{texts.inTheWay(shown.problem)}</p>}
      <FilterChips
        where={where}
        onChange={(next) => {
          change({ where: next });
          // The button that was pressed is gone.
          filterButton.current?.focus();
        }}
      />
    </section>
  );
}

/** Milliseconds without a key press before the rows are searched. */
const TYPING_MS = 150;

/** The search in all columns; it starts when the user stops typing. */
function Search({ where, onChange }: { where: readonly Condition[]; onChange(where: Condition[]): void }) {
  const texts = useTexts(TABLE_TEXTS);
  const searched = searchOf(where);
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => {
    if (typed === null) return;
    const timer = window.setTimeout(() => {
      setTyped(null);
      if (typed !== searched) onChange(withSearch(where, typed));
    }, TYPING_MS);
    return () => window.clearTimeout(timer);
  });
  return (
    <input
      type="search"
      className="pa-search"
      aria-label={texts.search}
      placeholder={texts.search}
      value={typed ?? searched}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

/** The conditions on columns, each with a button that removes it. */
function FilterChips({ where, onChange }: { where: readonly Condition[]; onChange(where: Condition[]): void }) {
  const texts = useTexts(TABLE_TEXTS);
  const chips = where.filter(({ column }) => column !== ANY_COLUMN);
  const labels = useLabels(chips.map(({ column }) => column));
  if (chips.length === 0) return null;
  return (
    <ul className="pa-chips">
      {chips.map((condition) => {
        const text = describe(condition, texts, labels[condition.column] ?? condition.column);
        return (
          <li key={text}>
            {text}{' '}
            <SignButton
              label={texts.removeFilter(text)}
              sign="×"
              onClick={() => onChange(where.filter((other) => other !== condition))}
            />
          </li>
        );
      })}
    </ul>
  );
}

const SIGNS: Readonly<Record<Condition['operator'], string>> = {
  ...{ eq: '=', ne: '≠', in: '=', lt: '<', le: '≤', gt: '>', ge: '≥', has: '', empty: '' },
};

function describe(
  { column, operator, value }: Condition,
  { isEmptyFilter, isFilledFilter, contains }: (typeof TABLE_TEXTS)['en'],
  label: string,
): string {
  if (operator === 'empty') return `${label} ${value === 'true' ? isEmptyFilter : isFilledFilter}`;
  const named = (one: string): string => formatCell(one, column);
  const sign = SIGNS[operator] || contains.toLowerCase();
  return `${label} ${sign} ${operator === 'in' ? readValues(value).map(named).join(', ') : operator === 'has' ? value : named(value)}`;
}

/** Chooses, orders and renames the columns of a list. */
function ColumnsPanel({ list, memory }: { list: LoadedList; memory: ListMemory }) {
  const texts = useTexts(TABLE_TEXTS);
  const all = list.layout.columns.map(({ name }) => ({ name, title: name }));
  const chosen = memory.choice.columns ?? all;
  const labels = useLabels(all.map(({ name }) => name));
  const shown = new Set(chosen.map(({ name }) => name));
  const rest = all.filter(({ name }) => !shown.has(name));
  const set = (columns: readonly ChosenColumn[] | null): void =>
    rememberList(list.path, { choice: { ...memory.choice, columns } });
  return (
    <>
      <div className="pa-bar">
        <Checkbox isChecked={memory.hidesUniform} onCheck={(hidesUniform) => rememberList(list.path, { hidesUniform })}>
          {texts.hidesUniform}
        </Checkbox>
        <Checkbox
          isChecked={memory.choice.distinct}
          onCheck={(distinct) => rememberList(list.path, { choice: { ...memory.choice, distinct } })}
        >
          {texts.distinct}
        </Checkbox>
        <Button onClick={() => set(null)}>{texts.allColumns}</Button>
        <Button onClick={() => set(chosen.slice(0, 1))}>{texts.noColumns}</Button>
        <span className="pa-quiet">{texts.columnsShown(chosen.length, all.length)}</span>
      </div>
      <ol className="pa-columns">
        {[...chosen, ...rest].map((column) => (
          <Item key={column.name} column={column} label={labels[column.name]} chosen={chosen} onChange={set} />
        ))}
      </ol>
    </>
  );
}

interface ItemProps {
  column: ChosenColumn;
  label?: string | undefined;
  chosen: readonly ChosenColumn[];
  onChange(columns: readonly ChosenColumn[]): void;
}

/** A column, shown or not. The checkbox is the same element either way, so it keeps the focus. */
function Item({ column, label, chosen, onChange }: ItemProps) {
  const place = chosen.indexOf(column);
  const isShown = place >= 0;
  const toggle = (): void => onChange(isShown ? chosen.filter((other) => other !== column) : [...chosen, column]);
  return (
    <li>
      <Checkbox isChecked={isShown} isDisabled={isShown && chosen.length === 1} onCheck={toggle}>
        <span title={column.name}>{label ?? column.name}</span>
      </Checkbox>
      {isShown && <TitleAndPlace column={column} place={place} chosen={chosen} onChange={onChange} />}
    </li>
  );
}

function TitleAndPlace({ column, place, chosen, onChange }: ItemProps & { place: number }) {
  const texts = useTexts(TABLE_TEXTS);
  const { name, title } = column;
  const without = chosen.filter((other) => other !== column);
  const isLast = place === without.length;
  const moveTo = (to: number): void => onChange([...without.slice(0, to), column, ...without.slice(to)]);
  const rename = (text: string): void => {
    const wanted = asTitle(text);
    const isTaken = without.some((other) => other.title === wanted);
    const next = { name, title: wanted.trim() === '' || isTaken ? name : wanted };
    onChange(chosen.map((other) => (other === column ? next : other)));
  };
  return (
    <>
      <input
        type="text"
        aria-label={texts.title(name)}
        defaultValue={title === name ? '' : title}
        placeholder={name}
        onBlur={({ target }) => target.value !== (title === name ? '' : title) && rename(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && rename(currentTarget.value)}
      />
      <SignButton label={texts.up(name)} sign="↑" disabled={place === 0} onClick={() => moveTo(place - 1)} />
      <SignButton label={texts.down(name)} sign="↓" disabled={isLast} onClick={() => moveTo(place + 1)} />
    </>
  );
}
