import { useGraphiQL } from '@graphiql/react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Boundary } from '../elements/boundary.js';
import { Button } from '../elements/button.js';
import { formatBytes, formatMs } from '../elements/format.js';
import { useKey } from '../elements/keys.js';
import { shown } from '../request/fetcher.js';
import { type Quota, readSources } from '../request/sources.js';
import { useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { changePage, noticeIn, remember, usePage, useResult, useTabMemory } from '../state/page-state.js';
import { outcomeOf, type QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import { VIEWS, type View } from '../state/tab-memory.js';
import { VariablesForm } from '../variables/variables-form.js';
import { PriceLine } from './price-line.js';
import { RequestLine } from './request-line.js';
import { ERROR_TEXTS, RESULT_TEXTS } from './texts.js';

/** Loaded with the first response: tables, counts and files are most of the page's own code. */
const Rows = lazy(() => import('./rows.js').then((module) => ({ default: module.Rows })));
const ErrorBanner = lazy(() => import('./error-banner.js').then((module) => ({ default: module.ErrorBanner })));
const TraceView = lazy(() => import('./trace-view.js').then((module) => ({ default: module.TraceView })));

interface ResultPaneProps {
  /** Heads the pane, out of sight where the editors are unfolded. */
  title: ReactNode;
  /** Stand where there is no response yet. */
  questions: ReactNode;
}

/**
 * The response pane: view tabs, status, form, errors, and the chosen view; while the editors are folded, from the top:
 * the question, its form, the sentence of its result, and the views.
 */
export function ResultPane({ title, questions }: ResultPaneProps) {
  const { view: current } = useTabMemory();
  const result = useResult();
  const isEvicted = usePage(({ results, tab }) => results.evicted.has(tab));
  const isBlank = useGraphiQL(({ tabs, activeTabIndex }) => !tabs[activeTabIndex]?.response) && result === undefined;
  const isFetching = useGraphiQL((state) => state.isFetching);
  const texts = useTexts(RESULT_TEXTS);
  useShownText(result);
  const isQuestion = useStore(mode) === 'question';
  const [sentence, setSentence] = useState<HTMLElement | null>(null);
  const form = (
    <Boundary key="form" resetOn={[result]}>
      <VariablesForm />
    </Boundary>
  );
  const head = (
    <div key="head" className="pa-head">
      <ViewTabs current={current} />
      {current === 'JSON' && result?.trace && <TraceSwitch />}
      <Boundary resetOn={[result]}>
        <StatusLine result={result} isFetching={isFetching} />
        <PriceLine />
      </Boundary>
    </div>
  );
  const about = result && (
    <Boundary key="about" resetOn={[result]}>
      <RequestLine result={result} />
      {outcomeOf(result) !== 'whole' && (
        <Suspense fallback={null}>
          <ErrorBanner key={result.ms} result={result} />
        </Suspense>
      )}
    </Boundary>
  );
  return (
    <section
      id="pa-answer"
      className="pa-pane"
      data-view={isBlank ? '' : current}
      aria-label={texts.response}
      tabIndex={-1}
    >
      {isQuestion
        ? [title, form, <Outcome key="sentence" result={result} place={setSentence} />, about, head]
        : [
            <div key="title" className="pa-hidden">
              {title}
            </div>,
            head,
            form,
            about,
          ]}
      <div
        className="pa-body"
        id="pa-view"
        role="tabpanel"
        aria-labelledby={`pa-tab-${current}`}
        hidden={current === 'JSON' && !isBlank}
      >
        {result === undefined ? (
          <>
            <p className="pa-empty">{isFetching ? texts.running : isEvicted ? texts.evicted : texts.empty}</p>
            {!isFetching && !isEvicted && questions}
          </>
        ) : (
          <Boundary resetOn={[result, current]}>
            <Chosen result={result} current={current} sentence={sentence} />
          </Boundary>
        )}
      </div>
    </section>
  );
}

/** The line of a question's answer: whether all came, and the place of the sentence that its rows make. */
function Outcome({ result, place }: { result: QueryResult | undefined; place(element: HTMLElement | null): void }) {
  const { outcome } = useTexts(RESULT_TEXTS);
  const how = result === undefined ? 'whole' : outcomeOf(result);
  return (
    <p className="pa-sentence">
      {how !== 'whole' && <strong>{outcome[how]}</strong>} <span ref={place} />
    </p>
  );
}

function ViewTabs({ current }: { current: View }) {
  const texts = useTexts(RESULT_TEXTS);
  const show = (step: number): void => {
    const next = VIEWS.at((VIEWS.indexOf(current) + step) % VIEWS.length) ?? current;
    remember({ view: next });
    document.getElementById(`pa-tab-${next}`)?.focus();
  };
  const move = ({ key }: React.KeyboardEvent): void => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') show(key === 'ArrowRight' ? 1 : -1);
  };
  useKey('F8', (isBack) => show(isBack ? -1 : 1));
  return (
    <div className="pa-tabs" role="tablist" aria-label={texts.views} aria-keyshortcuts="F8 Shift+F8" onKeyDown={move}>
      {VIEWS.map((name) => (
        <Button
          key={name}
          role="tab"
          id={`pa-tab-${name}`}
          aria-controls="pa-view"
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => remember({ view: name })}
        >
          {texts.view[name]}
        </Button>
      ))}
    </div>
  );
}

