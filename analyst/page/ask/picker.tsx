import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { fold } from '../../../kernel/fold.js';
import { ownValue } from '../../../kernel/text.js';
import { type Criterion, writePlace } from '../../questions/question.js';
import { plainName } from '../../questions/terms.js';
import { SignButton } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { formatNumber } from '../elements/format.js';
import { textsNow, useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { findOccupations, knowledge, loadLists, partnersOfOffers, placesNamed, rememberName } from './known.js';
import { ASK_TEXTS } from './texts.js';

interface PickerProps extends Picking {
  /** What a chosen code is called. */
  named(code: string): string;
  /** Attributes of the input: its id, and how it is described. */
  input: Readonly<Record<string, string | boolean | undefined>>;
}

/**
 * An input that finds values by name: arrows choose, Enter accepts, Escape closes. Known codes can be typed too. While
 * nothing is typed, Enter submits the form.
 */
export function Picker(props: PickerProps) {
  const { values, onChange, named, input } = props;
  const texts = useTexts(ASK_TEXTS);
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const { typed, isOpen, options, active, pick, handlers } = usePicking(props);
  useStore(knowledge);
  return (
    <span className="pa-picker">
      <Chips
        values={values}
        named={named}
        onRemove={(code) => {
          onChange(values.filter((value) => value !== code));
          // The button that was pressed is gone.
          field.current?.focus();
        }}
      />
      <input
        {...input}
        {...handlers}
        ref={field}
        type="text"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(active && { 'aria-activedescendant': `${listId}-${active.code}` })}
        autoComplete="off"
        spellCheck={false}
        placeholder={texts.find}
        value={typed ?? ''}
      />
      <Options id={listId} isOpen={isOpen} options={options} active={active} nothing={texts.nothing} onPick={pick} />
    </span>
  );
}

interface ChipsProps {
  values: readonly string[];
  named(code: string): string;
  onRemove(code: string): void;
}

function Chips({ values, named, onRemove }: ChipsProps) {
  const texts = useTexts(ASK_TEXTS);
  return values.map((code) => (
    <span key={code} className="pa-chip">
      {named(code)}
      <SignButton label={texts.remove(named(code))} sign="×" onClick={() => onRemove(code)} />
    </span>
  ));
}

interface OptionsProps {
  id: string;
  isOpen: boolean;
  /** Null while they are being looked up. */
  options: readonly Option[] | null;
  active: Option | undefined;
  /** The message if none matches. */
  nothing: string;
  onPick(option: Option): void;
}

function Options({ id, isOpen, options, active, nothing, onPick }: OptionsProps) {
  const texts = useTexts(ASK_TEXTS);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another active option is scrolled into view
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const message = options === null ? texts.searching : options.length === 0 ? nothing : texts.picked(options.length);
  return (
    <>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={texts.find}
        className="pa-options"
        hidden={!isOpen || !options?.length}
      >
        {options?.map((option) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the input choose
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={option.code}
            id={`${id}-${option.code}`}
            role="option"
            aria-selected={option === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(option)}
          >
            {option.label} <small>{option.note}</small>
          </div>
        ))}
      </div>
      <span role="status" className={isOpen && !options?.length ? 'pa-options pa-quiet' : 'pa-hidden'}>
        {isOpen ? message : ''}
      </span>
    </>
  );
}

/** The values to pick from, and those that are picked. */
interface Picking {
  find: FindOptions;
  /** The chosen codes. */
  values: readonly string[];
  /** A typed text as a code; null if it is none. */
  codeOf(text: string): string | null;
  onChange(values: readonly string[]): void;
}

/** The state of a picker and the handlers of its input: what is typed, the options for it, and the active one. */
function usePicking({ find, values, codeOf, onChange }: Picking) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const [awaited, setAwaited] = useState<'enter' | 'leave' | null>(null);
  const options = useOptions(find, isOpen ? (typed ?? '') : null);
  const { active, mark, moveMark } = useActive(options);
  const text = typed?.trim() ?? '';
  const show = (): void => setOpen(true);
  const close = (): void => {
    setOpen(false);
    setTyped(null);
    setAwaited(null);
    mark(null);
  };
  const take = (code: string): void => {
    onChange([...values.filter((value) => value !== code), code]);
    close();
  };
  const pick = (option: Option): void => take(option.code);
  // Enter may be pressed, or the field left, before the options arrive.
  useEffect(() => {
    if (awaited === null || options === null) return;
    setAwaited(null);
    if (awaited === 'leave') leave();
    else if (active) enter();
  });
  /** Takes what is typed, if it is a value. */
  const leave = (): void => {
    const code = codeOf(text);
    const isNamed = text !== '' && active !== undefined && plainName(active.label) === plainName(text);
    const isSearched = text !== '' && code === null && isOpen && options === null;
    if (isNamed) pick(active);
    else if (text !== '' && code !== null) take(code);
    if (isSearched) setAwaited('leave');
    else close();
  };
  const move = (step: number): void => {
    show();
    moveMark(step);
  };
  const enter = (): void => {
    const isSearched = active === undefined && options === null && text !== '';
    if (isSearched) setAwaited('enter');
    else if (active) pick(active);
    else if (!isSearched) leave();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    // While nothing can be taken, Enter submits the form.
    const takes = active !== undefined || (isOpen && text !== '');
    const acts: Readonly<Record<string, (() => void) | false>> = {
      ...{ ArrowDown: () => move(1), ArrowUp: () => move(-1) },
      ...{ Enter: takes && enter, Escape: isOpen && close },
    };
    const act = ownValue(acts, event.key);
    if (event.key === 'Backspace' && !typed) onChange(values.slice(0, -1));
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const onType = ({ target }: React.ChangeEvent<HTMLInputElement>): void => {
    setTyped(target.value);
    show();
    mark(target.value.trim() === '' ? null : 0);
    setAwaited(null);
  };
  const onFocus = ({ target }: React.FocusEvent<HTMLInputElement>): void => target.select();
  const handlers = { onFocus, onClick: show, onBlur: leave, onChange: onType, onKeyDown };
  return { typed, isOpen, options, active, pick, handlers };
}

