import { asTitle, type ChosenColumn } from '../../rows/row-choice.js';
import { useTexts } from '../language/texts.js';
import type { ListMemory } from '../lists/list-memory.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { rememberList } from '../state/tab-memory.js';
import { TABLE_TEXTS } from './texts.js';

/** Chooses, orders and renames the columns of a list. */
export function ColumnsPanel({ list, memory }: { list: LoadedList; memory: ListMemory }) {
  const texts = useTexts(TABLE_TEXTS);
  const all = list.layout.columns.map(({ name }) => ({ name, title: name }));
  const chosen = memory.choice.columns ?? all;
  const shown = new Set(chosen.map(({ name }) => name));
  const rest = all.filter(({ name }) => !shown.has(name));
  const set = (columns: readonly ChosenColumn[] | null): void =>
    rememberList(list.path, { choice: { ...memory.choice, columns } });
  return (
    <>
      <div className="pa-bar">
        <label>
          <input
            type="checkbox"
            checked={memory.hidesUniform}
            onChange={({ target }) => rememberList(list.path, { hidesUniform: target.checked })}
          />{' '}
          {texts.hidesUniform}
        </label>
        <button type="button" onClick={() => set(null)}>
          {texts.allColumns}
        </button>
        <button type="button" onClick={() => set(chosen.slice(0, 1))}>
          {texts.noColumns}
        </button>
        <span className="pa-quiet">{texts.columnsShown(chosen.length, all.length)}</span>
      </div>
      <ol className="pa-columns">
        {chosen.map((column, place) => (
          <Shown key={column.name} column={column} place={place} chosen={chosen} onChange={set} />
        ))}
        {rest.map((column) => (
          <li key={column.name}>
            <label>
              <input type="checkbox" checked={false} onChange={() => set([...chosen, column])} /> {column.name}
            </label>
          </li>
        ))}
      </ol>
    </>
  );
}

interface ShownProps {
  column: ChosenColumn;
  place: number;
  chosen: readonly ChosenColumn[];
  onChange(columns: readonly ChosenColumn[]): void;
}

function Shown({ column, place, chosen, onChange }: ShownProps) {
  const texts = useTexts(TABLE_TEXTS);
  const { name, title } = column;
  const without = chosen.filter((other) => other !== column);
  const moveTo = (to: number): void => onChange([...without.slice(0, to), column, ...without.slice(to)]);
  const rename = (text: string): void => {
    const wanted = asTitle(text);
    const isTaken = without.some((other) => other.title === wanted);
    const next = { name, title: wanted.trim() === '' || isTaken ? name : wanted };
    onChange(chosen.map((other) => (other === column ? next : other)));
  };
  return (
    <li>
      <label>
        <input type="checkbox" checked disabled={chosen.length === 1} onChange={() => onChange(without)} /> {name}
      </label>
      <input
        type="text"
        aria-label={texts.title(name)}
        defaultValue={title === name ? '' : title}
        placeholder={name}
        onBlur={({ target }) => target.value !== (title === name ? '' : title) && rename(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && rename(currentTarget.value)}
      />
      <button type="button" aria-label={texts.up(name)} disabled={place === 0} onClick={() => moveTo(place - 1)}>
        ↑
      </button>
      <button
        type="button"
        aria-label={texts.down(name)}
        disabled={place === chosen.length - 1}
        onClick={() => moveTo(place + 1)}
      >
        ↓
      </button>
    </li>
  );
}
