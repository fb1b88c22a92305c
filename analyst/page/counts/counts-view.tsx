import { useGraphiQL } from '@graphiql/react';
import { lazy, memo, Suspense, useCallback, useMemo } from 'react';
import type { Extent } from '../../../rows/extent.js';
import { fileName, ROW_FORMATS, type RowFormat, writeRows } from '../../../rows/formats.js';
import type { PlacedColumn } from '../../../rows/layout.js';
import {
  type CountGroup,
  type Counting,
  countSteps,
  FIGURES,
  type Figure,
  orderSteps,
} from '../../../rows/row-counts.js';
import type { AboutLine } from '../../../rows/row-file.js';
import type { Steps } from '../../../rows/steps.js';
import { Choice } from '../elements/controls.js';
import { download } from '../elements/files.js';
import { formatCell, formatNumber } from '../elements/format.js';
import { useLabels } from '../labels/labels.js';
import { ExtentWords, originOf, whyPartial } from '../lists/extent.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { useSteps } from '../lists/use-steps.js';
import { language, textsNow, useTexts } from '../state/language.js';
import { rememberList } from '../state/page-state.js';
import type { QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import type { CountingMemory, ListMemory } from '../state/tab-memory.js';
import { useOpenQuery } from '../tabs/editors.js';
import { countQuery, placedGroups, usualCounting } from './counting.js';
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

interface CountBarProps {
  result: QueryResult;
  shown: ShownRows;
  extent: Extent;
  counting: CountingMemory;
  counts: OrderedCounts;
  onChange(counting: CountingMemory): void;
}

/** Chooses what to count, and saves the counts. */
function CountBar({ result, shown, extent, counting, counts, onChange }: CountBarProps) {
  const texts = useTexts(COUNT_TEXTS);
  const { layout, profiles } = shown.list;
  const names = layout.columns.map(({ name }) => name);
  const numeric = names.filter((name) => profiles.get(name)?.kind === 'number');
  const [first = '', second = ''] = counting.by;
  const setBy = (by: readonly string[]): void => onChange({ ...counting, by: by.filter((name) => name !== '') });
  const spoken = useStore(language);
  const labels = useLabels(names);
  return (
    <div className="pa-bar">
      <Choice
        label={texts.countBy}
        value={first}
        options={names}
        titles={labels}
        onChoose={(name) => setBy([name, second])}
      />
      <Choice
        label={texts.and}
        value={second}
        options={['', ...names.filter((name) => name !== first)]}
        titles={labels}
        onChoose={(name) => setBy([first, name])}
      />
      {numeric.length > 0 && (
        <Choice
          label={texts.numbers}
          value={counting.of}
          options={['', ...numeric]}
          titles={labels}
          onChoose={(of) => onChange({ ...counting, of, show: of === '' ? 'rows' : 'sum' })}
        />
      )}
      {counting.of !== '' && (
        <Choice
          label={texts.show}
          value={counting.show}
          options={FIGURES}
          titles={texts.figures}
          onChoose={(show) => onChange({ ...counting, show: show as Figure })}
        />
      )}
      <ExtentWords extent={extent} path={shown.list.path} />
      <span className="pa-buttons">
        {ROW_FORMATS.filter(({ name }) => /^(csv|csv-fr|xlsx)$/.test(name)).map((format) => (
          <button
            key={format.name}
            type="button"
            aria-label={`${texts.counts}: ${format.title[spoken]}`}
            onClick={() => downloadCounts(result, { shown, extent, counts }, format)}
          >
            {format.title[spoken]}
          </button>
        ))}
      </span>
    </div>
  );
}

/** Groups that are drawn: nobody reads more bars. */
const DRAWN = 200;

/** What was counted, the groups with the greatest figure first. */
interface OrderedCounts {
  readonly groups: readonly CountGroup[];
  readonly by: readonly PlacedColumn[];
  readonly of: PlacedColumn | null;
  /** The figure that the bars show and the groups are ordered by. */
  readonly show: Figure;
  /** Rows that were counted. */
  readonly rows: number;
}

/** The groups with their figures, and a bar beside the chosen one; drawn again only when the counts change. */
const CountTable = memo(function CountTable({ counts, extent }: { counts: OrderedCounts; extent: string }) {
  const { groups, by, of, show, rows } = counts;
  const texts = useTexts(COUNT_TEXTS);
  const labels = useLabels(by.map(({ name }) => name));
  // The chosen figure is next to its bar, visible in narrow windows too.
  const others = of === null ? [] : FIGURES.filter((figure) => figure !== show);
  const greatest = groups[0]?.[show] ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll" aria-label={texts.counts} tabIndex={0}>
      <table className="pa-table pa-count-table">
        <caption>
          {texts.groups(groups.length, rows)}, {extent}. {groups.length > DRAWN && texts.first(DRAWN)}
        </caption>
        <thead>
          <tr>
            {by.map(({ name }) => (
              <th key={name} scope="col" title={name}>
                {labels[name] ?? name}
              </th>
            ))}
            <th scope="col" className="pa-number">
              {texts.figures[show]}
            </th>
            <th scope="col">{texts.bar}</th>
            {others.map((figure) => (
              <th key={figure} scope="col" className="pa-number">
                {texts.figures[figure]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, DRAWN).map((group) => (
            <tr key={JSON.stringify(group.key)}>
              {by.map(({ name }, place) => (
                <KeyCell key={name} text={formatCell(group.key[place] ?? null, name) || texts.none} />
              ))}
              <FigureCell value={group[show]} />
              <td>
                <Bar share={greatest <= 0 ? 0 : Math.max(0, group[show] ?? 0) / greatest} />
              </td>
              {others.map((figure) => (
                <FigureCell key={figure} value={group[figure]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** Characters above which a name is cut off. */
const LONG = 20;

function KeyCell({ text }: { text: string }) {
  return <td {...(text.length > LONG && { title: text })}>{text}</td>;
}

function FigureCell({ value }: { value: number | null }) {
  return <td className="pa-number">{value === null ? '' : formatNumber(value, 2)}</td>;
}

/** The number beside the bar says the same. */
function Bar({ share }: { share: number }) {
  return (
    <svg className="pa-count-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width={100 * share} height="10" />
    </svg>
  );
}

/** Offers to count all missions of the selection at the source, if the graph has `missionCounts`. */
function CountAll({ result, path, by }: { result: QueryResult; path: string; by: string }) {
  const texts = useTexts(COUNT_TEXTS);
  const open = useOpenQuery();
  const schema = useGraphiQL((state) => state.schema);
  const query = useMemo(() => {
    const field = schema?.getQueryType()?.getFields()['missionCounts'];
    if (field === undefined) return null;
    const args = field.args.map(({ name }) => name);
    return countQuery(result.request, { path, column: by, field: { args } });
  }, [schema, result, path, by]);
  if (query === null) return null;
  const variables = Object.entries(result.request.variables ?? {}).filter(([name]) => query.includes(`$${name}:`));
  return (
    <p className="pa-note">
      <button
        type="button"
        onClick={() => open({ query, variables: JSON.stringify(Object.fromEntries(variables), null, 2) })}
      >
        {texts.countAll}
      </button>{' '}
      {texts.countAllHint}
    </p>
  );
}

/** What a file of counts is written from. */
interface CountedRows {
  readonly shown: ShownRows;
  readonly extent: Extent;
  readonly counts: OrderedCounts;
}

/** Downloads counts with their origin. If their rows are not the whole list, the file's name and its end say so. */
function downloadCounts(result: QueryResult, { shown, extent, counts }: CountedRows, format: RowFormat): void {
  const { path } = shown.list;
  const texts = textsNow(EXTENT_TEXTS);
  const figures: readonly Figure[] = counts.of === null ? ['rows'] : FIGURES;
  const titles = textsNow(COUNT_TEXTS).figures;
  const names = [...counts.by.map(({ name }) => name), ...figures.map((figure) => titles[figure])];
  const head = { columns: names.map((name) => ({ name })), positions: [], language: language.get() };
  const rows = counts.groups.map((group) => ({
    cells: () => [...group.key, ...figures.map((figure) => group[figure])],
    at: () => null,
  }));
  const why = whyPartial(result, path, extent);
  const counted: AboutLine[] = [
    [texts.countedBy, counts.by.map(({ name }) => name).join(', ')],
    ...(counts.of === null ? [] : [[texts.numbersOf, counts.of.name] as const]),
    [texts.countedRows, counts.rows],
  ];
  const end = {
    note: why === null ? null : texts.counted(counts.rows, why),
    about: [...originOf(result, shown), ...counted],
  };
  download(fileName(`${path}.counts`, format, why === null), format.mediaType, writeRows(format, head, rows, end));
}
