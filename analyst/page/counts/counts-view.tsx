import { useGraphiQL } from '@graphiql/react';
import { lazy, memo, Suspense, useCallback, useMemo } from 'react';
import { ownValue } from '../../../kernel/text.js';
import type { Cell } from '../../../rows/cells.js';
import type { Extent } from '../../../rows/extent.js';
import { fileName, ROW_FORMATS, type RowFormat, writeRows } from '../../../rows/formats.js';
import type { PlacedColumn } from '../../../rows/layout.js';
import { isList, isObject } from '../../../rows/path.js';
import { EVERYTHING } from '../../../rows/row-choice.js';
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
import { Button } from '../elements/button.js';
import { Choice } from '../elements/controls.js';
import { useAwaited } from '../elements/effects.js';
import { download } from '../elements/files.js';
import { formatNumber, numberFormat } from '../elements/format.js';
import { formatCell, labelsOfColumns, useLabels } from '../labels/labels.js';
import { originOf, whyPartial } from '../lists/extent.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { useSteps } from '../lists/use-steps.js';
import { REST as OTHERS, PALETTE } from '../map/colours.js';
import { sendQuery } from '../request/send-query.js';
import { language, textsNow, useTexts } from '../state/language.js';
import { rememberList } from '../state/page-state.js';
import { type QueryResult, servicesOf } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import type { CountingMemory, ListMemory } from '../state/tab-memory.js';
import { countable, countQuery, placedGroups, type Stack, stacksOf, usualCounting } from './counting.js';
import { downloadPng, downloadSvg, type Picture } from './picture.js';
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
  const question = result.request.operationName ?? '';
  const usual = useMemo(() => usualCounting(list, question), [list, question]);
  const counting = memory.counting ?? usual;
  const by = useMemo(() => columnsNamed(shown, counting.by), [shown, counting.by]);
  const [of = null] = useMemo(() => columnsNamed(shown, [counting.of]), [shown, counting.of]);
  const show: Figure = of === null ? 'rows' : counting.show;
  const dates = useMemo(() => by.filter(({ name }) => list.profiles.get(name)?.kind === 'date'), [by, list]);
  const count = useCallback(() => countedSteps(rows, dates, { by, of }), [rows, dates, by, of]);
  const { value: counted = NONE } = useSteps(count);
  const { counts: source, isBusy } = useSourceCounts(
    result,
    shown,
    extent.kind === 'all' || of !== null ? NO_COLUMNS : by,
  );
  const order = useCallback(() => orderedSteps(counted, show), [counted, show]);
  const { value: inOrder = { ...counted, show } } = useSteps(order);
  const ordered = source ?? (dates.length === 0 ? inOrder : { ...inOrder, groups: chronological(inOrder.groups) });
  const says = isBusy ? texts.asksSource : source === null ? extentWords(extent, list.path) : texts.atSource;
  const places = useMemo(() => placedGroups(ordered.groups, ordered.by, ordered.show), [ordered]);
  if (rows.length === 0 || by.length === 0) return <p className="pa-empty">{texts.noRows}</p>;
  return (
    <>
      <CountBar
        result={result}
        shown={shown}
        extent={source === null ? extent : { kind: 'all' }}
        says={says}
        isBusy={isBusy}
        counting={{ by: by.map(({ name }) => name), of: of?.name ?? '', show }}
        counts={ordered}
        onChange={(next) => rememberList(list.path, { counting: next })}
      />
      <div className="pa-counts">
        {counted !== NONE && <CountTable counts={ordered} extent={says} />}
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

/** Months and other dates in their order. */
function chronological(groups: readonly CountGroup[]): CountGroup[] {
  return groups.toSorted((one, other) => (String(one.key[0]) < String(other.key[0]) ? -1 : 1));
}

const NO_COLUMNS: Counting['by'] = [];

/** Groups with what was counted: the previous ones stay, as a whole, until other columns have been counted. */
interface Counted extends Counting {
  readonly groups: readonly CountGroup[];
  /** Rows that were counted. */
  readonly rows: number;
}

const NONE: Counted = { groups: [], by: [], of: null, rows: 0 };

function* countedSteps(rows: ShownRows['rows'], dates: Counting['by'], { by, of }: Counting): Steps<Counted> {
  return { groups: yield* countSteps(countable(rows, by, dates), { by, of }), by, of, rows: rows.length };
}

function* orderedSteps(counted: Counted, show: Figure): Steps<OrderedCounts> {
  // The numbers of other columns may not be counted yet.
  const figure = counted.of === null ? 'rows' : show;
  return { ...counted, groups: yield* orderSteps(counted.groups, figure), show: figure };
}

function columnsNamed({ list: { layout } }: ShownRows, names: readonly string[]): PlacedColumn[] {
  return names.flatMap((name) => layout.columns.find((column) => column.name === name) ?? []);
}

interface CountBarProps extends CountedRows {
  result: QueryResult;
  counting: CountingMemory;
  /** Whether the source is counting: its counts are what there is to save. */
  isBusy: boolean;
  onChange(counting: CountingMemory): void;
}

/** Chooses what to count, and saves the counts. */
function CountBar({ result, counting, isBusy, onChange, ...counted }: CountBarProps) {
  const { shown, extent, says } = counted;
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
      <span className={extent.kind === 'all' ? 'pa-quiet' : 'pa-partial'}>{says}</span>
      <span className="pa-buttons">
        {ROW_FORMATS.filter(({ name }) => /^(csv|csv-fr|xlsx)$/.test(name)).map((format) => (
          <Button
            key={format.name}
            aria-label={`${texts.counts}: ${format.title[spoken]}`}
            disabled={isBusy}
            onClick={() => downloadCounts(result, counted, format)}
          >
            {format.title[spoken]}
          </Button>
        ))}
        <Button disabled={isBusy} onClick={() => downloadSvg(pictureOf(result, counted), pictureName(shown, 'svg'))}>
          SVG
        </Button>
        <Button
          disabled={isBusy}
          onClick={() => void downloadPng(pictureOf(result, counted), pictureName(shown, 'png'))}
        >
          PNG
        </Button>
      </span>
    </div>
  );
}

