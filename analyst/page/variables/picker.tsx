import { useEffect, useId, useRef } from 'react';
import { useTexts } from '../language/texts.js';
import { useStore } from '../store/store.js';
import { loadedNames, type Option, type OptionSource } from './named-codes.js';
import { VARIABLE_TEXTS } from './texts.js';
import { type Picking, usePicking } from './use-picking.js';

interface PickerProps extends Omit<Picking, 'submit'> {
  /** What to type if the input is empty. */
  hint?: string;
  /** Attributes of the input: its id, and how it is described. */
  input: Readonly<Record<string, string | boolean | undefined>>;
}

/**
 * An input that finds values by name: arrows choose, Enter accepts and, where there can be only one, submits the form,
 * Escape closes. Known codes can be typed too.
 */
export function Picker(props: PickerProps) {
  const { source, values, isMultiple, onChange, hint, input } = props;
  const texts = useTexts(VARIABLE_TEXTS);
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const { typed, isOpen, options, active, pick, handlers } = usePicking({
    ...props,
    submit: () => field.current?.form?.requestSubmit(),
  });
  useLoaded(source);
  const named = (code: string): string => describe(code, source.labelOf(code));
  const single = isMultiple ? undefined : values[0];
  return (
    <span className="pa-picker">
      {isMultiple && (
        <Chips
          values={values}
          named={named}
          onRemove={(code) => {
            onChange(values.filter((value) => value !== code));
            // The button that was pressed is gone.
            field.current?.focus();
          }}
        />
      )}
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
        placeholder={hint ?? texts.findHint}
        value={typed ?? (single === undefined ? '' : named(single))}
      />
      <Options
        id={listId}
        isOpen={isOpen}
        options={options}
        active={active}
        nothing={texts[source.nothing ?? 'nothing']}
        onPick={pick}
      />
    </span>
  );
}

/** Loads the names of a source, and renders again when they have loaded. */
function useLoaded({ loaded }: OptionSource): void {
  useStore(loadedNames);
  useEffect(() => {
    void loaded?.();
  }, [loaded]);
}

interface ChipsProps {
  values: readonly string[];
  named(code: string): string;
  onRemove(code: string): void;
}

function Chips({ values, named, onRemove }: ChipsProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  return values.map((code) => (
    <span key={code} className="pa-chip">
      {named(code)}
      <button type="button" aria-label={texts.remove(named(code))} onClick={() => onRemove(code)}>
        ×
      </button>
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
  const texts = useTexts(VARIABLE_TEXTS);
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
        aria-label={texts.findHint}
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

function describe(code: string, label: string | null): string {
  return label === null || label === code ? code : `${label} (${code})`;
}
