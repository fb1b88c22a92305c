import { lazy, memo, Suspense, useCallback, useMemo } from 'react';
import { ownValue } from '../../../kernel/text.js';
import type { Cell } from '../../../rows/cells.js';
import { ROW_FORMATS, type RowFormat, writeRows } from '../../../rows/formats.js';
import type { PlacedColumn } from '../../../rows/layout.js';
import { findObject, isList } from '../../../rows/path.js';
import type { AboutLine } from '../../../rows/row-file.js';
import type { Steps } from '../../../rows/steps.js';
import { keysOf } from '../../questions/compose.js';
import { criterionOf, subjectOf } from '../../questions/question.js';
import { Button, Menu, PairChoice } from '../elements/controls.js';
import { useSteps } from '../elements/effects.js';
import { download } from '../elements/files.js';
import { formatMoment, formatNumber, numberFormat } from '../elements/format.js';
import { capital, formatCell, labelsOfColumns, useLabels } from '../labels/labels.js';
import { provenanceOf, sayExtent, whyPartial } from '../lists/extent.js';
import type { ShownRows, ViewProps } from '../lists/loaded-list.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { REST as OTHERS, PALETTE } from '../map/colours.js';
import { questionFile } from '../results/data-link.js';
import { countInEnglish, countInFrench, defineTexts, language, textsNow, useTexts } from '../state/language.js';
import { rememberList } from '../state/page-state.js';
import { type QueryResult, servicesOf } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import type { CountingMemory } from '../state/tab-memory.js';
import {
  type CountGroup,
  type Counting,
  countable,
  countSteps,
  orderSteps,
  placedGroups,
  type Stack,
  stacksOf,
  usualCounting,
} from './counting.js';
import { downloadPng, downloadSvg, type Picture } from './picture.js';

/** Loaded on demand with the outlines of the départements. */
const Choropleth = lazy(() => import('../map/choropleth.js').then((module) => ({ default: module.Choropleth })));

