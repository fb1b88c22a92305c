import { ownValue } from '../../kernel/text.js';
import { shifted } from './days.js';
import grammar from './grammar.json' with { type: 'json' };
import { termsOf } from './terms.js';

/** A sentence from which parts are taken. */
interface Rest {
  text: string;
}

/** What a part of a sentence means; false if it is none after all, and stays. */
type Use = (...parts: readonly string[]) => boolean;

function take(rest: Rest, form: RegExp, use: Use): void {
  rest.text = rest.text.replaceAll(form, (...match) => {
    // Groups that did not take part are undefined; after them come the place and the whole text.
    const parts = match
      .slice(
        1,
        match.findIndex((part) => typeof part === 'number'),
      )
      .map((part) => part ?? '');
    return use(...parts) ? ' ' : match[0];
  });
}

/** Codes as they are written, each with its criterion and how its value is written. */
const CODES: readonly (readonly [form: RegExp, criterion: string, valueOf: (written: string) => string])[] = [
  [/[“"«]([^“”"«»]+)[”"»]/g, 'words', (words) => words.trim()],
  [/(?<![\p{L}\d])((?:\d ?){13}\d)(?![\p{L}\d])/gu, 'siret', (siret) => siret.replaceAll(' ', '')],
  [/(?<![\p{L}\d])(W\d[A-Z\d]\d{7})(?![\p{L}\d])/giu, 'rna', (rna) => rna.toUpperCase()],
  [/(?<!\p{L})rncp ?(?:n°)? ?(\d{3,5})\b/giu, 'rncp', (code) => `RNCP${code}`],
  [/(?<!\p{L})([A-N]\d{4})\b/gu, 'occupation', (code) => code],
  [/(?<!\p{L})(?:postal code|code postal|zip(?: code)?|postcode) (\d{5})\b/giu, 'place', (code) => `postal:${code}`],
  [/(?<![\p{L}\d-])(\d{5})(?![\d-])/gu, 'place', (code) => `postal:${code}`],
  [
    /(?<!\p{L})(?:les |the )?(\d{1,4}) (?:premi[eè]re?s?|first|derni[eè]re?s?(?! jours| mois| semaines| ans))(?!\p{L})/giu,
    'first',
    String,
  ],
  [/(?<!\p{L})(?:les |the )?(?:first|top|premi[eè]re?s) (\d{1,4})(?!\p{L})/giu, 'first', String],
];

const RADIUS =
  /(?:rayon de |within |radius of |moins de )?(?<![\p{L}\d])(\d{1,3}) ?(?:km|kilom[eè]tres?|kilometers?)(?!\p{L})/giu;

/** Numbers and codes, each taken out of the sentence where it is found. A period is a criterion of that name. */
export function takeWritten(sentence: string, criteria: Record<string, string[]>, today: string) {
  const rest = { text: sentence };
  let radius: number | null = null;
  for (const [form, criterion, spelled] of CODES) {
    take(rest, form, (written = '') => {
      criteria[criterion] = [...new Set([...(ownValue(criteria, criterion) ?? []), spelled(written)])];
      return true;
    });
  }
  take(rest, RADIUS, (kilometres) => {
    radius = Number(kilometres);
    return true;
  });
  const set = (period: string | null): boolean => {
    if (period === null || criteria['period'] !== undefined) return false;
    criteria['period'] = [period];
    return true;
  };
  takeRanges(rest, set, today);
  takeDay(rest, set, today);
  return { rest: rest.text, radius: radius as number | null };
}

const MONTHS = grammar.monthNames.map((names) => names.map((name) => termsOf(name)[0]?.plain ?? ''));
const MONTH = grammar.monthNames.flat().join('|');
const DAY = `\\d{4}-\\d{2}-\\d{2}|\\d{1,2}/\\d{1,2}/\\d{4}|\\d{1,2}(?:er|st|nd|rd|th)? (?:of )?(?:${MONTH})(?: \\d{4})?|(?:${MONTH}) \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`;

const form = (source: string): RegExp => new RegExp(`(?<![\\p{L}\\d])${source}(?![\\p{L}\\d])`, 'giu');

const RANGE = form(
  `(?:from|du|de|entre(?: le)?|between|à partir du) (${DAY}|\\d{1,2}(?:er|st|nd|rd|th)?) (?:to|au|à|et(?: le)?|and|until|jusqu['’ ]au) (${DAY})`,
);
const MONTH_RANGE = form(
  `(?:from|du|de|entre|between) (${MONTH})(?: (\\d{4}))? (?:to|à|et|and|until) (${MONTH})(?: (\\d{4}))?`,
);
const UNIT = '(jours?|days?|semaines?|weeks?|mois|months?|ans?|years?)';
const FRENCH_COUNT = form(
  `(?:les |dans les |ces |au cours des |depuis )?(\\d{1,3}) (derniers?|dernières?|prochains?|prochaines?) ${UNIT}`,
);
const ENGLISH_COUNT = form(`(?:the |in the |over the )?(last|past|next|coming) (\\d{1,3}) ${UNIT}`);
const DAYS_OF: Readonly<Record<string, number>> = { j: 1, d: 1, s: 7, w: 7, m: 30, a: 365, y: 365 };

/** Periods from one day or month to another, and of so many days from today. */
function takeRanges(rest: Rest, set: (period: string | null) => boolean, today: string): void {
  take(rest, RANGE, (one = '', other = '') => {
    const end = dayOf(other, today);
    const sameMonth = end && `${end.slice(0, 8)}${one.replaceAll(/\D/g, '').padStart(2, '0')}`;
    const ending = /\d{4}/.test(one) || !/\d{4}/.test(other) ? one : `${one} ${end?.slice(0, 4)}`;
    const start = dayOf(ending, today) ?? sameMonth;
    return set(start === null || end === null ? null : `${start}..${end}`);
  });
  take(rest, MONTH_RANGE, (one = '', year = '', other = '', last = '') =>
    set(`${monthOf(one, year || last, today)}-01..${lastDay(monthOf(other, last, today))}`),
  );
  const counted = (which: string, count: string, unit: string): boolean => {
    const days = Number(count) * (ownValue(DAYS_OF, unit.charAt(0).toLowerCase()) ?? 1);
    return set(`${/^(?:dern|last|past)/i.test(which) ? 'last' : 'next'}-${days}-days`);
  };
  take(rest, FRENCH_COUNT, (count = '', which = '', unit = '') => counted(which, count, unit));
  take(rest, ENGLISH_COUNT, (which = '', count = '', unit = '') => counted(which, count, unit));
}

const ONE_END = form(
  `(depuis|since|after|après|from|à partir|dès|avant|before|jusqu['’ ]au|until) (?:du |le |the )?(${DAY})`,
);
const ONE_DAY = form(`(?:le |on |on the )?(${DAY})`);
const ONE_MONTH = form(
  `(?:(depuis|since|after|après|from|avant|before) )?((?:en |in |du mois de |mois de |de |of |d['’])?)(${MONTH})(?: (\\d{4}))?`,
);
const ONE_YEAR = form(`(?:(depuis|since|before|avant) )?(?:en |in |l['’]année |année )?(20[12]\\d)`);

/** A day, a month or a year, or what is before or after one. */
function takeDay(rest: Rest, set: (period: string | null) => boolean, today: string): void {
  take(rest, ONE_END, (word = '', written = '') => {
    const day = dayOf(written, today);
    return set(day && endedBy(word, day, day));
  });
  take(rest, ONE_DAY, (written = '') => set(dayOf(written, today)));
  take(rest, ONE_MONTH, (word = '', before = '', name = '', year = '') => {
    // "May" and "mars" are words too: alone, they need a preposition or a year.
    if (/^(?:may|mars|mar)$/i.test(name) && word + before + year === '') return false;
    const month = monthOf(name, year, today);
    return set(word === '' ? month : endedBy(word, `${month}-01`, lastDay(month)));
  });
  take(rest, ONE_YEAR, (word = '', year = '') =>
    set(word === '' ? year : endedBy(word, `${year}-01-01`, `${year}-12-31`)),
  );
}

/** The period that a word such as "before" makes of the first and last day of another. */
function endedBy(word: string, first: string, last: string): string {
  if (/^(?:avant|before)/i.test(word)) return `..${shifted(first, -1)}`;
  if (/^(?:jusqu|until)/i.test(word)) return `..${last}`;
  return `${/^(?:after|après)/i.test(word) ? shifted(last, 1) : first}..`;
}

/** A day as people write it, this year's or the coming one if they name no year; null for one that does not exist. */
function dayOf(written: string, today: string): string | null {
  if (/^\d{4}-/.test(written)) return written;
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(written) ?? [];
  if (year !== '') return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const name = /\p{L}{3,}/u.exec(written.replace(/^\d+(?:er|st|nd|rd|th)/, ''))?.[0] ?? '';
  const [date] = /\d{1,2}(?!\d)/.exec(written.replace(/\d{4}/, '')) ?? [];
  if (date === undefined || name === '') return null;
  return `${monthOf(name, /\d{4}/.exec(written)?.[0] ?? '', today)}-${date.padStart(2, '0')}`;
}

/** A month by its name; without a year, the one that is nearest, a coming one rather than one long past. */
function monthOf(name: string, year: string, today: string): string {
  const number = MONTHS.findIndex((names) => names.includes(termsOf(name)[0]?.plain ?? '')) + 1;
  const month = String(number).padStart(2, '0');
  if (/^\d{4}$/.test(year)) return `${year}-${month}`;
  const [now, current] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  return `${number < current - 5 ? now + 1 : number > current + 6 ? now - 1 : now}-${month}`;
}

function lastDay(month: string): string {
  return shifted(`${shifted(`${month}-15`, 30).slice(0, 7)}-01`, -1);
}
