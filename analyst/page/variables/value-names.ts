import { numberFormat } from '../elements/format.js';
import { textsNow } from '../language/texts.js';
import type { Declaration } from './declarations.js';
import type { OptionSources } from './named-codes.js';
import { VARIABLE_TEXTS } from './texts.js';
import type { VariableValues } from './variable-values.js';

/** Values that are named, and the characters of each; more would not be read. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 40;

/** The labels of variables: what their kind or argument is called, with the variable's own name if several are alike. */
export function labelsOf(declarations: readonly Declaration[]): string[] {
  const labels = declarations.map(labelOf);
  return declarations.map(({ name }, index) => {
    const label = labels[index] ?? name;
    return label !== name && labels.filter((other) => other === label).length > 1 ? `${label} (${name})` : label;
  });
}

function labelOf({ kind, argument, name }: Declaration): string {
  const texts = textsNow(VARIABLE_TEXTS);
  const ofKinds: Readonly<Record<string, string>> = texts.kinds;
  const ofArguments: Readonly<Record<string, string>> = texts.arguments;
  return ofKinds[kind] ?? ofArguments[argument] ?? name;
}

/** The values of a request as people name them, such as `Rouen, 30 km`; empty if there is none. */
export function nameValues(
  declarations: readonly Declaration[],
  values: VariableValues,
  sources: OptionSources,
): string {
  const labels = labelsOf(declarations);
  const names = declarations.flatMap((declaration, index) => {
    const value = values[declaration.name];
    if (value === undefined || value === null) return [];
    const label = labels[index] ?? declaration.name;
    return [shortened(nameValue(declaration, label, value, sources))];
  });
  return [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['…'] : [])].join(', ');
}

function nameValue({ kind }: Declaration, label: string, value: unknown, sources: OptionSources): string {
  const texts = textsNow(VARIABLE_TEXTS);
  const each = (name: (one: string) => string): string => [value].flat().map(String).map(name).join(', ');
  switch (kind) {
    case 'commune':
    case 'departement':
    case 'domain':
    case 'rome':
      return each((code) => sources[kind].labelOf(code) ?? code);
    case 'kilometres':
      return each((distance) => `${numbered(distance)} ${texts.kilometres}`);
    case 'integer':
    case 'decimal':
      return texts.valueOf(label, each(numbered));
    case 'flag':
      return texts.valueOf(label, value === true ? texts.yes : texts.no);
    case 'date':
      return texts.valueOf(label, String(value).slice(0, 'yyyy-mm-dd'.length));
    case 'dateRange':
    case 'json':
      return texts.valueOf(label, JSON.stringify(value));
    default:
      return each((text) => text);
  }
}

function numbered(value: string): string {
  return Number.isNaN(Number(value)) ? value : numberFormat({ maximumFractionDigits: 6 }).format(Number(value));
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : name;
}
