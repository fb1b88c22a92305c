import { fold } from '../../../kernel/fold.js';
import { fileName, type RowFormat } from '../../../rows/formats.js';
import { dayInParis } from '../../questions/days.js';
import { describeQuestion } from '../ask/describe.js';
import type { QueryResult } from '../state/query-result.js';

/** Characters of a question in a file name, which file systems limit to 255 bytes. */
const LENGTH = 100;

/**
 * The name of a file of rows: of a question what was asked, and on which day, such as
 * `missions-within-10-km-of-rouen-2026-11-27.csv`; of a query, the list's.
 */
export function questionFile(
  { asked, receivedAt }: QueryResult,
  path: string,
  { extension }: Pick<RowFormat, 'extension'>,
  isComplete: boolean,
): string {
  if (asked === undefined) return fileName(path, { extension }, isComplete);
  const words = fold(describeQuestion(asked.question)).match(/[a-z\d]+/g) ?? [];
  const name = `${words.join('-').slice(0, LENGTH)}-${dayInParis(receivedAt.getTime())}`;
  return `${name}${isComplete ? '' : '-incomplete'}.${extension}`;
}
