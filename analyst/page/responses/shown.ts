import { formatBytes } from '../elements/format.js';
import { textsNow } from '../language/texts.js';
import type { QueryResult } from './query-result.js';
import { RESPONSE_TEXTS } from './texts.js';

/** Larger responses are not shown as JSON, which would freeze the page (14.6 MB: 1.7 s, 1.2 GB of heap). */
const MAX_EDITOR_BYTES = 5 * 1024 * 1024;

/** The content of the JSON editor: the response, its `extensions` on request, or a note. */
export function shown({ response, trace, bytes }: QueryResult, withTrace: boolean): Record<string, unknown> {
  if (bytes < MAX_EDITOR_BYTES)
    return { ...response, ...(withTrace && trace && { extensions: { passerelle: trace } }) };
  return { note: textsNow(RESPONSE_TEXTS).tooLarge(formatBytes(bytes)) };
}
