import { useEffect, useMemo, useRef } from 'react';
import { keysOf } from '../../questions/compose.js';
import {
  EXAMPLES,
  FORMS,
  type Form,
  type Question,
  SUBJECTS,
  type Subject,
  subjectOf,
} from '../../questions/question.js';
import { Button, Choice, PairChoice } from '../elements/controls.js';
import { useAwaited, useWindowEvent } from '../elements/effects.js';
import { capital } from '../labels/labels.js';
import { fetchPrice, type Priced } from '../request/price.js';
import { keyHeaders } from '../request/send-query.js';
import { Answer } from '../results/answer.js';
import { PriceLine } from '../results/price-line.js';
import { language, useTexts } from '../state/language.js';
import { usePage, useResult } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import type { View } from '../state/tab-memory.js';
import {
  asking,
  askQuestion,
  changeDraft,
  composeNow,
  followAddress,
  followChoices,
  isChanged,
  runQuestion,
  stopQuestion,
  tabOf,
} from './asking.js';
import { Criteria } from './criteria.js';
import { describeQuestion, QUESTION_TEXTS } from './describe.js';
import { knowledge, loadLists } from './known.js';
import { ASK_TEXTS } from './texts.js';
import { LeftOver } from './words-bar.js';

/** Questions: the subjects, or the form of one with its answer. */
export function AskPage() {
  const { draft, asked } = useStore(asking);
  const spoken = useStore(language);
  useStore(knowledge);
  usePage(({ results }) => results);
  useEffect(() => {
    void loadLists();
    void followAddress();
    const end = followChoices();
    return () => end();
  }, []);
  useWindowEvent('popstate', () => void followAddress());
  const title = describeQuestion(asked ?? draft);
  useEffect(() => {
    document.title = title === '' ? 'Passerelle' : `${title} · Passerelle`;
  }, [title]);
  const subject = subjectOf(draft.subject);
  const main = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  // What was pressed is often gone afterwards, or hidden with the editors: keyboards then go on from here.
  useEffect(() => {
    const { activeElement, body } = document;
    if ((hadFocus.current && activeElement === body) || activeElement?.closest('.pa-code')) main.current?.focus();
  });
  return (
    <main
      ref={main}
      className="pa-ask"
      lang={spoken}
      tabIndex={-1}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={() => {
        hadFocus.current = false;
      }}
    >
      <LeftOver />
      {subject === null ? <Subjects /> : <QuestionForm subject={subject} />}
      {asked !== null && <QuestionAnswer question={asked} title={title} />}
      {asked === null && subject !== null && <h1>{title}</h1>}
    </main>
  );
}

/** The subjects, each with what it is counted by. */
function Subjects() {
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  const { draft } = useStore(asking);
  const hasCriteria = Object.keys(draft.criteria).length > 0;
  return (
    <>
      <h1>{texts.subjects}</h1>
      {hasCriteria && <p>{texts.noSubject}</p>}
      <ul className="pa-subjects">
        {SUBJECTS.map((subject) => (
          <li key={subject.name}>
            <Button onClick={() => choose(subject, draft)}>{capital(subject.title[spoken][1] ?? '')}</Button>
          </li>
        ))}
      </ul>
      <h2>{texts.examples}</h2>
      <ul className="pa-subjects">
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <Button title={example.about?.[spoken]} onClick={() => choose(example, draft)}>
              {example.title[spoken][0]}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function choose({ name }: Subject, draft: Question): void {
  changeDraft({ ...draft, subject: name, by: [] });
}

/** Subject, form, keys and criteria, with what running them would cost. */
function QuestionForm({ subject }: { subject: Subject }) {
  const texts = useTexts(ASK_TEXTS);
  const { form: forms } = useTexts(QUESTION_TEXTS);
  const spoken = useStore(language);
  const { draft, unknown, choices } = useStore(asking);
  const { composed } = composeNow(draft);
  const tab = usePage((state) => state.tab);
  const isRunning = usePage(({ running }) => running.has(tab));
  const price = usePrice(draft);
  const subjects = [...SUBJECTS, ...EXAMPLES];
  const isOpen = unknown.length + choices.length > 0;
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (composed === null || isOpen) return;
    if (asking.get().asked !== null && !isChanged(asking.get())) void runQuestion(draft, composed);
    else void askQuestion(draft);
  };
  return (
    <form className="pa-form" onSubmit={submit}>
      <Choice
        label={texts.subject}
        value={subject.name}
        options={subjects.map(({ name }) => name)}
        titles={Object.fromEntries(subjects.map(({ name, title }) => [name, capital(title[spoken][1] ?? '')]))}
        onChoose={(name) => changeDraft({ ...draft, subject: name, by: [] })}
      />
      <Choice
        label={texts.form}
        value={draft.form}
        options={FORMS.filter((name) => name !== 'count' || subject.keys.length > 0)}
        titles={forms}
        onChoose={(form) => changeDraft({ ...draft, form: form as Form })}
      />
      {draft.form === 'count' && <Keys subject={subject} draft={draft} />}
      <Criteria subject={subject} />
      {isRunning ? (
        <Button onClick={stopQuestion}>{texts.stop}</Button>
      ) : (
        <Button type="submit" className="pa-run" disabled={composed === null || isOpen}>
          {texts.run}
        </Button>
      )}
      <PriceLine price={price} />
    </form>
  );
}

/** One or two keys to count by. */
function Keys({ subject, draft }: { subject: Subject; draft: Question }) {
  const texts = useTexts(ASK_TEXTS);
  const spoken = useStore(language);
  const titles = Object.fromEntries(subject.keys.map(({ name, title }) => [name, title[spoken]]));
  return (
    <PairChoice
      labels={[texts.by, texts.andBy]}
      names={subject.keys.map(({ name }) => name)}
      chosen={keysOf(draft, subject).map(({ name }) => name)}
      titles={{ ...titles, '': texts.nothingElse }}
      onChoose={(by) => changeDraft({ ...draft, by: [...new Set(by)] })}
    />
  );
}

/** Milliseconds without a change after which the price is requested. */
const SETTLED_MS = 400;

/** What a question would cost; null while that is not known. */
function usePrice(question: Question): Priced | null {
  const keys = usePage((state) => state.keys);
  const known = useStore(knowledge);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known decides what is composed
  const load = useMemo(() => {
    const { composed } = composeNow(question);
    if (composed === null) return null;
    const { query, variables, operationName } = composed;
    return (signal: AbortSignal) => fetchPrice({ query, variables, operationName }, keyHeaders(keys), signal);
  }, [question, keys, known]);
  return useAwaited(load, SETTLED_MS) ?? null;
}

const VIEWS_OF: Readonly<Record<'rows' | 'counts', readonly View[]>> = {
  rows: ['Table', 'Counts', 'Map', 'Trace'],
  counts: ['Counts', 'Trace'],
};

function QuestionAnswer({ question, title }: { question: Question; title: string }) {
  const texts = useTexts(ASK_TEXTS);
  const state = useStore(asking);
  const tab = tabOf(question);
  const isRunning = usePage(({ running }) => running.has(tab));
  const result = useResult();
  const { composed } = composeNow(question);
  const isCounted = composed !== null && question.form === 'count' && composed.columns === null;
  const head = (
    <>
      <h1>{title}</h1>
      {isChanged(state) && <p className="pa-note">{texts.changed}</p>}
    </>
  );
  return (
    <Answer
      views={VIEWS_OF[isCounted ? 'counts' : 'rows']}
      isRunning={isRunning}
      head={head}
      nothing={result === undefined && composed !== null && <p className="pa-empty">{texts.waits}</p>}
    />
  );
}
