import { type ReactNode, useState } from 'react';
import { dayOfDate, startOfDay } from '../elements/format.js';
import { useTexts } from '../state/language.js';
import type { Declaration } from './declarations.js';
import { OPTION_SOURCES } from './options.js';
import { Picker, useLoaded } from './picker.js';
import { VARIABLE_TEXTS } from './texts.js';
import { normalizeCode, problemOf } from './values.js';

/** The props of every field. */
export interface FieldProps {
  declaration: Declaration;
  /** The value in the editor; undefined if it has none. */
  value: unknown;
  /** Id of the input, and how it is described. */
  input: Readonly<Record<string, string | boolean | undefined>>;
  /** Undefined removes the variable. */
  onChange(value: unknown): void;
}

/** The input that fits the kind of a variable. */
export function Field(props: FieldProps): ReactNode {
  const { kind, isList } = props.declaration;
  switch (kind) {
    case 'commune':
    case 'departement':
    case 'domain':
    case 'rome':
      return <PickerField {...props} kind={kind} />;
    case 'choice':
      return isList ? <ChoicesField {...props} /> : <ChoiceField {...props} />;
    case 'flag':
      return <FlagField {...props} />;
    case 'integer':
    case 'decimal':
    case 'kilometres':
      return <NumberField {...props} />;
    case 'date':
      return <DayInput {...props} />;
    case 'dateRange':
      return <RangeField {...props} />;
    case 'json':
      return <JsonField {...props} />;
    default:
      return isList ? <ListField {...props} /> : <TextField {...props} />;
  }
}

function PickerField({ kind, ...props }: FieldProps & { kind: keyof typeof OPTION_SOURCES }) {
  const { declaration, value, input, onChange } = props;
  const { isList, scalar } = declaration;
  return (
    <Picker
      source={OPTION_SOURCES[kind]}
      values={textsOf(value)}
      isMultiple={isList}
      codeOf={(text) => {
        const code = kind === 'departement' ? text.toUpperCase() : normalizeCode(scalar, text);
        return problemOf(declaration, isList ? [code] : code) === null ? code : null;
      }}
      onChange={(codes) => onChange(isList ? codes : codes[0])}
      input={input}
    />
  );
}

function ChoiceField({ declaration, value, input, onChange }: FieldProps) {
  const options = useChoices(declaration);
  return <Select value={value} input={input} options={options} onChange={(text) => onChange(text || undefined)} />;
}

/** The values of an enum with their names. */
function useChoices({ choices, scalar }: Declaration) {
  const { choice: source } = OPTION_SOURCES;
  useLoaded(source);
  return choices.map((choice) => [choice, source.labelOf(`${scalar}.${choice}`) ?? choice] as const);
}

function FlagField({ value, input, onChange }: FieldProps) {
  const { yes, no } = useTexts(VARIABLE_TEXTS);
  const read = (text: string): boolean | undefined => (text === '' ? undefined : text === 'true');
  const options = [['true', yes] as const, ['false', no] as const];
  return <Select value={value} input={input} options={options} onChange={(text) => onChange(read(text))} />;
}

interface SelectProps extends Pick<FieldProps, 'value' | 'input'> {
  options: readonly (readonly [value: string, label: string])[];
  /** Receives an empty text for none. */
  onChange(text: string): void;
}

