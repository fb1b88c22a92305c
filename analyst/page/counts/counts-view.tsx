import { lazy, Suspense, useCallback, useMemo } from 'react';
import type { Extent } from '../../../rows/extent.js';
import type { PlacedColumn } from '../../../rows/layout.js';
import { type CountGroup, type Counting, countSteps, type Figure, orderSteps } from '../../../rows/row-counts.js';
import type { Steps } from '../../../rows/steps.js';
import { useTexts } from '../language/texts.js';
import type { ListMemory } from '../lists/list-memory.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { useSteps } from '../lists/use-steps.js';
import type { QueryResult } from '../responses/query-result.js';
import { rememberList } from '../state/tab-memory.js';
import { CountAll } from './count-all.js';
import { CountBar } from './count-bar.js';
import { CountTable, type OrderedCounts } from './count-table.js';
import { usualCounting } from './counting.js';
import { placedGroups } from './placed-groups.js';
import { COUNT_TEXTS } from './texts.js';

/** Loaded on demand with the outlines of the départements. */
const Choropleth = lazy(() => import('../map/choropleth.js').then((module) => ({ default: module.Choropleth })));

interface CountsViewProps {
  result: QueryResult;
  shown: ShownRows;
  extent: Extent;
  memory: ListMemory;
}

/** The shown rows counted by one or two columns, with bars, and with a map if one column is the département. */
export function CountsView({ result, shown, extent, memory }: CountsViewProps) {
  const texts = useTexts(COUNT_TEXTS);
  const { words: extentWords } = useTexts(EXTENT_TEXTS);
  const { list, rows } = shown;
  const usual = useMemo(() => usualCounting(list), [list]);
  const counting = memory.counting ?? usual;
  const by = useMemo(() => columnsNamed(shown, counting.by), [shown, counting.by]);
  const [of = null] = useMemo(() => columnsNamed(shown, [counting.of]), [shown, counting.of]);
  const show: Figure = of === null ? 'rows' : counting.show;
  const count = useCallback(() => countedSteps(rows, by, of), [rows, by, of]);
  const { value: counted = NONE } = useSteps(count);
  const order = useCallback(() => orderedSteps(counted, show), [counted, show]);
  const { value: ordered = { ...counted, show } } = useSteps(order);
  const places = useMemo(() => placedGroups(ordered.groups, ordered.by, ordered.show), [ordered]);
  if (rows.length === 0 || by.length === 0) return <p className="pa-empty">{texts.noRows}</p>;
  return (
    <>
      <CountBar
        result={result}
        shown={shown}
        extent={extent}
        counting={{ by: by.map(({ name }) => name), of: of?.name ?? '', show }}
        counts={ordered}
        onChange={(next) => rememberList(list.path, { counting: next })}
      />
      {extent.kind !== 'all' && <CountAll result={result} path={list.path} by={by[0]?.name ?? ''} />}
      <div className="pa-counts">
        {counted !== NONE && <CountTable counts={ordered} extent={extentWords(extent, list.path)} />}
        {places !== null && (
          <Suspense fallback={null}>
            <div>
              <Choropleth label={texts.map(texts.figures[ordered.show])} values={places.values} />
              {places.elsewhere > 0 && <p className="pa-note">{texts.notPlaced(places.elsewhere)}</p>}
            </div>
          </Suspense>
        )}
      </div>
    </>
  );
}

/** Groups with what was counted: the previous ones stay, as a whole, until other columns have been counted. */
interface Counted extends Counting {
  readonly groups: readonly CountGroup[];
  /** Rows that were counted. */
  readonly rows: number;
}

const NONE: Counted = { groups: [], by: [], of: null, rows: 0 };

function* countedSteps(rows: ShownRows['rows'], by: Counting['by'], of: Counting['of']): Steps<Counted> {
  return { groups: yield* countSteps(rows, { by, of }), by, of, rows: rows.length };
}

function* orderedSteps(counted: Counted, show: Figure): Steps<OrderedCounts> {
  // The numbers of other columns may not be counted yet.
  const figure = counted.of === null ? 'rows' : show;
  return { ...counted, groups: yield* orderSteps(counted.groups, figure), show: figure };
}

function columnsNamed({ list: { layout } }: ShownRows, names: readonly string[]): PlacedColumn[] {
  return names.flatMap((name) => layout.columns.find((column) => column.name === name) ?? []);
}
