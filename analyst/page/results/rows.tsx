import {
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { listSteps, type RowList, WHOLE_RESPONSE } from '../../../rows/lists.js';
import type { JsonObject } from '../../../rows/path.js';
import { CountsView } from '../counts/counts-view.js';
import { useSteps } from '../elements/effects.js';
import { useExtent } from '../lists/extent.js';
import { useShownRows } from '../lists/loaded-list.js';
import { parseQuery } from '../request/operation.js';
import { useTexts } from '../state/language.js';
import { usePage, useTabMemory } from '../state/page-state.js';
import { type GraphqlRequest, outcomeOf, type QueryResult } from '../state/query-result.js';
import { type ListMemory, UNTOUCHED, type View } from '../state/tab-memory.js';
import { TableView } from '../table/table-view.js';
import { RowToolbar } from '../table/toolbar.js';
import { ListBar } from './list-bar.js';
import { NoRows } from './no-rows.js';
import { Sentence } from './sentence.js';
import { RESULT_TEXTS } from './texts.js';

/** Loaded on demand with the outlines of the départements, which only the map needs. */
const MapView = lazy(() => import('../map/map-view.js').then((module) => ({ default: module.MapView })));

/** The rows of a response, as a table, counted, or on the map. */
export function Rows({ result, view }: { result: QueryResult; view: View }) {
  const texts = useTexts(RESULT_TEXTS);
  const data = result.response.data ?? null;
  const find = useCallback(() => findSteps(data), [data]);
  const { value: found } = useSteps(find);
  const outcome = outcomeOf(result);
  const schema = usePage((state) => state.schema);
  if (outcome === 'failed') return <p className="pa-empty">{texts.nothingCame}</p>;
  if (data === null) return <p className="pa-empty">{texts.noData}</p>;
  if (found?.data !== data) return <p className="pa-empty">{texts.reading}</p>;
  // A row of what stands around a list would pass for the list.
  if (found.lists.length === 0 && outcome !== 'whole' && schema && asksForList(result.request, schema)) {
    return <p className="pa-empty">{texts.noListCame}</p>;
  }
  return <ChosenList result={result} data={data} lists={found.lists} view={view} />;
}

function* findSteps(data: JsonObject | null) {
  return { data, lists: data === null ? [] : yield* listSteps(data) };
}

interface ChosenListProps {
  result: QueryResult;
  data: JsonObject;
  lists: readonly RowList[];
  view: View;
}

function ChosenList({ result, data, lists, view }: ChosenListProps) {
  const texts = useTexts(RESULT_TEXTS);
  const { list, lists: memories } = useTabMemory();
  const { asked } = result;
  const path = lists.find((one) => one.path === list)?.path ?? lists[0]?.path ?? WHOLE_RESPONSE;
  const memory = memories[path] ?? UNTOUCHED;
  const { shown, isBusy } = useShownRows(data, path, useConditions(memory, asked));
  const extent = useExtent(result, path);
  if (asked && lists.length === 0) return <NoRows question={asked.question} />;
  if (shown === undefined) return <p className="pa-empty">{texts.reading}</p>;
  if (asked && view !== 'Counts' && shown.list.rows.length === 0) return <NoRows question={asked.question} />;
  return (
    <>
      {asked && <Sentence result={result} shown={shown} extent={extent} />}
      {/* Counts have a bar of their own. */}
      {view !== 'Counts' && (
        <div className="pa-controls">
          <ListBar result={result} lists={lists} shown={shown} extent={extent} isBusy={isBusy} />
          {shown.list.rows.length > 0 && <RowToolbar shown={shown} memory={memory} isBusy={isBusy} />}
        </div>
      )}
      {view === 'Table' && <TableView shown={shown} extent={extent} memory={memory} />}
      {view === 'Counts' && <CountsView {...{ result, shown, extent, memory, isBusy }} />}
      {view === 'Map' && (
        <Suspense fallback={<p className="pa-empty">{texts.drawing}</p>}>
          <MapView result={result} shown={shown} extent={extent} memory={memory} lists={lists} />
        </Suspense>
      )}
    </>
  );
}

/** What was chosen for a list, with the conditions that its question puts on its rows. */
function useConditions(memory: ListMemory, asked: QueryResult['asked']): ListMemory {
  return useMemo(() => {
    const where = [...(asked?.where ?? []), ...memory.choice.where];
    return { ...memory, choice: { ...memory.choice, where } };
  }, [memory, asked]);
}

/** Whether a query asks for a list of objects, which is what has rows. */
function asksForList({ query }: GraphqlRequest, schema: GraphQLSchema): boolean {
  const document = parseQuery(query);
  const types = new TypeInfo(schema);
  let isFound = false;
  const Field = (): void => {
    const type = types.getType();
    isFound ||= !!type && isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
  };
  if (document !== null) visit(document, visitWithTypeInfo(types, { Field }));
  return isFound;
}
