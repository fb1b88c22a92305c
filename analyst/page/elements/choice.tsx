interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  titles?: Readonly<Record<string, string>>;
  onChoose(value: string): void;
}

/** A select with its label; an option without a name is shown as a dash. */
export function Choice({ label, value, options, titles = {}, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {titles[option] ?? (option || '–')}
          </option>
        ))}
      </select>
    </label>
  );
}
