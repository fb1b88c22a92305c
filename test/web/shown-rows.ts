import { chooseSteps, loadSteps, type ShownRows } from '../../analyst/page/lists/loaded-list.js';
import { type ListMemory, UNTOUCHED } from '../../analyst/page/state/tab-memory.js';
import type { JsonObject } from '../../rows/path.js';
import { finish } from '../../rows/steps.js';

/** The rows of a list that the page shows. */
export function shownRows(data: JsonObject, path: string, memory: Partial<ListMemory> = {}): ShownRows {
  return finish(chooseSteps(finish(loadSteps(data, path)), { ...UNTOUCHED, ...memory }));
}