/** The shown rows counted by one or two columns, with bars, and with a map if one column is the département. */
export function CountsView({ result, shown, extent, memory, isBusy }: ViewProps & { isBusy: boolean }) {
  const texts = useTexts(COUNT_TEXTS);
  const { list, rows } = shown;
  const usual = useMemo(() => usualCounting(list, result.request.operationName ?? ''), [list, result]);
  const counting = memory.counting ?? usual;
  const count = useCallback(() => countedSteps(shown, counting), [shown, counting]);
  const { value: counted = NONE, isBusy: isCounting } = useSteps(count);
  const spoken = useStore(language);
  // biome-ignore lint/correctness/useExhaustiveDependencies: names are of the language
  const ofQuestion = useMemo(() => countsOfQuestion(result), [result, spoken]);
  const counts = ofQuestion ?? counted;
  const places = useMemo(() => placedGroups(counts.groups, counts.by), [counts]);
  const by = columnsNamed(shown, counting.by).map(({ name }) => name);
  const names = list.layout.columns.map(({ name }) => name);
  const titles = useLabels(names);
  if (ofQuestion === null && (rows.length === 0 || by.length === 0)) return <p className="pa-empty">{texts.noRows}</p>;
  const says = sayExtent(extent, list.path);
  return (
    <>
      <div className="pa-bar">
        {ofQuestion === null && (
          <PairChoice
            {...{ labels: [texts.countBy, texts.and], names, chosen: by, titles }}
            onChoose={(next) => rememberList(list.path, { counting: { ...counting, by: next } })}
          />
        )}
        <span className={extent.kind === 'all' ? 'pa-quiet' : 'pa-partial'}>{says}</span>
        <ExportMenu counted={{ result, shown, extent, counts }} isBusy={isBusy || isCounting} />
      </div>
      <div className="pa-counts">
        {counts !== NONE && <CountTable counts={counts} extent={says} />}
        {places !== null && (
          <Suspense fallback={null}>
            <div>
              <Choropleth label={texts.map} values={places.values} />
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

/** Groups with what was counted: the previous ones stay, as a whole, until other columns have been counted. */
interface Counted extends Pick<Counting, 'by'> {
  readonly groups: readonly CountGroup[];
  /** Rows that were counted. */
  readonly rows: number;
}

const NONE: Counted = { groups: [], by: [], rows: 0 };

function* countedSteps(shown: ShownRows, counting: CountingMemory): Steps<Counted> {
  const { list, rows } = shown;
  const by = columnsNamed(shown, counting.by);
  const [of = null] = columnsNamed(shown, [counting.of]);
  const dates = by.filter(({ name }) => list.profiles.get(name)?.kind === 'date');
  const groups = yield* orderSteps(yield* countSteps(countable(rows, by, dates), { by, of }));
  return { groups: dates.length === 0 ? groups : chronological(groups), by, rows: rows.length };
}

function columnsNamed({ list: { layout } }: ShownRows, names: readonly string[]): PlacedColumn[] {
  return names.flatMap((name) => layout.columns.find((column) => column.name === name) ?? []);
}

/** Saves the counts as a file or a picture, once they are those of what is chosen. */
function ExportMenu({ counted, isBusy }: { counted: CountedRows; isBusy: boolean }) {
  const { result, shown } = counted;
  const texts = useTexts(COUNT_TEXTS);
  const spoken = useStore(language);
  const nameOfPicture = (extension: string): string =>
    questionFile(result, `${shown.list.path}.counts`, { extension }, true);
  return (
    <Menu title={texts.exportAs}>
      {ROW_FORMATS.filter(({ offered }) => offered === 'rows and counts').map((format) => (
        <Button key={format.name} disabled={isBusy} onClick={() => downloadCounts(counted, format)}>
          {format.title[spoken]}
        </Button>
      ))}
      <Button disabled={isBusy} onClick={() => downloadSvg(pictureOf(counted), nameOfPicture('svg'))}>
        SVG
      </Button>
      <Button disabled={isBusy} onClick={() => void downloadPng(pictureOf(counted), nameOfPicture('png'))}>
        PNG
      </Button>
    </Menu>
  );
}

/** Groups that are drawn: nobody reads more bars. */
const DRAWN = 200;

/** The groups with their counts, shares and bars; drawn again only when the counts change. */
const CountTable = memo(function CountTable({ counts, extent }: { counts: Counted; extent: string }) {
  const { groups, by, rows } = counts;
  const texts = useTexts(COUNT_TEXTS);
  const labels = useLabels(by.map(({ name }) => name));
  const { bars, kinds, total } = useMemo(() => barsOf(counts), [counts]);
  const greatest = Math.max(0, ...bars.slice(0, DRAWN).map((bar) => bar.total));
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
              {texts.count}
            </th>
            {total > 0 && (
              <th scope="col" className="pa-number">
                %
              </th>
            )}
            <th scope="col">{texts.bar}</th>
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, DRAWN).map((bar) => (
            <tr key={JSON.stringify(bar.key)}>
              {columns.map(({ name }, place) => (
                <td key={name} title={labelOf(bar.key[place] ?? null, name)}>
                  {labelOf(bar.key[place] ?? null, name)}
                </td>
              ))}
              <td className="pa-number">{formatNumber(bar.total)}</td>
              {total > 0 && <td className="pa-number">{formatNumber((100 * bar.total) / total, 1)}</td>}
              <td>
                <Bar parts={bar.parts} greatest={greatest} column={second} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

/** A row of the table: a group, or the groups of one first key. */
interface CountBar extends Pick<Stack, 'total' | 'parts'> {
  readonly key: readonly Cell[];
}

/** Bars of the groups; of two columns stacked, with their kinds in the order of colours. */
function barsOf({ groups, by, rows }: Counted) {
  // A row with several items is in several groups.
  const isOfAll = by.some(({ isList }) => isList === true);
  const total = isOfAll ? rows : groups.reduce((sum, { count }) => sum + Math.max(0, count), 0);
  if (by.length === 2) {
    const { stacks, kinds } = stacksOf(groups, OTHERS);
    return { bars: stacks.map((stack): CountBar => ({ ...stack, key: [stack.key] })), kinds, total };
  }
  const bars = groups.map(({ key, count }): CountBar => {
    const part = { kind: null, value: Math.max(0, count), colour: -1 };
    return { key, total: count, parts: [part] };
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
              <title>{`${colour === OTHERS ? texts.others : labelOf(kind, column)}: ${formatNumber(value)}`}</title>
            )}
          </rect>
        );
      })}
    </svg>
  );
}

/** Counts of the graph, as questions select them. */
interface CountsOfGraph {
  readonly groups: readonly Readonly<Record<'key' | 'label', readonly (string | null)[]> & { count: number }>[];
  readonly total: number | null;
}

/** What the graph counted for a question: its groups, each with a label or a code for each key; null of a list. */
function countsOfQuestion({ asked, response }: QueryResult): Counted | null {
  const counted = asked && findObject(response.data ?? null, ({ groups }) => isList(groups));
  const subject = subjectOf(asked?.question.subject ?? '');
  if (!asked || !counted || subject === null) return null;
  const keys = keysOf(asked.question, subject);
  const { groups: all, total } = counted as unknown as CountsOfGraph;
  const groups = all.map(({ key, label, count }): CountGroup => {
    const cells = keys.map(({ name }, at) => nameOfGroup(name, key[at] ?? '', label[at] ?? ''));
    return { key: cells, count };
  });
  const by = keys.map(({ title }) => ({ name: title[language.get()] }) as PlacedColumn);
  const isOverTime = keys.length === 1 && /month/i.test(keys[0]?.name ?? '');
  const ordered = isOverTime ? chronological(groups) : groups.toSorted((one, other) => other.count - one.count);
  // Rows without a value are no rank among the others.
  const isNone = ({ key }: CountGroup): boolean => key.includes(null);
  const last = [...ordered.filter((group) => !isNone(group)), ...ordered.filter(isNone)];
  return { groups: last, by, rows: total ?? 0 };
}

/** The name of a group: of a code that criteria name, that name; else the label of the graph, or the code itself. */
function nameOfGroup(key: string, code: string, label: string): Cell {
  if (code === '') return null;
  const named = criterionOf(key)?.values?.find((value) => value.code === code);
  return named === undefined ? label || code : capital(named[language.get()]);
}

/** What a file or a picture of counts is made from. */
interface CountedRows extends Omit<ViewProps, 'memory'> {
  readonly counts: Counted;
}

/** Bars of a picture: more are not read on a page. */
const PICTURED = 40;

/** The counts as a picture that says by itself what it shows. */
function pictureOf({ result, shown, extent, counts }: CountedRows): Picture {
  const texts = textsNow(COUNT_TEXTS);
  const { bars, kinds, total } = barsOf(counts);
  const greatest = Math.max(0, ...bars.slice(0, PICTURED).map((bar) => bar.total)) || 1;
  const fillOf = (colour: number): string => PALETTE[colour] ?? PALETTE[1];
  const { format } = numberFormat({ style: 'percent', maximumFractionDigits: 1 });
  const share = (value: number): string => (total > 0 ? ` (${format(value / total)})` : '');
  const date = formatMoment(result.receivedAt, { year: 'numeric' });
  const says = sayExtent(extent, shown.list.path);
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
      figure: `${formatNumber(value)}${share(value)}`,
      parts: parts.map((part) => ({ share: part.value / greatest, fill: fillOf(part.colour) })),
    })),
    legend: kinds.slice(0, OTHERS + 1).map((kind, colour) => ({
      label: colour === OTHERS ? texts.others : labelOf(kind, names[1] ?? ''),
      fill: fillOf(colour),
    })),
  };
}

