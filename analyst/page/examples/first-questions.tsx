import { language, textsNow } from '../state/language.js';
import { useStore } from '../state/store.js';
import { useOpenExample } from '../tabs/open-tab.js';
import { EXAMPLES } from './catalogue.js';

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
          <button type="button" title={textsNow(example.about)} onClick={() => open(example, example.variables)}>
            {textsNow(example.title)}
          </button>
        </li>
      ))}
    </ul>
  );
}