/** Groups that are drawn: nobody reads more bars. */
const DRAWN = 200;

/** What was counted, the groups with the greatest figure first. */
interface OrderedCounts extends Counted {
  /** The figure that the bars show and the groups are ordered by. */
  readonly show: Figure;
  /** The source's own answer, if it has counted. */
  readonly source?: QueryResult;
}

/** The groups with their figures, and a bar beside the chosen one; drawn again only when the counts change. */
const CountTable = memo(function CountTable({ counts, extent }: { counts: OrderedCounts; extent: string }) {
  const { groups, by, of, show, rows } = counts;
  const texts = useTexts(COUNT_TEXTS);
  const labels = useLabels([...by, ...(of === null ? [] : [of])].map(({ name }) => name));
  const { bars, kinds, total } = useMemo(() => barsOf(counts), [counts]);
  // The chosen figure is next to its bar, visible in narrow windows too.
  const others = kinds.length > 0 ? [] : figuresOf(counts).filter((figure) => figure !== show);
  const greatest = Math.max(0, ...bars.slice(0, DRAWN).map((bar) => bar.total ?? 0));
  const columns = kinds.length > 0 ? by.slice(0, 1) : by;
  const second = by[1]?.name ?? '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section className="pa-scroll" aria-label={texts.counts} tabIndex={0}>
      <Kinds of={kinds} column={second} />
      <table className="pa-table pa-count-table">
        <caption>
          {texts.groups(groups.length, rows)}, {extent}. {bars.length > DRAWN && texts.first(DRAWN)}
        </caption>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col" title={name}>
                {ownValue(labels, name) ?? name}
              </th>
            ))}
            <th scope="col" className="pa-number">
              {titleOf(show, counts, labels)}
            </th>
            {total > 0 && (
              <th scope="col" className="pa-number">
                %
              </th>
            )}
            <th scope="col">{texts.bar}</th>
            {others.map((figure) => (
              <th key={figure} scope="col" className="pa-number">
                {texts.figures[figure]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, DRAWN).map((bar) => (
            <tr key={JSON.stringify(bar.key)}>
              {columns.map(({ name }, place) => (
                <KeyCell key={name} text={labelOf(bar.key[place] ?? null, name)} />
              ))}
              <FigureCell value={bar.total} />
              {total > 0 && <td className="pa-number">{formatNumber((100 * (bar.total ?? 0)) / total, 1)}</td>}
              <td>
                <Bar parts={bar.parts} greatest={greatest} column={second} />
              </td>
              {others.map((figure) => (
                <FigureCell key={figure} value={bar.group?.[figure] ?? null} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** The figures that say something: where each group is one row, such as a count of the source, its number says all. */
function figuresOf({ groups, of }: OrderedCounts): readonly Figure[] {
  return of === null ? ['rows'] : areRows(groups) ? ['sum'] : FIGURES;
}

function areRows(groups: readonly CountGroup[]): boolean {
  return groups.every(({ rows }) => rows === 1);
}

function titleOf(figure: Figure, { groups, of }: OrderedCounts, labels: Readonly<Record<string, string>>): string {
  return of !== null && areRows(groups)
    ? (ownValue(labels, of.name) ?? of.name)
    : textsNow(COUNT_TEXTS).figures[figure];
}

/** A row of the table: a group, or the groups of one first key. */
interface CountBarOf {
  readonly key: readonly Cell[];
  readonly total: number | null;
  readonly parts: Stack['parts'];
  readonly group?: CountGroup;
}

/** Bars of the groups; of two columns whose figures add up, stacked, with their kinds in the order of colours. */
function barsOf({ groups, by, show, rows }: OrderedCounts) {
  const addsUp = show === 'rows' || show === 'sum';
  // A row with several items is in several groups.
  const isOfAll = show === 'rows' && by.some(({ isList }) => isList === true);
  const total = isOfAll ? rows : addsUp ? groups.reduce((sum, group) => sum + Math.max(0, group[show] ?? 0), 0) : 0;
  if (addsUp && by.length === 2) {
    const { stacks, kinds } = stacksOf(groups, show, OTHERS);
    const bars: CountBarOf[] = stacks.map((stack) => ({ ...stack, key: [stack.key] }));
    return { bars, kinds, total };
  }
  const bars = groups.map((group): CountBarOf => {
    const value = group[show];
    return { key: group.key, total: value, parts: [{ kind: null, value: Math.max(0, value ?? 0), colour: -1 }], group };
  });
  return { bars, kinds: [], total };
}

function labelOf(cell: Cell, column: string): string {
  return formatCell(cell, column) || textsNow(COUNT_TEXTS).none;
}

/** The colours of the parts of stacked bars. */
function Kinds({ of, column }: { of: readonly Cell[]; column: string }) {
  const texts = useTexts(COUNT_TEXTS);
  if (of.length === 0) return null;
  return (
    <ul className="pa-kinds">
      {of.slice(0, OTHERS + 1).map((kind, colour) => (
        <li key={String(kind)}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect width="10" height="10" fill={PALETTE[colour]} />
          </svg>{' '}
          {colour === OTHERS ? texts.others : labelOf(kind, column)}
        </li>
      ))}
    </ul>
  );
}

/** Characters above which a name is cut off. */
const LONG = 20;

function KeyCell({ text }: { text: string }) {
  return <td {...(text.length > LONG && { title: text })}>{text}</td>;
}

function FigureCell({ value }: { value: number | null }) {
  return <td className="pa-number">{value === null ? '' : formatNumber(value, 2)}</td>;
}

/** The number beside the bar says the same; the pointer tells the parts. */
function Bar({ parts, greatest, column }: { parts: Stack['parts']; greatest: number; column: string }) {
  const texts = useTexts(COUNT_TEXTS);
  let end = 0;
  return (
    <svg className="pa-count-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ kind, value, colour }) => {
        const width = greatest <= 0 ? 0 : (100 * value) / greatest;
        end += width;
        return (
          <rect key={colour} x={end - width} width={width} height="10" fill={PALETTE[colour]}>
            {colour >= 0 && (
              <title>{`${colour === OTHERS ? texts.others : labelOf(kind, column)}: ${formatNumber(value, 2)}`}</title>
            )}
          </rect>
        );
      })}
    </svg>
  );
}

/** The counts of all missions of the selection by the source itself; null where it cannot say, or is busy counting. */
function useSourceCounts(result: QueryResult, { list, choice }: ShownRows, by: Counting['by']) {
  const schema = useGraphiQL((state) => state.schema);
  const [column, second] = by;
  const load = useMemo(() => {
    const field = schema?.getQueryType()?.getFields()['missionCounts'];
    // What is filtered here, the source does not know.
    if (field === undefined || column === undefined || second !== undefined || choice.where.length > 0) return null;
    const args = field.args.map(({ name }) => name);
    const query = countQuery(result.request, { path: list.path, column: column.name, field: { args } });
    if (query === null) return null;
    const request = { query, variables: result.request.variables, operationName: 'AllMissions' };
    return (signal: AbortSignal): Promise<OrderedCounts | null> =>
      sendQuery(request, signal, result.headers).then(
        (source) => sourceCounts(source, column),
        () => null,
      );
  }, [schema, result, list, choice, column, second]);
  const counts = useAwaited(load);
  return { counts: counts ?? null, isBusy: load !== null && counts === undefined };
}

/** Null unless the source has counted all rows: a part of them says no more than the list, and must not pass for all. */
function sourceCounts(source: QueryResult, column: PlacedColumn): OrderedCounts | null {
  const json = source.response.data?.['missionCounts'] ?? null;
  if (!isObject(json) || !isList(json['groups']) || json['complete'] !== true) return null;
  const groups = json['groups'].filter(isObject).map(({ key, label, count }): CountGroup => {
    const none = { sum: null, mean: null, median: null, min: null, max: null };
    return { ...none, key: [String(label ?? key ?? '')], rows: Number(count ?? 0) };
  });
  return { groups, by: [column], of: null, show: 'rows', rows: Number(json['total'] ?? 0), source };
}

/** Bars of a picture: more are not read on a page. */
const PICTURED = 40;

/** The counts as a picture that says by itself what it shows. */
function pictureOf(result: QueryResult, { shown, counts, says }: CountedRows): Picture {
  const { receivedAt } = counts.source ?? result;
  const texts = textsNow(COUNT_TEXTS);
  const { bars, kinds, total } = barsOf(counts);
  const greatest = Math.max(0, ...bars.slice(0, PICTURED).map((bar) => bar.total ?? 0)) || 1;
  const fillOf = (colour: number): string => PALETTE[colour] ?? PALETTE[1];
  const { format } = numberFormat({ style: 'percent', maximumFractionDigits: 1 });
  const share = (value: number): string => (total > 0 ? ` (${format(value / total)})` : '');
  const date = receivedAt.toLocaleString(language.get() === 'fr' ? 'fr' : 'en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'Europe/Paris',
  });
  const names = counts.by.map(({ name }) => name);
  const by = names.map((name) => labelsOfColumns(names)[name] ?? name).join(' / ');
  return {
    title: document.querySelector('h1')?.textContent || shown.list.path,
    lines: [
      `${texts.counts}: ${by} · ${texts.groups(counts.groups.length, counts.rows)}, ${says}`,
      `${date} · ${servicesOf(result)?.join(', ') ?? ''} · Passerelle`,
    ],
    bars: bars.slice(0, PICTURED).map(({ key, total: value, parts }) => ({
      label: key.map((cell, place) => labelOf(cell, names[place] ?? '')).join(' / '),
      figure: `${formatNumber(value ?? 0, 2)}${share(value ?? 0)}`,
      parts: parts.map((part) => ({ share: part.value / greatest, fill: fillOf(part.colour) })),
    })),
    legend: kinds.slice(0, OTHERS + 1).map((kind, colour) => ({
      label: colour === OTHERS ? texts.others : labelOf(kind, names[1] ?? ''),
      fill: fillOf(colour),
    })),
  };
}

function pictureName({ list }: ShownRows, extension: string): string {
  return fileName(`${list.path}.counts`, { extension });
}

/** What a file of counts is written from. */
interface CountedRows {
  readonly shown: ShownRows;
  readonly extent: Extent;
  readonly counts: OrderedCounts;
  /** Of which rows the counts are. */
  readonly says: string;
}

/** Downloads counts with their origin. If their rows are not the whole list, the file's name and its end say so. */
function downloadCounts(result: QueryResult, { shown, extent, counts, says }: CountedRows, format: RowFormat): void {
  const { path } = shown.list;
  const texts = textsNow(EXTENT_TEXTS);
  const figures = figuresOf(counts);
  const names = [...counts.by.map(({ name }) => name), ...figures.map((figure) => titleOf(figure, counts, {}))];
  const head = { columns: names.map((name) => ({ name })), positions: [], language: language.get() };
  const rows = counts.groups.map((group) => ({
    cells: () => [...group.key, ...figures.map((figure) => group[figure])],
    at: () => null,
  }));
  const why = whyPartial(result, path, extent);
  const hasMonths = counts.by.some(({ name }) => shown.list.profiles.get(name)?.kind === 'date');
  const countedBy = counts.by.map(({ name }) => name).join(', ');
  const counted: AboutLine[] = [
    [texts.countedBy, hasMonths ? `${countedBy} (${texts.inParis})` : countedBy],
    ...(counts.of === null ? [] : [[texts.numbersOf, counts.of.name] as const]),
    [texts.countedRows, counts.source === undefined ? counts.rows : `${counts.rows} (${says})`],
  ];
  const origin =
    counts.source === undefined
      ? originOf(result, path, shown.choice)
      : originOf(counts.source, 'missionCounts.groups', EVERYTHING);
  const end = {
    note: why === null ? null : texts.counted(counts.rows, why),
    about: [...origin, ...counted],
  };
  download(fileName(`${path}.counts`, format, why === null), format.mediaType, writeRows(format, head, rows, end));
}
