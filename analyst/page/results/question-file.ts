import { fold } from '../../../rows/cells.js';
import { fileName, type RowFormat } from '../../../rows/formats.js';
import { exampleOf } from '../examples/catalogue.js';
import { labelOfColumn } from '../labels/labels.js';
import { language } from '../state/language.js';
import { mode } from '../state/mode.js';
import type { QueryResult } from '../state/query-result.js';
import { readDeclarations } from '../variables/declarations.js';
import { OPTION_SOURCES } from '../variables/options.js';
import { nameValues } from '../variables/values.js';

/** Characters of a question in a file name, which file systems limit to 255 bytes. */
const LENGTH = 100;

/**
 * The name of a file of rows: beside a question, what was asked, with which values and on which day, such as
 * `missions-around-a-commune-rouen-10-km-2026-11-27.csv`; beside a query, the list's.
 */
export function questionFile(
  { request, receivedAt }: QueryResult,
  path: string,
  { extension }: RowFormat,
  isComplete: boolean,
): string {
  if (mode.get() !== 'question') return fileName(path, { extension }, isComplete);
  const { query, operationName = null, variables = {} } = request;
  const title = exampleOf(query)?.title[language.get()];
  const declarations = readDeclarations(query, operationName, null).filter(({ name }) => name !== 'first');
  const asked = `${title ?? labelOfColumn(path)} ${nameValues(declarations, variables, OPTION_SOURCES)}`;
  const words = fold(asked).match(/[a-z\d]+/g) ?? [];
  // Swedes write dates as ISO 8601 does.
  const name = `${words.join('-').slice(0, LENGTH)}-${receivedAt.toLocaleDateString('sv')}`;
  return `${name}${isComplete ? '' : '-incomplete'}.${extension}`;
}