function TraceSwitch() {
  const isOn = usePage(({ showsTrace }) => showsTrace);
  const texts = useTexts(RESULT_TEXTS);
  return (
    <label className="pa-switch">
      <input type="checkbox" checked={isOn} onChange={({ target }) => changePage({ showsTrace: target.checked })} />{' '}
      {texts.withExtensions}
    </label>
  );
}

function Chosen({ result, current, sentence }: { result: QueryResult; current: View; sentence: HTMLElement | null }) {
  if (current === 'JSON') return null;
  return (
    <Suspense fallback={null}>
      {current === 'Trace' ? (
        <TraceView result={result} />
      ) : (
        <Rows result={result} view={current} sentence={sentence} />
      )}
    </Suspense>
  );
}

/** Updates the JSON editor when GraphiQL does not: with the rows of all pages, and with the trace on request. */
function useShownText(result: QueryResult | undefined): void {
  const editor = useGraphiQL((state) => state.responseEditor);
  const withTrace = usePage(({ showsTrace }) => showsTrace);
  useEffect(() => {
    if (result === undefined || editor === undefined) return;
    const text = JSON.stringify(shown(result, withTrace), null, 2);
    if (editor.getValue() !== text) editor.setValue(text);
  }, [result, editor, withTrace]);
}

/** Status, time, size and upstream calls of the current response. */
function StatusLine({ result, isFetching }: { result: QueryResult | undefined; isFetching: boolean }) {
  const said = usePage(noticeIn);
  const texts = useTexts(RESULT_TEXTS);
  // What operators read is in the trace; a question has a sentence instead.
  const isQuestion = useStore(mode) === 'question';
  const words = result === undefined || isQuestion ? [] : facts(result, texts);
  if (said !== null) words.push(said());
  return (
    <p className="pa-status" role="status">
      {isFetching ? <Running /> : words.join(' · ')}
    </p>
  );
}

/** Whether all came, before anything that only operators read. */
function facts(result: QueryResult, { outcome, upstreamCalls }: (typeof RESULT_TEXTS)['en']): string[] {
  const { status, ms, bytes, trace } = result;
  const how = outcomeOf(result);
  const words = [...(how === 'whole' ? [] : [outcome[how]]), `HTTP ${status}`, formatMs(ms), formatBytes(bytes)];
  if (trace === null) return words;
  const { callsMade, savedByCache, savedBySharing } = trace.totals;
  return [...words, upstreamCalls(callsMade, savedByCache + savedBySharing)];
}

/** Seconds before the page shows how long a query has been running, and what it waits for. */
const SHOWN_AFTER = 2;

/** The wait is shown in steps of this many seconds. */
const STEP = 5;

/** Seconds between looks at the quotas, which make no upstream call. */
const LOOK_EVERY = 5;

/** Shows that a query is running, how long it has been, and which quota it waits for. */
function Running() {
  const texts = { ...useTexts(RESULT_TEXTS), ...useTexts(ERROR_TEXTS) };
  const [seconds, setSeconds] = useState(0);
  const [spent, setSpent] = useState<{ readonly service: string; readonly until: number } | null>(null);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((passed) => passed + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const look = seconds >= SHOWN_AFTER ? Math.floor((seconds - SHOWN_AFTER) / LOOK_EVERY) : null;
  useEffect(() => {
    if (look === null) return;
    const stop = new AbortController();
    readSources(stop.signal).then(
      (sources) => {
        const found = sources.flatMap(({ name, quotas }) =>
          quotas.filter(isSpent).map((quota) => ({ name, quota })),
        )[0];
        const now = SHOWN_AFTER + look * LOOK_EVERY;
        setSpent(found ? { service: found.name, until: now + found.quota.resetSeconds } : null);
      },
      () => {},
    );
    return () => stop.abort();
  }, [look]);
  if (seconds < SHOWN_AFTER) return texts.running;
  // In steps, so that screen readers do not read it out every second.
  const left = spent === null ? 0 : Math.ceil((spent.until - seconds) / STEP) * STEP;
  const wait = spent === null || left <= 0 ? '' : ` · ${texts.waiting(spent.service, left)}`;
  return (
    <>
      {texts.running} <span aria-hidden="true">{texts.elapsed(seconds)}</span>
      {wait}
    </>
  );
}

function isSpent({ limit, remaining, resetSeconds }: Quota): boolean {
  return limit > 0 && remaining === 0 && resetSeconds > 0;
}