/** Downloads counts with their provenance. If their rows are not the whole list, the file's name and its end say so. */
function downloadCounts({ result, shown, extent, counts }: CountedRows, format: RowFormat): void {
  const { path } = shown.list;
  const texts = textsNow(EXTENT_TEXTS);
  const names = [...counts.by.map(({ name }) => name), textsNow(COUNT_TEXTS).count];
  const head = { columns: names.map((name) => ({ name })), positions: [], language: language.get() };
  const rows = counts.groups.map(({ key, count }) => ({ cells: () => [...key, count], at: () => null }));
  const why = whyPartial(result, path, extent);
  const hasMonths = counts.by.some(({ name }) => shown.list.profiles.get(name)?.kind === 'date');
  const countedBy = counts.by.map(({ name }) => name).join(', ');
  const about: AboutLine[] = [
    ...provenanceOf(result, path, shown.choice),
    [texts.countedBy, hasMonths ? `${countedBy} (${texts.inParis})` : countedBy],
    [texts.countedRows, counts.rows],
  ];
  const end = { note: why === null ? null : texts.counted(counts.rows, why), about };
  download(
    questionFile(result, `${path}.counts`, format, why === null),
    format.mediaType,
    writeRows(format, head, rows, end),
  );
}

/** Texts of the counts. */
export const COUNT_TEXTS = defineTexts({
  en: {
    exportAs: 'Export',
    countBy: 'Count by',
    and: 'and by',
    count: 'count',
    none: 'none',
    groups: (groups: number, rows: number) => `${countInEnglish(groups, 'group')} of ${countInEnglish(rows, 'row')}`,
    first: (count: number) => `The first ${count.toLocaleString('en')} are drawn; files have them all.`,
    counts: 'Counts',
    bar: 'Bar',
    noRows: 'There are no rows to count.',
    map: 'Map of départements by count',
    notPlaced: (count: number) => `${countInEnglish(count, 'group')} not on the map.`,
    others: 'others',
  },
  fr: {
    exportAs: 'Exporter',
    countBy: 'Compter par',
    and: 'et par',
    count: 'nombre',
    none: 'aucune valeur',
    groups: (groups, rows) => `${countInFrench(groups, 'groupe')} de ${countInFrench(rows, 'ligne')}`,
    first: (count) => `Les ${count.toLocaleString('fr')} premiers sont dessinés ; les fichiers ont tout.`,
    counts: 'Répartition',
    bar: 'Barre',
    noRows: 'Il n’y a aucune ligne à compter.',
    map: 'Carte des départements par nombre',
    notPlaced: (count) => `${countInFrench(count, 'groupe')} hors de la carte.`,
    others: 'autres',
  },
});
