import { readPlace } from '../../analyst/questions/question.js';
import type { Reading } from '../../analyst/questions/words.js';

/** A phrase of somebody who has not seen the code, with what it means. */
export interface Phrase {
  readonly text: string;
  /** `-` for none; several that would be right are apart by `/`. */
  readonly subject: string;
  readonly form: string;
  /** Each `kind=value`. */
  readonly criteria: readonly string[];
  readonly unknown: string;
}

/** The phrases of a file: `phrase | subject | form | criteria | words that must be told as not understood`. */
export function readPhrases(text: string): Phrase[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [phrase = '', subject = '', form = '', criteria = '', unknown = ''] = line
      .split('|')
      .map((part) => part.trim());
    const named = criteria === '' ? [] : criteria.split(/ (?=\w+=)/);
    return { text: phrase, subject, form, criteria: named, unknown };
  });
}

/** How the phrases call what the page calls otherwise. */
const KEYS: Readonly<Record<string, string>> = {
  ROME: 'occupation',
  DIPLOMA: 'level',
  MONTH: 'month',
  DEPARTMENT: 'departement',
};
const VALUES: Readonly<Record<string, string>> = {
  APPRENTICESHIP: 'APPRENTISSAGE',
  PROFESSIONALIZATION: 'PROFESSIONNALISATION',
  'service-civique': 'volontariat_service_civique',
  full: 'FULL|REMOTE|POSSIBLE',
  true: 'true|FULL|REMOTE',
  no: 'NO|ONSITE',
};
const CRITERIA: Readonly<Record<string, string>> = {
  start: 'starts',
  remote: 'remoteMission|remoteJob',
  partnerNot: 'partner',
};

function hasCriterion({ question: { subject, criteria } }: Reading, named: string): boolean {
  const [kind = '', value = ''] = named.split(/=(.*)/s);
  const names = (CRITERIA[kind] ?? kind).split('|').flatMap((name) => [name, `${name}One`]);
  const own = names.flatMap((name) => criteria[name] ?? []);
  if (kind === 'radius') return (criteria['place'] ?? []).some((place) => readPlace(place)?.radius === Number(value));
  // Communes are found by their names.
  if (kind === 'place' && subject === 'communes' && criteria['words'] !== undefined) return true;
  if (kind === 'place') {
    const wanted = value.replace('department:', 'departement:');
    return own.some((place) => place.replace(/~.*/, '') === wanted || regionAlias(place) === wanted);
  }
  if (kind === 'level') return own.includes(`LEVEL_${value}`);
  if (kind === 'partnerNot') return own.includes(`-${value}`);
  return own.some((one) => (VALUES[value] ?? value).split('|').includes(one));
}

/** The same territory by another name: régions overseas are départements too, and so is Paris. */
function regionAlias(place: string): string {
  const overseas = { '971': '01', '972': '02', '973': '03', '974': '04', '976': '06' };
  if (place === 'departement:75') return 'commune:75056';
  const [kind, code = ''] = place.split(':');
  return kind === 'departement' && code in overseas ? `region:${overseas[code as keyof typeof overseas]}` : '';
}

/** How the page understood a phrase: subject and form, how many of the criteria, and whether it hides a difference. */
export function judge(phrase: Phrase, reading: Reading, isRun: boolean) {
  const { subject, form, by } = reading.question;
  const named = phrase.subject.replaceAll(' ', '-').split('/');
  const isSubject = phrase.subject === '-' ? subject === '' : named.includes(subject) || phrase.subject.includes('?');
  const [wantedForm = '', keys = ''] = phrase.form.split(':');
  const wantedKeys = keys === '' || keys === '*' ? [] : keys.split(',').map((key) => KEYS[key] ?? key.toLowerCase());
  const isKey = (key: string): boolean => by.some((one) => one === key || (key === 'month' && /month/i.test(one)));
  const isForm = phrase.form === '-' || (form === wantedForm && wantedKeys.every(isKey));
  const taken = phrase.criteria.filter((one) => hasCriterion(reading, one)).length;
  const asks = reading.unknown.length + reading.choices.length > 0 || subject === '' || !isRun;
  const isRight = isSubject && isForm;
  return {
    isRight,
    named: phrase.criteria.length,
    taken,
    /** Rows for another question, without a word: what was named is neither taken nor told. */
    isSilent: !asks && (!isRight || taken < phrase.criteria.length || phrase.unknown !== ''),
  };
}
