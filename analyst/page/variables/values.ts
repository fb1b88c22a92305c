import { ownValue } from '../../../kernel/text.js';
import { isObject, type Json } from '../../../rows/path.js';
import { dayOfDate, formatKilometres, numberFormat } from '../elements/format.js';
import { textsNow } from '../state/language.js';
import type { Declaration } from './declarations.js';
import type { OptionSources } from './options.js';
import { VARIABLE_TEXTS } from './texts.js';

/** What is wrong with the value of a variable, by the name of its message. */
export type Problem = 'required' | 'number' | 'integer' | 'negative' | 'choice' | 'date' | 'code';

/** How codes are written; the gateway also checks what only a register knows. */
const CODES: Readonly<Record<string, RegExp>> = {
  INSEECode: /^(\d{5}|2[AB]\d{3})$/,
  PostalCode: /^\d{5}$/,
  ROMECode: /^[A-Z]\d{4}$/,
  RNCPCode: /^(RNCP)?\d{3,5}$/,
  CFDCode: /^[A-Z0-9]{8}$/,
  SIRET: /^\d{14}$/,
  SIREN: /^\d{9}$/,
  RNA: /^W[A-Z0-9]{9}$/,
};

const DEPARTEMENT = /^(\d{2}|2[AB]|9[78]\d)$/;
const DATE = /^(\d{4}-\d{2}-\d{2}(T.+)?|-P\d{1,4}[DWMY])$/;

/** What is wrong with a value, to be shown before the query is sent; null if nothing is. */
export function problemOf(declaration: Declaration, value: unknown): Problem | null {
  if (value === undefined || value === null) return declaration.isRequired ? 'required' : null;
  if (declaration.kind === 'json') return null;
  if (declaration.kind === 'dateRange') return rangeProblem(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const problem = itemProblem(declaration, item);
    if (problem !== null) return problem;
  }
  return null;
}

function itemProblem({ kind, scalar, choices }: Declaration, item: unknown): Problem | null {
  switch (kind) {
    case 'integer':
      return Number.isInteger(item) ? null : 'integer';
    case 'decimal':
      return typeof item === 'number' ? null : 'number';
    case 'kilometres':
      return typeof item !== 'number' ? 'number' : item < 0 ? 'negative' : null;
    case 'choice':
      return choices.some((choice) => choice === item) ? null : 'choice';
    case 'flag':
      return typeof item === 'boolean' ? null : 'choice';
    case 'date':
      return typeof item === 'string' && DATE.test(item) ? null : 'date';
    case 'departement':
      return typeof item === 'string' && DEPARTEMENT.test(item) ? null : 'code';
    default:
      return (ownValue(CODES, scalar) ?? /^/).test(String(item)) ? null : 'code';
  }
}

function rangeProblem(value: unknown): Problem | null {
  const ends: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  return ends.every((end) => typeof end === 'string' && DATE.test(end)) ? null : 'date';
}

/** A code as the graph writes it: `rncp 39908` and `39908` become RNCP39908 if such a code is expected. */
export function normalizeCode(scalar: string, text: string): string {
  const code = text.replaceAll(/\s+/g, '').toUpperCase();
  if (scalar === 'RNCPCode' && /^\d{3,5}$/.test(code)) return `RNCP${code}`;
  return Object.hasOwn(CODES, scalar) ? code : text.trim();
}

/** The values of variables by name. */
export type VariableValues = Readonly<Record<string, unknown>>;

/** The values in the text of the variable editor; null if it is not a JSON object. */
export function readValues(text: string): VariableValues | null {
  if (text.trim() === '') return {};
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The text with one value changed, in the same order; undefined and an empty list remove the variable. */
export function writeValue(values: VariableValues, name: string, value: unknown): string {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  const next = Object.entries({ ...values, [name]: isEmpty ? undefined : value });
  return JSON.stringify(Object.fromEntries(next.filter(([, one]) => one !== undefined)), null, 2);
}

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

/** What the kind of a variable or its argument is called; its own name if neither has one. */
export function labelOf({ kind, argument, name }: Pick<Declaration, 'kind' | 'argument' | 'name'>): string {
  const texts = textsNow(VARIABLE_TEXTS);
  const ofKinds: Readonly<Record<string, string>> = texts.kinds;
  const ofArguments: Readonly<Record<string, string>> = texts.arguments;
  return ownValue(ofKinds, kind) ?? ownValue(ofArguments, argument) ?? name;
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

function nameValue({ kind, scalar }: Declaration, label: string, value: unknown, sources: OptionSources): string {
  const texts = textsNow(VARIABLE_TEXTS);
  const each = (name: (one: string) => string): string => [value].flat().map(String).map(name).join(', ');
  switch (kind) {
    case 'commune':
    case 'departement':
    case 'domain':
    case 'rome':
      return each((code) => sources[kind].labelOf(code) ?? code);
    case 'kilometres':
      return each((distance) => (Number.isNaN(Number(distance)) ? distance : formatKilometres(Number(distance), 6)));
    case 'integer':
    case 'decimal':
      return texts.valueOf(label, each(numbered));
    case 'choice':
      return each((choice) => sources.choice.labelOf(`${scalar}.${choice}`) ?? choice);
    case 'flag':
      return texts.valueOf(label, value === true ? texts.yes : texts.no);
    case 'date':
      return texts.valueOf(label, dayOf(value));
    case 'dateRange':
      return texts.valueOf(label, nameRange(value));
    case 'json':
      return texts.valueOf(label, JSON.stringify(value));
    default:
      return each((text) => text);
  }
}

/** `30 derniers jours`, or a day in Paris. */
function dayOf(value: unknown): string {
  const text = String(value);
  return text.startsWith('-') ? textsNow(VARIABLE_TEXTS).ago(text) : (dayOfDate(text) ?? text);
}

function nameRange(value: unknown): string {
  const { from, to } = textsNow(VARIABLE_TEXTS);
  const { after = null, before = null }: { after?: unknown; before?: unknown } = Object(value);
  const start = after === null ? '' : String(after).startsWith('-') ? dayOf(after) : `${from} ${dayOf(after)}`;
  return [start, before === null ? '' : `${to} ${dayOf(before)}`].filter(Boolean).join(', ');
}

function numbered(value: string): string {
  return Number.isNaN(Number(value)) ? value : numberFormat({ maximumFractionDigits: 6 }).format(Number(value));
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : name;
}
