import { lazy, Suspense, useState } from 'react';
import { AskPage } from './ask/ask-page.js';
import { TopBar } from './ask/top-bar.js';
import { Boundary } from './elements/boundary.js';
import { useWindowEvent } from './elements/effects.js';
import { followMode, mode } from './state/mode.js';
import { useStore } from './state/store.js';

/** GraphiQL and its editor are most of the page's bytes: loaded when they are first opened. */
const CodePage = lazy(async () => ({ default: (await import('./graphiql/code-page.js')).CodePage }));

/*
 * The page has two modes: questions, and GraphiQL. What it knows is in one store, `state/page-state.ts`, read by
 * `usePage`, and in the question of the address, `ask/asking.ts`:
 *
 *   state      page-state: the answer in front, results, notice, keys, memories; language; mode
 *     ↓
 *   request    send-query: sends a request; price: what one would cost; sources: what is left of quotas
 *     ↓
 *   ask        the question: words, subject, form, criteria; graphiql/: the editors instead
 *     ↓
 *   answer     results/answer: status, errors and the view of the result in front
 *     ↓
 *   rows       results/rows: one list of the response; lists/loaded-list: all of it, lists/shown-rows: what was chosen,
 *              lists/extent: how much of the source's list that is; paging/: the rows of further pages
 *     ↓
 *   views      table/, counts/, map/, and the trace of the request; list-bar: files of the rows, and links to them
 *
 * Beside these stand sidebar/ (sources and keys) and elements/ (controls and formats). What shows something imports it,
 * and all import state/, which imports none of them.
 */

/** The page: one bar, and questions or GraphiQL below it. */
export function AnalystPage() {
  const current = useStore(mode);
  const [isCodeLoaded, setCodeLoaded] = useState(current === 'code');
  if (current === 'code' && !isCodeLoaded) setCodeLoaded(true);
  useWindowEvent('hashchange', followMode);
  return (
    <div className="pa-app">
      <TopBar />
      <Boundary>{current === 'question' && <AskPage />}</Boundary>
      {isCodeLoaded && (
        <div className="pa-code" hidden={current !== 'code'}>
          <Boundary>
            <Suspense fallback={<p className="pa-empty">…</p>}>
              <CodePage />
            </Suspense>
          </Boundary>
        </div>
      )}
    </div>
  );
}
