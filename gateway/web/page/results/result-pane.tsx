import { useGraphiQL } from '@graphiql/react';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { findLists, WHOLE_RESPONSE } from '../../rows/lists.js';
import { readTable } from '../../rows/table.js';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { shown } from '../responses/shown.js';
import { activeTab, chosenLists, showsTrace, useCapture, VIEWS, type View, view } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { VariablesForm } from '../variables/variables-form.js';
import { ErrorBanner } from './error-banner.js';
import { ListBar } from './list-bar.js';
import { StatusLine } from './status-line.js';
import { TableView } from './table-view.js';
import { RESULT_TEXTS } from './texts.js';
import { TraceView } from './trace-view.js';

/** Loaded on demand with the outlines of the départements, which only the map needs. */
const MapView = lazy(() => import('../map/map-view.js').then((module) => ({ default: module.MapView })));

/** The response pane: view tabs, status, errors, and the chosen view. */
export function ResultPane() {
  const current = useStore(view);
  const result = useCapture();
  const isFetching = useGraphiQL((state) => state.isFetching);
  const texts = useTexts(RESULT_TEXTS);
  useShownText(result);
  return (
    <section className="pa-pane" data-view={current} aria-label={texts.response}>
      <div className="pa-head">
        <ViewTabs current={current} />
        {current === 'JSON' && result?.trace && <TraceSwitch />}
        <StatusLine result={result} isFetching={isFetching} />
      </div>
      <VariablesForm />
      {result && <ErrorBanner errors={result.response.errors ?? []} />}
      <div
        className="pa-body"
        id="pa-view"
        role="tabpanel"
        aria-labelledby={`pa-tab-${current}`}
        hidden={current === 'JSON'}
      >
        {result === undefined ? (
          <p className="pa-empty">{isFetching ? texts.running : texts.empty}</p>
        ) : (
          <Chosen result={result} current={current} />
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
    view.set(next);
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
          onClick={() => view.set(name)}
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
  return <Rows result={result} current={current} />;
}

function Rows({ result, current }: { result: QueryResult; current: View }) {
  const tab = useStore(activeTab);
  const texts = useTexts(RESULT_TEXTS);
  const chosen = useStore(chosenLists)[tab];
  const data = result.response.data ?? null;
  const lists = useMemo(() => (data === null ? [] : findLists(data)), [data]);
  const path = lists.some((list) => list.path === chosen) ? chosen : lists[0]?.path;
  // Only the chosen list is read as a table: 68,000 rows take seconds.
  const table = useMemo(() => (data === null ? null : readTable(data, path ?? WHOLE_RESPONSE)), [data, path]);
  if (table === null) return <p className="pa-empty">{texts.noData}</p>;
  return (
    <>
      <ListBar result={result} lists={lists} table={table} />
      {current === 'Table' ? (
        <TableView key={table.path} table={table} />
      ) : (
        <Suspense fallback={<p className="pa-empty">{texts.drawing}</p>}>
          <MapView key={table.path} table={table} />
        </Suspense>
      )}
    </>
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
