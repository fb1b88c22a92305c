import { instantOf } from '../../../kernel/dates.js';
import { keysOf } from '../../questions/compose.js';
import { daysOf } from '../../questions/days.js';
import { criterionOf, type FORMS, type Question, readPlace, subjectOf } from '../../questions/question.js';
import { formatKilometres, formatNumber } from '../elements/format.js';
import { defineTexts, language, textsNow } from '../state/language.js';
import { nameOf, today } from './known.js';

/** A question in words, such as `Missions by département: open to minors, Bretagne`. */
export function describeQuestion(question: Question): string {
  const subject = subjectOf(question.subject);
  if (subject === null) return '';
  const texts = textsNow(QUESTION_TEXTS);
  const [, many = ''] = subject.title[language.get()];
  const keys =
    question.form === 'count' ? keysOf(question, subject).map(({ title }) => title[language.get()].toLowerCase()) : [];
  const criteria = Object.entries(question.criteria).map(([name, values]) => describeCriterion(name, values));
  const head = keys.length === 0 ? many : texts.by(many, keys.join(texts.and));
  const said = criteria.length === 0 ? head : texts.with(head, criteria.join(', '));
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** Values of a criterion that are named; of more, the number is said. */
const NAMED = 5;

/** The values of a criterion in words. */
export function describeCriterion(name: string, values: readonly string[]): string {
  const criterion = criterionOf(name);
  const texts = textsNow(QUESTION_TEXTS);
  const title = criterion?.title[language.get()] ?? name;
  if (values.length > NAMED) return `${title}: ${texts.values(values.length)}`;
  const all = values.map((value) => describeValue(name, value)).join(texts.or);
  return criterion !== null && ['period', 'ids', 'text', 'number'].includes(criterion.kind)
    ? `${title.toLowerCase()} ${all}`
    : all;
}

/** A value in words: the name of a code, a place with its kilometres, the days of a period. */
export function describeValue(name: string, value: string): string {
  const criterion = criterionOf(name);
  const texts = textsNow(QUESTION_TEXTS);
  if (criterion?.kind === 'period') return describePeriod(value);
  if (criterion?.kind === 'partner' && value.startsWith('-')) return texts.not(value.slice(1));
  if (criterion?.kind === 'number') return formatNumber(Number(value));
  const known = criterion?.values?.find(({ code }) => code === value);
  if (known !== undefined) return known[language.get()];
  const place = criterion?.kind === 'place' ? readPlace(value) : null;
  if (place === null) return criterion?.kind === 'occupation' ? (nameOf(value) ?? value) : value;
  const label = nameOf(value) ?? place.code;
  return place.radius ? texts.around(label, formatKilometres(place.radius, 0)) : label;
}

const DAY = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  fr: new Intl.DateTimeFormat('fr', { dateStyle: 'long', timeZone: 'UTC' }),
};

/** A period as its days: `from 1 December 2026 to 31 December 2026`. */
function describePeriod(period: string): string {
  const days = daysOf(period, today());
  const texts = textsNow(QUESTION_TEXTS);
  if (days === null) return period;
  // Months are small in French, where the first day is `1er`.
  const day = (text: string): string => DAY[language.get()].format(instantOf(text)).replace(/^1 (?=\p{Ll})/u, '1er ');
  const { from, to } = days;
  if (from !== null && from === to) return texts.on(day(from));
  return [from === null ? [] : [texts.from(day(from))], to === null ? [] : [texts.to(day(to))]].flat().join(' ');
}

/** Names of the forms, and how questions are put in words. */
export const QUESTION_TEXTS = defineTexts({
  en: {
    form: { list: 'List', map: 'Map', count: 'How many by' } satisfies Readonly<Record<(typeof FORMS)[number], string>>,
    by: (what: string, keys: string) => `${what} by ${keys}`,
    with: (head: string, criteria: string) => `${head}: ${criteria}`,
    and: ' and ',
    or: ' or ',
    not: (label: string) => `not ${label}`,
    values: (count: number) => `${count} values`,
    around: (name: string, distance: string) => `within ${distance} of ${name}`,
    from: (day: string) => `from ${day}`,
    to: (day: string) => `to ${day}`,
    on: (day: string) => `on ${day}`,
  },
  fr: {
    form: { list: 'Liste', map: 'Carte', count: 'Combien par' },
    by: (what, keys) => `${what} par ${keys}`,
    with: (head, criteria) => `${head} : ${criteria}`,
    and: ' et ',
    or: ' ou ',
    not: (label) => `sauf ${label}`,
    values: (count) => `${count} valeurs`,
    around: (name, distance) => `à moins de ${distance} de ${name}`,
    from: (day) => `du ${day}`,
    to: (day) => `au ${day}`,
    on: (day) => `le ${day}`,
  },
});
