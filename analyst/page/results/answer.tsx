import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Boundary } from '../elements/boundary.js';
import { Button } from '../elements/controls.js';
import { useKey } from '../elements/effects.js';
import { formatBytes, formatMs } from '../elements/format.js';
import { useTexts } from '../state/language.js';
import { noticeIn, remember, usePage, useResult, useTabMemory } from '../state/page-state.js';
import { outcomeOf, type QueryResult } from '../state/query-result.js';
import type { View } from '../state/tab-memory.js';
import { RESULT_TEXTS } from './texts.js';

/** Loaded with the first response: tables, counts and files are most of the page's own code. */
const Rows = lazy(() => import('./rows.js').then((module) => ({ default: module.Rows })));
const ErrorBanner = lazy(() => import('./error-banner.js').then((module) => ({ default: module.ErrorBanner })));
const TraceView = lazy(() => import('./trace-view.js').then((module) => ({ default: module.TraceView })));

interface AnswerProps {
  views: readonly View[];
  isRunning: boolean;
  /** What stands above the views. */
  head?: ReactNode;
  /** What stands beside them. */
  aside?: ReactNode;
  /** What stands where there is no result. */
  nothing: ReactNode;
}

/** The result in front: errors, and the chosen view of it. */
export function Answer({ views, isRunning, head, aside, nothing }: AnswerProps) {
  const { view } = useTabMemory();
  const current = views.includes(view) ? view : (views[0] ?? 'Table');
  const result = useResult();
  const texts = useTexts(RESULT_TEXTS);
  return (
    <section id="pa-answer" className="pa-pane" data-view={current} aria-label={texts.response} tabIndex={-1}>
      {head}
      {result !== undefined && outcomeOf(result) !== 'whole' && (
        <Boundary resetOn={[result]}>
          <Suspense fallback={null}>
            <ErrorBanner key={result.ms} result={result} />
          </Suspense>
        </Boundary>
      )}
      <div className="pa-head">
        <ViewTabs views={views} current={current} />
        <StatusLine result={result} isRunning={isRunning} />
        {aside}
      </div>
      <div
        className="pa-body"
        id="pa-view"
        role="tabpanel"
        aria-labelledby={`pa-tab-${current}`}
        aria-busy={isRunning}
        hidden={current === 'JSON' && result !== undefined}
      >
        {result === undefined ? (
          isRunning ? (
            <Skeleton />
          ) : (
            nothing
          )
        ) : (
          <Boundary resetOn={[result, current]}>
            <Chosen result={result} current={current} />
          </Boundary>
        )}
      </div>
    </section>
  );
}

const LINES = [1, 2, 3, 4, 5, 6, 7, 8];

/** Lines in place of rows while they are on their way. */
function Skeleton() {
  return (
    <div className="pa-skeleton" aria-hidden="true">
      {LINES.map((line) => (
        <span key={line} />
      ))}
    </div>
  );
}

function ViewTabs({ views, current }: { views: readonly View[]; current: View }) {
  const texts = useTexts(RESULT_TEXTS);
  const show = (step: number): void => {
    const next = views.at((views.indexOf(current) + step) % views.length) ?? current;
    remember({ view: next });
    document.getElementById(`pa-tab-${next}`)?.focus();
  };
  const move = ({ key }: React.KeyboardEvent): void => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') show(key === 'ArrowRight' ? 1 : -1);
  };
  useKey('F8', (isBack) => show(isBack ? -1 : 1));
  return (
    <div className="pa-tabs" role="tablist" aria-label={texts.views} aria-keyshortcuts="F8 Shift+F8" onKeyDown={move}>
      {views.map((name) => (
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

function Chosen({ result, current }: { result: QueryResult; current: View }) {
  if (current === 'JSON') return null;
  return (
    <Suspense fallback={<Skeleton />}>
      {current === 'Trace' ? <TraceView result={result} /> : <Rows result={result} view={current} />}
    </Suspense>
  );
}

/** Status, time, size and upstream calls of the result, and what is to be said of it. */
function StatusLine({ result, isRunning }: { result: QueryResult | undefined; isRunning: boolean }) {
  const said = usePage(noticeIn);
  const texts = useTexts(RESULT_TEXTS);
  // What operators read is in the trace; a question has a sentence instead.
  const words = result === undefined || result.asked !== undefined ? [] : facts(result, texts);
  if (said !== null) words.push(said());
  return (
    <p className="pa-status" role="status">
      {isRunning ? <Running /> : words.join(' · ')}
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

/** Seconds before the page shows how long a query has been running. */
const SHOWN_AFTER = 2;

/** Shows that a query is running, and how long it has been. */
function Running() {
  const texts = useTexts(RESULT_TEXTS);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((passed) => passed + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  if (seconds < SHOWN_AFTER) return texts.running;
  return (
    <>
      {texts.running} <span aria-hidden="true">{texts.elapsed(seconds)}</span>
    </>
  );
}
