import { useMemo } from 'react';
import { instantOf } from '../../../kernel/dates.js';
import { ownValue } from '../../../kernel/text.js';
import { type Cell, ITEMS } from '../../../rows/cells.js';
import { criterionOf } from '../../questions/question.js';
import { dayOfDate, formatKilometres, numberFormat } from '../elements/format.js';
import { defineTexts, language, textsNow } from '../state/language.js';
import { mode } from '../state/mode.js';
import { useStore } from '../state/store.js';
import labels from './labels.json' with { type: 'json' };

/*
 * What columns and values are called beside a question; beside its query they have the query's own names. Names in
 * labels.json are of ends of paths, so that `workplace.name` is the employer and `name` alone the name; the longest
 * known end wins. What it does not have is split into words: many of the graph's names are French words already.
 */

type Named = Readonly<Record<'fr' | 'en', string>>;

const FIELDS: Readonly<Record<string, Named>> = labels.fields;
const VALUES: Readonly<Record<string, Readonly<Record<string, Named>>>> = {
  ...labels.values,
  domain: namesOf('domain'),
  european: namesOf('level'),
  europeen: namesOf('level'),
  type: namesOf('type', 'contract'),
  remote: { ...labels.values.remote, ...namesOf('remoteMission', 'remoteJob') },
};

/** The names of codes by which questions are asked: one dictionary for chips, rows and counts. */
function namesOf(...criteria: readonly string[]): Readonly<Record<string, Named>> {
  const values = criteria.flatMap((name) => criterionOf(name)?.values ?? []);
  return Object.fromEntries(values.map(({ code, en, fr }) => [code, { en: capital(en), fr: capital(fr) }]));
}

/** A text that begins with a capital. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The steps of a path that only hold others. */
const HOLDERS = new Set(['node', 'nodes', 'edges', 'groups', 'identifiant', 'values']);

/** Names that say nothing without what they are the name of. */
const BARE = new Set(['nom', 'name', 'title', 'label', 'libelle', 'code', 'key', 'type', 'id', 'status']);

/** What a column such as `commune.departement.nom` is called in the page's language; a title that a user gave stays. */
export function labelOfColumn(name: string): string {
  if (name === '' || /\s/.test(name)) return name;
  const label = labelOfPath(name);
  const [holder = ''] = name.split('/').slice(-2, -1);
  if (holder === '') return label;
  // In this graph, names of lists are plurals; what is no list is what was asked for.
  const { ofQuestion } = textsNow(TEXTS);
  const whose = /s\d*$/.test(holder) ? labelOfPath(holder).toLowerCase() : ofQuestion;
  return label.toLowerCase().includes(whose) ? label : `${label} (${whose})`;
}

const TEXTS = defineTexts({ en: { ofQuestion: 'of the question' }, fr: { ofQuestion: 'de la question' } });

function labelOfPath(name: string): string {
  const steps = stepsOf(name);
  for (let from = 0; from < steps.length; from += 1) {
    const label = ownValue(FIELDS, steps.slice(from).join('.'))?.[language.get()];
    if (label === undefined) continue;
    const holder = steps[from - 1];
    const isBare = from === steps.length - 1 && holder !== undefined && BARE.has(steps[from] ?? '');
    return isBare ? `${labelOfPath(holder)} – ${label.toLowerCase()}` : label;
  }
  return inWords(steps.at(-1) ?? name);
}

/** The steps of a column or of a list, such as `commune.missions.edges[]`, without those that only hold others. */
function stepsOf(name: string): string[] {
  return name.split(/\[\]|[./]/).filter((step) => step !== '' && !HOLDERS.has(step));
}

/** The labels of columns or lists by their names; none in code mode. */
export function useLabels(names: readonly string[]): Readonly<Record<string, string>> {
  const spoken = useStore(language);
  const isQuestion = useStore(mode) === 'question';
  const key = names.join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are in the key, and labels are of the language
  return useMemo(() => (isQuestion ? labelsOfColumns(key.split('\n')) : {}), [key, spoken, isQuestion]);
}

