import type { Extent } from '../../../rows/extent.js';
import { fileName, type RowFormat, writeRows } from '../../../rows/formats.js';
import { download } from '../elements/download.js';
import { language } from '../language/language.js';
import { textsNow } from '../language/texts.js';
import { originOf, whyPartial } from '../lists/provenance.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { describeOmitted } from './data-link.js';

/** Downloads the shown rows, in their order. If they are not the whole list, the file's name and its end say so. */
export function downloadRows(
  result: QueryResult,
  { shown, extent }: { readonly shown: ShownRows; readonly extent: Extent },
  format: RowFormat,
): void {
  const { list, rows, columns, positions } = shown;
  const why = whyPartial(result, list.path, extent);
  const note = why === null ? null : textsNow(EXTENT_TEXTS).after(list.rows.length, rows.length, why);
  const head = { columns, positions, language: language.get() };
  const end = { note, omitted: describeOmitted(shown), about: originOf(result, shown) };
  download(fileName(list.path, format, why === null), format.mediaType, writeRows(format, head, rows, end));
}
