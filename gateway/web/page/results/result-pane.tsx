import { useGraphiQL } from '@graphiql/react';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { findLists, WHOLE_ANSWER } from '../../rows/lists.js';
import { readTable } from '../../rows/table.js';
import type { Asked } from '../answers/asked.js';
import { shown } from '../answers/shown.js';
import { activeTab, chosenLists, showsTrace, useCapture, VIEWS, type View, view } from '../state/page-state.js';
import { useStore } from '../state/store.js';
import { ErrorBanner } from './error-banner.js';
import { ListBar } from './list-bar.js';
import { StatusLine } from './status-line.js';
import { TableView } from './table-view.js';
import { TraceView } from './trace-view.js';

/** The outlines of the départements are needed by the map alone: they come with it. */
const MapView = lazy(() => import('../map/map-view.js').then((module) => ({ default: module.MapView })));

/** The response pane: tabs, what the answer cost, what it lacks, and the form that was chosen. */
export function ResultPane() {
  const current = useStore(view);
  const asked = useCapture();
  const isFetching = useGraphiQL((state) => state.isFetching);
  useShownText(asked);
  return (
    <section className="pa-pane" data-view={current} aria-label="Answer">
      <div className="pa-head">
        <ViewTabs current={current} />
        {current === 'JSON' && asked?.trace && <TraceSwitch />}
        <StatusLine asked={asked} isFetching={isFetching} />
      </div>
      {asked && <ErrorBanner errors={asked.answer.errors ?? []} />}
      <div
        className="pa-body"
        id="pa-view"
        role="tabpanel"
        aria-labelledby={`pa-tab-${current}`}
        hidden={current === 'JSON'}
      >
        {asked === undefined ? (
          <p className="pa-empty">{isFetching ? 'Running …' : EMPTY}</p>
        ) : (
          <Chosen asked={asked} current={current} />
        )}
      </div>
    </section>
  );
}

const EMPTY = 'No response yet. Run the query with Ctrl-Enter.';

function ViewTabs({ current }: { current: View }) {
  const move = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = VIEWS[(VIEWS.indexOf(current) + step + VIEWS.length) % VIEWS.length] ?? current;
    view.set(next);
    document.getElementById(`pa-tab-${next}`)?.focus();
  };
  return (
    <div className="pa-tabs" role="tablist" aria-label="Form of the answer" onKeyDown={move}>
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
          {name}
        </button>
      ))}
    </div>
  );
}

function TraceSwitch() {
  const isOn = useStore(showsTrace);
  return (
    <label className="pa-switch">
      <input type="checkbox" checked={isOn} onChange={({ target }) => showsTrace.set(target.checked)} /> with extensions
    </label>
  );
}

function Chosen({ asked, current }: { asked: Asked; current: View }) {
  if (current === 'JSON') return null;
  if (current === 'Trace') return <TraceView asked={asked} />;
  return <Rows asked={asked} current={current} />;
}

function Rows({ asked, current }: { asked: Asked; current: View }) {
  const tab = useStore(activeTab);
  const chosen = useStore(chosenLists)[tab];
  const data = asked.answer.data ?? null;
  const lists = useMemo(() => (data === null ? [] : findLists(data)), [data]);
  const path = lists.some((list) => list.path === chosen) ? chosen : lists[0]?.path;
  // Only the chosen list becomes a table: 68,000 rows take seconds.
  const table = useMemo(() => (data === null ? null : readTable(data, path ?? WHOLE_ANSWER)), [data, path]);
  if (table === null) return <p className="pa-empty">This response has no data.</p>;
  return (
    <>
      <ListBar asked={asked} lists={lists} table={table} />
      {current === 'Table' ? (
        <TableView key={table.path} table={table} />
      ) : (
        <Suspense fallback={<p className="pa-empty">Drawing …</p>}>
          <MapView key={table.path} table={table} />
        </Suspense>
      )}
    </>
  );
}

/** Writes into the JSON editor what it does not show by itself: the answer of all pages, and the trace on demand. */
function useShownText(asked: Asked | undefined): void {
  const editor = useGraphiQL((state) => state.responseEditor);
  const withTrace = useStore(showsTrace);
  useEffect(() => {
    if (asked === undefined || editor === undefined) return;
    const text = JSON.stringify(shown(asked, withTrace), null, 2);
    if (editor.getValue() !== text) editor.setValue(text);
  }, [asked, editor, withTrace]);
}
