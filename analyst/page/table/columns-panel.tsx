import { asTitle, type ChosenColumn } from '../../../rows/row-choice.js';
import { Button, Checkbox } from '../elements/controls.js';
import { useLabels } from '../labels/labels.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { useTexts } from '../state/language.js';
import { rememberList } from '../state/page-state.js';
import type { ListMemory } from '../state/tab-memory.js';
import { TABLE_TEXTS } from './texts.js';

/** Chooses, orders and renames the columns of a list. */
export function ColumnsPanel({ list, memory }: { list: LoadedList; memory: ListMemory }) {
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
      <Button aria-label={texts.up(name)} disabled={place === 0} onClick={() => moveTo(place - 1)}>
        ↑
      </Button>
      <Button aria-label={texts.down(name)} disabled={place === chosen.length - 1} onClick={() => moveTo(place + 1)}>
        ↓
      </Button>
    </>
  );
}
