import { useGraphiQL } from '@graphiql/react';
import { lazy, Suspense, useCallback } from 'react';
import { listSteps, type RowList, WHOLE_RESPONSE } from '../../../rows/lists.js';
import type { JsonObject } from '../../../rows/path.js';
import { CountsView } from '../counts/counts-view.js';
import { useExtent } from '../lists/extent.js';
import { useShownRows } from '../lists/shown-rows.js';
import { useSteps } from '../lists/use-steps.js';
import { useTexts } from '../state/language.js';
import { useTabMemory } from '../state/page-state.js';
import { outcomeOf, type QueryResult } from '../state/query-result.js';
import { UNTOUCHED, type View } from '../state/tab-memory.js';
import { TableView } from '../table/table-view.js';
import { RowToolbar } from '../table/toolbar.js';
import { ListBar } from './list-bar.js';
import { asksForList } from './missing.js';
import { Sentence } from './sentence.js';
import { RESULT_TEXTS } from './texts.js';

/** Loaded on demand with the outlines of the départements, which only the map needs. */
const MapView = lazy(() => import('../map/map-view.js').then((module) => ({ default: module.MapView })));

/** The rows of a response, as a table, counted, or on the map. */
export function Rows({ result, view, sentence }: { result: QueryResult; view: View; sentence: HTMLElement | null }) {
  const texts = useTexts(RESULT_TEXTS);
  const data = result.response.data ?? null;
  const find = useCallback(() => findSteps(data), [data]);
  const { value: found } = useSteps(find);
  const outcome = outcomeOf(result);
  const schema = useGraphiQL((state) => state.schema);
  if (outcome === 'failed') return <p className="pa-empty">{texts.nothingCame}</p>;
  if (data === null) return <p className="pa-empty">{texts.noData}</p>;
  if (found?.data !== data) return <p className="pa-empty">{texts.reading}</p>;
  // A row of what stands around a list would pass for the list.
  if (found.lists.length === 0 && outcome !== 'whole' && schema && asksForList(result.request, schema)) {
    return <p className="pa-empty">{texts.noListCame}</p>;
  }
  return <ChosenList result={result} data={data} lists={found.lists} view={view} sentence={sentence} />;
}

function* findSteps(data: JsonObject | null) {
  return { data, lists: data === null ? [] : yield* listSteps(data) };
}

interface ChosenListProps {
  result: QueryResult;
  data: JsonObject;
  lists: readonly RowList[];
  view: View;
  /** Where the sentence of the result stands. */
  sentence: HTMLElement | null;
}

function ChosenList({ result, data, lists, view, sentence }: ChosenListProps) {
  const texts = useTexts(RESULT_TEXTS);
  const { list, lists: memories } = useTabMemory();
  const path = lists.find((one) => one.path === list)?.path ?? lists[0]?.path ?? WHOLE_RESPONSE;
  const memory = memories[path] ?? UNTOUCHED;
  const { shown, isBusy } = useShownRows(data, path, memory);
  const extent = useExtent(result, path);
  if (shown === undefined) return <p className="pa-empty">{texts.reading}</p>;
  return (
    <>
      <Sentence result={result} shown={shown} extent={extent} place={sentence} />
      <div className="pa-controls">
        <ListBar result={result} lists={lists} shown={shown} extent={extent} />
        {shown.list.rows.length > 0 && <RowToolbar shown={shown} extent={extent} memory={memory} isBusy={isBusy} />}
      </div>
      {view === 'Table' && <TableView shown={shown} extent={extent} memory={memory} />}
      {view === 'Counts' && <CountsView result={result} shown={shown} extent={extent} memory={memory} />}
      {view === 'Map' && (
        <Suspense fallback={<p className="pa-empty">{texts.drawing}</p>}>
          <MapView result={result} shown={shown} extent={extent} memory={memory} lists={lists} />
        </Suspense>
      )}
    </>
  );
}
