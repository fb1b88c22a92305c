import { findObject, isList } from '../../../rows/path.js';
import { subjectOf } from '../../questions/question.js';
import { formatMoment } from '../elements/format.js';
import { sayExtent } from '../lists/extent.js';
import type { ViewProps } from '../lists/loaded-list.js';
import { countInEnglish, countInFrench, defineTexts, language, useTexts } from '../state/language.js';
import { dateOf } from '../state/query-result.js';
import { useStore } from '../state/store.js';

/** The answer to a question in one sentence: how many of what, whether these are all, and of when. */
export function Sentence({ result, shown, extent }: Omit<ViewProps, 'memory'>) {
  const texts = useTexts(SENTENCE_TEXTS);
  const spoken = useStore(language);
  const subject = subjectOf(result.asked?.question.subject ?? '');
  const { rows, list } = shown;
  // The title of a question across subjects is no noun.
  const [one = '', many = ''] = subject === null || subject.about ? texts.rows : subject.title[spoken];
  // Beside a list there is none.
  const { total: sum } = findObject(result.response.data ?? null, ({ groups }) => isList(groups)) ?? {};
  const count =
    typeof sum !== 'number'
      ? texts.count(rows.length, list.rows.length, [one, many])
      : texts.sum(sum, [one, many], list.rows.length);
  const said = [
    count,
    sayExtent(extent, list.path),
    texts.dataOf(dateOf(result)),
    ...([...list.profiles.values()].some(({ kind }) => kind === 'date') ? [texts.inParis] : []),
  ];
  return <p className="pa-sentence">{said.join(' · ')}</p>;
}

type Noun = readonly [one: string, many: string];

/** Texts of the sentence that says what an answer is. */
const SENTENCE_TEXTS = defineTexts({
  en: {
    count: (shown: number, all: number, [one, many]: Noun) =>
      `${shown === all ? '' : `${shown.toLocaleString('en')} of `}${countInEnglish(all, one, many)}`,
    sum: (sum: number, [one, many]: Noun, groups: number) =>
      `${countInEnglish(sum, one, many)} in ${countInEnglish(groups, 'group')}`,
    dataOf: (date: Date) => `data of ${formatMoment(date)}`,
    inParis: 'days are those of Paris',
    rows: ['row', 'rows'] as Noun,
  },
  fr: {
    count: (shown, all, [one, many]) =>
      `${shown === all ? '' : `${shown.toLocaleString('fr')} sur `}${countInFrench(all, one, many)}`,
    sum: (sum, [one, many], groups) => `${countInFrench(sum, one, many)} en ${countInFrench(groups, 'groupe')}`,
    dataOf: (date) => `données du ${formatMoment(date)}`,
    inParis: 'les jours sont ceux de Paris',
    rows: ['ligne', 'lignes'] as Noun,
  },
});