/** The option that Enter takes: the first for what is typed, else the one that arrow keys have reached. */
function useActive(options: readonly Option[] | null) {
  const [at, mark] = useState<number | null>(null);
  const active = at === null ? undefined : options?.at(Math.min(at, options.length - 1));
  const moveMark = (step: number): void => {
    if (at !== null && options !== null) mark((at + step + options.length) % Math.max(1, options.length));
    // -1 is the last one, also while they are looked up.
    else mark(step > 0 ? 0 : -1);
  };
  return { active, mark, moveMark };
}

/** Milliseconds without typing before options are looked up. */
const PAUSE_MS = 120;

/** The options for what is typed; null while they are looked up, and while the list is closed. */
function useOptions(find: FindOptions, typed: string | null): readonly Option[] | null {
  const load = useCallback((signal: AbortSignal) => find(typed ?? '', signal).catch(() => []), [find, typed]);
  return useAwaited(typed === null ? null : load, PAUSE_MS) ?? null;
}

/** A value that can be picked. */
interface Option {
  readonly code: string;
  readonly label: string;
  /** What distinguishes it from others of the same name. */
  readonly note: string;
}

/** Finds the options that match a text, best first; for an empty text, all of them if they are few. */
type FindOptions = (text: string, signal: AbortSignal) => Promise<readonly Option[]>;

/** Options shown at once; typing finds the others. */
const SHOWN = 60;

/** What finds the values of a criterion by name, in either language; communes with kilometres around them. */
export function finderOf({ kind }: Criterion, radius: number | null): FindOptions {
  if (kind === 'place') return (text, signal) => findPlaces(text, radius, signal);
  if (kind === 'partner') return async (text) => matching(await partnersOfOffers(), text);
  return async (text) =>
    (await findOccupations(text)).slice(0, SHOWN).map(({ code, label, offers }) => {
      const size = offers === null ? '' : ` · ${textsNow(ASK_TEXTS).offersOf(formatNumber(offers))}`;
      return { code, label, note: `${code}${size}` };
    });
}

/** Labels with all words of a text, those that begin with it first. */
function matching(labels: readonly string[], text: string): Option[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const begins = (label: string): boolean => fold(label).startsWith(fold(text));
  return labels
    .filter((label) => words.every((word) => fold(label).includes(word)))
    .sort((one, other) => Number(begins(other)) - Number(begins(one)))
    .slice(0, SHOWN)
    .map((label) => ({ code: label, label, note: '' }));
}

const CALLED = { commune: 'commune', epci: 'EPCI', departement: 'département', region: 'région' };

/** Places of every kind that a text may mean, and a postal code; for an empty text, régions and départements. */
async function findPlaces(text: string, radius: number | null, signal: AbortSignal): Promise<Option[]> {
  const { regions, departements } = await loadLists();
  if (text.trim() === '')
    return [
      ...regions.map(({ code, label }) => ({ code: `region:${code}`, label, note: 'région' })),
      ...departements.map(({ code, label }) => ({ code: `departement:${code}`, label, note: `département ${code}` })),
    ].slice(0, SHOWN);
  const { inhabitants } = textsNow(ASK_TEXTS);
  const found = (await placesNamed(text, signal)).map(({ kind, code, label, population }) => {
    const place = kind === 'commune' ? writePlace({ kind, code, radius }) : `${kind}:${code}`;
    rememberName(place, label);
    const size = population === null ? '' : ` · ${inhabitants(formatNumber(population))}`;
    return { code: place, label, note: `${CALLED[kind]} ${code}${size}` };
  });
  const isPostal = /^\d{5}$/.test(text.trim()) && found.length > 0;
  return isPostal ? [{ code: `postal:${text.trim()}`, label: text.trim(), note: 'code postal' }, ...found] : found;
}
