import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { type MonacoEditor, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import '@graphiql/react/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import './graphiql.css';
import { useAwaited, useKey, useWindowEvent } from '../elements/effects.js';
import { fetcher, shown } from '../request/fetcher.js';
import { markLinked } from '../request/linked-writes.js';
import { fetchPrice } from '../request/price.js';
import { keyHeaders } from '../request/send-query.js';
import { Answer } from '../results/answer.js';
import { PriceLine } from '../results/price-line.js';
import { RESULT_TEXTS } from '../results/texts.js';
import { editors, opening } from '../state/code.js';
import { useTexts } from '../state/language.js';
import { mode } from '../state/mode.js';
import { changePage, remember, usePage, useResult } from '../state/page-state.js';
import type { QueryResult, TabHeaders } from '../state/query-result.js';
import { readShareFragment, type SharedQuery } from '../state/sharing.js';
import { useStore } from '../state/store.js';
import { readMemory, VIEWS } from '../state/tab-memory.js';
import { adoptStyles, setUpWorkers } from './content-policy.js';
import { GraphiqlPatches } from './patches.js';

adoptStyles();
setUpWorkers();

const FIRST_QUERY = `# Ctrl-Enter runs a query, Ctrl-Space completes it.
{
  communesByName(name: "Rennes", first: 3) {
    nom
    departement { nom }
  }
}
`;

/** What an address or a question opens before GraphiQL is there. */
const first = opening.get() ?? readCodeFragment(window.location.hash);
if (first !== null) forgetStoredFront();
opening.set(null);

/** GraphiQL writes query and variables one after the other, and opens a tab for a pair that never was. */
function forgetStoredFront(): void {
  for (const key of ['graphiql:query', 'graphiql:variables']) window.localStorage.removeItem(key);
}

/** GraphiQL 5, with the page's views of a response instead of its own alone. */
export function CodePage() {
  return (
    <GraphiQL
      fetcher={fetcher}
      plugins={[HISTORY_PLUGIN]}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      defaultQuery={FIRST_QUERY}
      {...(first && { initialQuery: first.query, initialVariables: first.variables })}
      defaultEditorToolsVisibility="variables"
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    >
      {/* GraphiQL looks for its own components among its direct children. */}
      <GraphiQL.Logo>{null}</GraphiQL.Logo>
      <GraphiQL.Footer>
        <GraphiqlPatches />
        <Editors />
        <CodeAnswer />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

/** Keeps the page's state in step with GraphiQL's tabs and editors; draws nothing. */
function Editors() {
  const isFront = useStore(mode) === 'code';
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  const schema = useGraphiQL((state) => state.schema) ?? null;
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const { addTab, run } = useGraphiQLActions();
  const wanted = useStore(opening);
  /** What a link says of the view, for the tab that it opens. */
  const linked = useRef<unknown>(first?.memory);
  useEffect(() => {
    if (!isFront) return;
    changePage({ tab, schema });
    const memory = readMemory(linked.current);
    if (tab !== '' && memory !== null) remember(memory, tab);
    if (tab !== '') linked.current = undefined;
  }, [isFront, tab, schema]);
  useEffect(() => {
    if (queryEditor === undefined || variableEditor === undefined) return;
    editors.set({
      read: () => ({ query: queryEditor.getValue(), variables: variableEditor.getValue() }),
      rerun(query) {
        queryEditor.setValue(query);
        run();
      },
      goTo(lineNumber, column) {
        queryEditor.setPosition({ lineNumber, column });
        queryEditor.revealLineInCenter(lineNumber);
        queryEditor.focus();
      },
    });
    return () => editors.set(null);
  }, [queryEditor, variableEditor, run]);
  const open = useCallback(
    (text: SharedQuery): void => {
      const memory = readMemory(text.memory);
      if (queryEditor?.getValue() === text.query && variableEditor?.getValue() === text.variables) {
        if (memory !== null) remember(memory);
        return;
      }
      linked.current = text.memory;
      addTab();
      queryEditor?.setValue(text.query);
      variableEditor?.setValue(text.variables);
    },
    [addTab, queryEditor, variableEditor],
  );
  useEffect(() => {
    if (wanted === null || queryEditor === undefined || variableEditor === undefined) return;
    opening.set(null);
    open(wanted);
  }, [wanted, open, queryEditor, variableEditor]);
  useWindowEvent('hashchange', () => {
    const linked = readCodeFragment(window.location.hash);
    if (linked !== null) open(linked);
  });
  useKey('F9', (isBack) => {
    const tabs = [...document.querySelectorAll('.graphiql-tab')];
    const at = tabs.findIndex((one) => one.matches('.graphiql-tab-active'));
    tabs
      .at((at + (isBack ? -1 : 1)) % tabs.length)
      ?.querySelector<HTMLElement>('.graphiql-tab-button')
      ?.click();
  });
  return null;
}

/** The answer of the tab in front, with all views. */
function CodeAnswer() {
  const isRunning = useGraphiQL((state) => state.isFetching);
  const isFront = useStore(mode) === 'code';
  const texts = useTexts(RESULT_TEXTS);
  const result = useResult();
  const price = usePrice();
  useShownText(result);
  if (!isFront) return null;
  return (
    <Answer
      views={VIEWS}
      isRunning={isRunning}
      head={<h1 className="pa-hidden">GraphiQL</h1>}
      aside={
        <>
          <TraceSwitch />
          <PriceLine price={price} />
        </>
      }
      nothing={<p className="pa-empty">{texts.empty}</p>}
    />
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

/** Milliseconds without a change after which the price is requested. */
const TYPING_ENDED_MS = 600;

/** The price of query and variables as they are in the editors; null while they change or run. */
function usePrice() {
  const query = useText(useGraphiQL((state) => state.queryEditor));
  const text = useText(useGraphiQL((state) => state.variableEditor));
  const headersText = useText(useGraphiQL((state) => state.headerEditor));
  const operationName = useGraphiQL((state) => state.operationName);
  const isFetching = useGraphiQL((state) => state.isFetching);
  const keys = usePage((state) => state.keys);
  const load = useMemo(() => {
    const variables = readObject(text);
    if (isFetching || variables === null) return null;
    const own = Object.entries(readObject(headersText) ?? {}).map(([name, value]) => [name, String(value)]);
    const headers: TabHeaders = { ...Object.fromEntries(own), ...keyHeaders(keys) };
    const request = { query, variables, operationName: operationName ?? null };
    return (signal: AbortSignal) => fetchPrice(request, headers, signal);
  }, [query, text, operationName, isFetching, keys, headersText]);
  return useAwaited(load, TYPING_ENDED_MS) ?? null;
}

/** The object in a text of JSON; null if it has none. */
function readObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function useText(editor: MonacoEditor | undefined): string {
  const watch = useCallback(
    (listener: () => void) => {
      const watching = editor?.onDidChangeModelContent(listener);
      return () => watching?.dispose();
    },
    [editor],
  );
  return useSyncExternalStore(watch, () => editor?.getValue() ?? '');
}

/**
 * The query of an address: `#query=…&variables=…`, or a link of this page with a query. Null for any other. It is not
 * run; a mutation in it asks before its first run.
 */
function readCodeFragment(fragment: string): SharedQuery | null {
  const search = new URLSearchParams(fragment.slice(1));
  const query = search.get('query');
  const variables = search.get('variables') ?? '';
  const linked = readShareFragment(fragment) ?? (query === null ? null : { query, variables });
  if (linked !== null) markLinked(linked.query);
  return linked;
}
