import { useGraphiQL } from '@graphiql/react';
import { lazy, Suspense, useEffect } from 'react';
import { Boundary } from '../elements/boundary.js';
import { useTexts } from '../language/texts.js';
import { PriceLine } from '../price/price-line.js';
import type { QueryResult } from '../responses/query-result.js';
import { shown } from '../responses/shown.js';
import { showsTrace, useCapture, useIsEvicted, VIEWS, type View } from '../state/page-state.js';
import { remember, useTabMemory } from '../state/tab-memory.js';
import { useStore } from '../store/store.js';
import { VariablesForm } from '../variables/variables-form.js';
import { ErrorBanner } from './error-banner.js';
import { RequestLine } from './request-line.js';
import { StatusLine } from './status-line.js';
import { RESULT_TEXTS } from './texts.js';
import { TraceView } from './trace-view.js';

/** Loaded with the first response: tables, counts and files are most of the page's own code. */
const Rows = lazy(() => import('./rows.js').then((module) => ({ default: module.Rows })));

/** The response pane: view tabs, status, errors, and the chosen view. */
export function ResultPane() {
  const { view: current } = useTabMemory();
  const result = useCapture();
  const isEvicted = useIsEvicted();
  const isBlank = useGraphiQL(({ tabs, activeTabIndex }) => !tabs[activeTabIndex]?.response) && result === undefined;
  const isFetching = useGraphiQL((state) => state.isFetching);
  const texts = useTexts(RESULT_TEXTS);
  useShownText(result);
  return (
    <section className="pa-pane" data-view={isBlank ? '' : current} aria-label={texts.response}>
      <div className="pa-head">
        <ViewTabs current={current} />
        {current === 'JSON' && result?.trace && <TraceSwitch />}
        <Boundary resetOn={[result]}>
          <StatusLine result={result} isFetching={isFetching} />
          <PriceLine />
        </Boundary>
      </div>
      <Boundary resetOn={[result]}>
        <VariablesForm />
      </Boundary>
      {result && (
        <Boundary resetOn={[result]}>
          <RequestLine result={result} />
          <ErrorBanner key={result.ms} result={result} />
        </Boundary>
      )}
      <div
        className="pa-body"
        id="pa-view"
        role="tabpanel"
        aria-labelledby={`pa-tab-${current}`}
        hidden={current === 'JSON' && !isBlank}
      >
        {result === undefined ? (
          <p className="pa-empty">{isFetching ? texts.running : isEvicted ? texts.evicted : texts.empty}</p>
        ) : (
          <Boundary resetOn={[result, current]}>
            <Chosen result={result} current={current} />
          </Boundary>
        )}
      </div>
    </section>
  );
}

function ViewTabs({ current }: { current: View }) {
  const texts = useTexts(RESULT_TEXTS);
  const move = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = VIEWS[(VIEWS.indexOf(current) + step + VIEWS.length) % VIEWS.length] ?? current;
    remember({ view: next });
    document.getElementById(`pa-tab-${next}`)?.focus();
  };
  return (
    <div className="pa-tabs" role="tablist" aria-label={texts.views} onKeyDown={move}>
      {VIEWS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`pa-tab-${name}`}
          aria-controls="pa-view"
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => remember({ view: name })}
        >
          {texts.view[name]}
        </button>
      ))}
    </div>
  );
}

function TraceSwitch() {
  const isOn = useStore(showsTrace);
  const texts = useTexts(RESULT_TEXTS);
  return (
    <label className="pa-switch">
      <input type="checkbox" checked={isOn} onChange={({ target }) => showsTrace.set(target.checked)} />{' '}
      {texts.withExtensions}
    </label>
  );
}

function Chosen({ result, current }: { result: QueryResult; current: View }) {
  if (current === 'JSON') return null;
  if (current === 'Trace') return <TraceView result={result} />;
  return (
    <Suspense fallback={null}>
      <Rows result={result} view={current} />
    </Suspense>
  );
}

/** Updates the JSON editor when GraphiQL does not: with the rows of all pages, and with the trace on request. */
function useShownText(result: QueryResult | undefined): void {
  const editor = useGraphiQL((state) => state.responseEditor);
  const withTrace = useStore(showsTrace);
  useEffect(() => {
    if (result === undefined || editor === undefined) return;
    const text = JSON.stringify(shown(result, withTrace), null, 2);
    if (editor.getValue() !== text) editor.setValue(text);
  }, [result, editor, withTrace]);
}
