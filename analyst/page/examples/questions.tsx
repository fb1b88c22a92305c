import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { Button } from '../elements/button.js';
import { language, textsNow } from '../state/language.js';
import { useStore } from '../state/store.js';
import { useQueryText } from '../tabs/editors.js';
import { useOpenExample } from '../tabs/open-tab.js';
import { EXAMPLES, exampleOf } from './catalogue.js';

const UNNAMED = { en: 'A query without a name', fr: 'Une requête sans nom' } as const;

/** The question in front, as a heading. */
export function QuestionTitle() {
  return <h1 className="pa-question">{useQuestion() || textsNow(UNNAMED)}</h1>;
}

/** The title of the example that the query in front is, or the name of its operation; empty without one. */
export function useQuestion(): string {
  useStore(language);
  const query = useQueryText();
  const name = useGraphiQL((state) => state.operationName);
  const example = useMemo(() => exampleOf(query), [query]);
  return example ? textsNow(example.title) : (name ?? '');
}

/** One question of each kind: what is where, how many, who offers, who teaches. */
const MOST_USEFUL = [
  'missions-near-a-commune',
  'mission-domains',
  'missions-by-department',
  'organizations-with-offers',
  'offers-of-an-occupation',
  'courses-of-a-certification',
  'everything-about-a-commune',
  'recruiters-near-a-commune',
];

/** The most useful questions, each of which is opened and run by a click. */
export function FirstQuestions() {
  useStore(language);
  const open = useOpenExample();
  return (
    <ul className="pa-questions">
      {MOST_USEFUL.flatMap((name) => EXAMPLES.find((one) => one.name === name) ?? []).map((example) => (
        <li key={example.name}>
          <Button title={textsNow(example.about)} onClick={() => open(example, example.variables)}>
            {textsNow(example.title)}
          </Button>
        </li>
      ))}
    </ul>
  );
}