/** The labels of columns by their names: columns that would be called alike are told apart by what holds them. */
export function labelsOfColumns(names: readonly string[]): Readonly<Record<string, string>> {
  const all = names.map((name) => [name, labelOfColumn(name)] as const);
  const isAlike = (label: string): boolean => all.filter(([, other]) => other === label).length > 1;
  return Object.fromEntries(
    all.map(([name, label]) => {
      const holder = stepsOf(name).at(-2);
      return [
        name,
        isAlike(label) && holder !== undefined && labelOfColumn(holder) !== label
          ? `${label} (${labelOfColumn(holder).toLowerCase()})`
          : label,
      ];
    }),
  );
}

/** What a value is called beside a question: codes such as `FULL` of `remote` by their meaning, days as they are written. */
function labelOfValue(value: string | boolean, column: string): string | null {
  if (mode.get() !== 'question') return null;
  const name = nameOfCell(value, column);
  if (name !== value) return String(name);
  return typeof value === 'string' ? dayOf(value) : null;
}

/** A cell of a file as the page shows it: codes by their names, yes and no; numbers and dates as they are. */
export function nameOfCell(cell: Cell, column: string): Cell {
  if (typeof cell === 'boolean') return ownValue(WORDS, String(cell))?.[language.get()] ?? cell;
  if (typeof cell !== 'string') return cell;
  const named = ownValue(VALUES, lastStep(column));
  return named === undefined
    ? cell
    : cell
        .split(ITEMS)
        .map((one) => ownValue(named, one)?.[language.get()] ?? one)
        .join(ITEMS);
}

/** Digits after the decimal mark: a metre of a coordinate, a thousandth of anything else. */
const COORDINATE_DIGITS = 5;
const DIGITS = 3;
/** Smaller numbers are written with an exponent. */
const SMALL = 1e-6;

/** A cell for reading: numbers as the language writes them, without rounding noise, distances in kilometres. */
export function formatCell(cell: Cell, column: string): string {
  if (cell === null) return '';
  if (typeof cell !== 'number') return labelOfValue(cell, column) ?? String(cell);
  // Without digit grouping, since a number may be a year or an identifier.
  const written = (digits: number): string =>
    numberFormat({ maximumFractionDigits: digits, useGrouping: false }).format(cell);
  if (/(^|[./])distance$/i.test(column)) return formatKilometres(cell, 1);
  const digits = /(^|[./])(lon|lat|longitude|latitude|coordinates)\b/i.test(column) ? COORDINATE_DIGITS : DIGITS;
  return cell !== 0 && Math.abs(cell) < 0.5 * 10 ** -digits ? writeTiny(cell) : written(digits);
}

/** A number that would be rounded to zero. */
function writeTiny(value: number): string {
  const notation = Math.abs(value) < SMALL ? 'scientific' : 'standard';
  return numberFormat({ maximumSignificantDigits: 3, notation }).format(value);
}

/** Characters that the label of a column and the longest name of its codes take beside a question; 0 beside a query. */
export function labelWidth(column: string): number {
  if (mode.get() !== 'question') return 0;
  const names = Object.values(ownValue(VALUES, lastStep(column)) ?? {});
  return Math.max(labelOfColumn(column).length, ...names.map((name) => name[language.get()].length));
}

const WORDS: Readonly<Record<string, Named>> = {
  true: { fr: 'oui', en: 'yes' },
  false: { fr: 'non', en: 'no' },
};

/** The day of a date in Paris, `18/07/2026` or `18 Jul 2026`. */
function dayOf(date: string): string | null {
  const day = dayOfDate(date);
  return day === null ? null : DAYS[language.get()].format(instantOf(day));
}

const dayFormat = (locale: string, dateStyle: 'short' | 'medium') =>
  new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
const DAYS = { fr: dayFormat('fr', 'short'), en: dayFormat('en-GB', 'medium') };

/** The last step of a column's path, such as `domain` of `edge.domain`. */
export function lastStep(column: string): string {
  return column.split(/[./]/).at(-1) ?? column;
}

/** `applicationUrl` as `Application url`. */
function inWords(step: string): string {
  return capital(step.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase());
}
