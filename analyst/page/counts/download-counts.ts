import type { Extent } from '../../../rows/extent.js';
import { fileName, type RowFormat, writeRows } from '../../../rows/formats.js';
import { FIGURES, type Figure } from '../../../rows/row-counts.js';
import type { AboutLine } from '../../../rows/row-file.js';
import { download } from '../elements/download.js';
import { language } from '../language/language.js';
import { textsNow } from '../language/texts.js';
import { originOf, whyPartial } from '../lists/provenance.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import type { OrderedCounts } from './count-table.js';
import { COUNT_TEXTS } from './texts.js';

/** What a file of counts is written from. */
interface CountedRows {
  readonly shown: ShownRows;
  readonly extent: Extent;
  readonly counts: OrderedCounts;
}

/** Downloads counts with their origin. If their rows are not the whole list, the file's name and its end say so. */
export function downloadCounts(result: QueryResult, { shown, extent, counts }: CountedRows, format: RowFormat): void {
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
