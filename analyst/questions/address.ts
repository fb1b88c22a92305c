import { ownValue } from '../../kernel/text.js';
import EARLIER from './earlier-links.json' with { type: 'json' };
import { CRITERIA, FORMS, type Question, subjectOf } from './question.js';

/** Values of a list that a link holds; of a longer one it only says that it is not in it. */
export const MOST_VALUES = 50;
/** In characters: what a link may hold. */
const MOST_CHARACTERS = 16_000;

/** A question in a link, with what was chosen for its answer. */
export interface Linked {
  readonly question: Question;
  /** Criteria whose lists were too long for the link. */
  readonly without: readonly string[];
  /** What else the link says: the view, and the choice of rows as in a data link. */
  readonly view: URLSearchParams;
}

/** Parameters that are not criteria. */
const OWN = ['ask', 'form', 'by', 'without'];

/** A question as a fragment without its `#`, which is never sent to a server. */
export function writeFragment({ subject, form, by, criteria }: Question, view = new URLSearchParams()): string {
  const search = new URLSearchParams({
    ask: subject,
    ...(form !== 'list' && { form }),
    ...(by.length > 0 && { by: by.join(',') }),
  });
  for (const { name } of CRITERIA) {
    const values = criteria[name] ?? [];
    if (values.length > MOST_VALUES) search.append('without', name);
    else for (const value of values) search.append(name, value);
  }
  for (const [name, value] of view) search.append(name, value);
  return search.toString().replaceAll('%3A', ':').replaceAll('%7E', '~').replaceAll('%2C', ',');
}

/** The question of a fragment such as `#ask=missions&place=departement:35`; null if it has none. */
export function readFragment(fragment: string): Linked | null {
  const [, earlier = ''] = /^#example=([a-z-]+)$/.exec(fragment) ?? [];
  const known: string = ownValue(EARLIER, earlier) ?? fragment;
  const search = new URLSearchParams(known.replace(/^#/, '').slice(0, MOST_CHARACTERS));
  const subject = search.get('ask') ?? '';
  if (subject !== '' && subjectOf(subject) === null) return null;
  if (subject === '' && !search.has('ask')) return null;
  const criteria = CRITERIA.flatMap(({ name }) => {
    const values = search.getAll(name).slice(0, MOST_VALUES);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  const view = new URLSearchParams(
    [...search].filter(([name]) => !OWN.includes(name) && !CRITERIA.some((criterion) => criterion.name === name)),
  );
  return {
    question: {
      subject,
      form: FORMS.find((form) => form === search.get('form')) ?? 'list',
      by: (search.get('by') ?? '').split(',').filter(Boolean).slice(0, 2),
      criteria: Object.fromEntries(criteria),
    },
    without: search.getAll('without').filter((name) => CRITERIA.some((criterion) => criterion.name === name)),
    view,
  };
}
