import type { Asked } from './asked.js';

/** From this size on, the JSON editor shows a note: filling it would freeze the page (14.6 MB: 1.7 s, 1.2 GB of heap). */
const SHOWN_BYTES = 5 * 1024 * 1024;

/** What the JSON editor shows of an answer; its `extensions` on demand. */
export function shown({ answer, trace, bytes }: Asked, withTrace: boolean): Record<string, unknown> {
  if (bytes < SHOWN_BYTES) return { ...answer, ...(withTrace && trace && { extensions: { passerelle: trace } }) };
  const megabytes = (bytes / 1024 / 1024).toFixed(1);
  return { note: `${megabytes} MB of JSON are too much for the editor. See the table, or download it.` };
}