function Select({ value, input, options, onChange }: SelectProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  return (
    <select {...input} value={String(value ?? '')} onChange={({ target }) => onChange(target.value)}>
      <option value="">{texts.none}</option>
      {options.map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </select>
  );
}

function ChoicesField({ declaration, value, input, onChange }: FieldProps) {
  const choices = useChoices(declaration);
  const chosen = textsOf(value);
  const toggle = (choice: string): void =>
    onChange(declaration.choices.filter((one) => chosen.includes(one) !== (one === choice)));
  return (
    <fieldset className="pa-choices" {...input}>
      {choices.map(([choice, name]) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}

function NumberField({ declaration, value, input, onChange }: FieldProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  const [draft, setDraft] = useDraft(value);
  const isKilometres = declaration.kind === 'kilometres';
  return (
    <span className="pa-unit">
      <input
        {...input}
        type="number"
        step={declaration.kind === 'integer' ? 1 : 'any'}
        {...(isKilometres && { min: 0 })}
        placeholder={declaration.standard === undefined ? '' : String(declaration.standard)}
        value={draft}
        onChange={({ target }) => {
          const number = target.value === '' ? undefined : Number(target.value);
          setDraft(target.value, number);
          onChange(number);
        }}
      />
      {isKilometres && ` ${texts.kilometres}`}
    </span>
  );
}

/** The text of an input, until the value changes elsewhere: `1.` is typed for 1, and `39908` for RNCP39908. */
function useDraft(value: unknown): [string, (text: string, means: unknown) => void] {
  const [draft, setDraft] = useState({ text: '', means: undefined as unknown });
  const isTyped = draft.text !== '' && draft.means === value;
  return [isTyped ? draft.text : String(value ?? ''), (next, means) => setDraft({ text: next, means })];
}

/** A day, or how long before today, which stays so in links and saved queries. */
function DayInput({ value, input, onChange }: Omit<FieldProps, 'declaration'>) {
  const { relative, day, ago, inParis } = useTexts(VARIABLE_TEXTS);
  const text = String(value ?? '');
  const isAgo = text.startsWith('-');
  const known = AGO.includes(text) || !isAgo ? AGO : [...AGO, text];
  return (
    <span>
      <select
        aria-label={relative}
        value={isAgo ? text : ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{day}</option>
        {known.map((one) => (
          <option key={one} value={one}>
            {ago(one)}
          </option>
        ))}
      </select>{' '}
      {!isAgo && (
        <input
          {...input}
          type="date"
          title={inParis}
          value={dayOfDate(text) ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : startOfDay(target.value))}
        />
      )}
    </span>
  );
}

/** The times before today to choose from. */
const AGO = ['-P7D', '-P30D', '-P3M', '-P12M'];

function RangeField({ value, input, onChange }: FieldProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  const range: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  const end = (key: 'after' | 'before', label: string) => (
    <span>
      {label}{' '}
      <DayInput
        value={range[key]}
        input={{ 'aria-label': label }}
        onChange={(day) => {
          const { [key]: _, ...other } = range;
          const next = day === undefined ? other : { ...range, [key]: day };
          onChange(Object.keys(next).length === 0 ? undefined : next);
        }}
      />
    </span>
  );
  return (
    <fieldset className="pa-choices" {...input}>
      {end('after', texts.from)} {end('before', texts.to)}
    </fieldset>
  );
}

function TextField({ declaration, value, input, onChange }: FieldProps) {
  const [draft, setDraft] = useDraft(value);
  return (
    <input
      {...input}
      type="text"
      spellCheck={false}
      placeholder={declaration.standard === undefined ? '' : String(declaration.standard)}
      value={draft}
      onChange={({ target }) => {
        const text = normalizeCode(declaration.scalar, target.value) || undefined;
        setDraft(target.value, text);
        onChange(text);
      }}
      onBlur={() => setDraft('', undefined)}
    />
  );
}

function ListField({ declaration, value, input, onChange }: FieldProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  return (
    <Picker
      source={NO_OPTIONS}
      hint={texts.severalHint}
      values={textsOf(value)}
      isMultiple
      codeOf={(text) => normalizeCode(declaration.scalar, text) || null}
      onChange={onChange}
      input={input}
    />
  );
}

/** Values that are typed, not looked up. */
const NO_OPTIONS = { find: async () => [], labelOf: () => null };

function JsonField({ declaration, input }: FieldProps) {
  const texts = useTexts(VARIABLE_TEXTS);
  return (
    <output {...input} className="pa-quiet">
      {texts.onlyJson(declaration.type)}
    </output>
  );
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
