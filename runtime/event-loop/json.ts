import { SILENT } from '../../kernel/log.js';
import { parseShallowJson } from '../../kernel/text.js';
import { TaskThread } from '../process/task-thread.js';
import { laterTurn } from './turns.js';

/** Bytes that are parsed at once, which takes a few milliseconds. */
const PARSED_AT_ONCE = 512 * 1024;

/** What the thread does: parse a body, or hand out the next items of its longest list. */
type Task = { readonly bytes: Uint8Array; readonly charset: string } | { readonly body: number };

/** What it answers: a value without its longest list, of which a path leads to the place; or items of that. */
interface Parsed {
  readonly body: number;
  readonly value: unknown;
  readonly path: readonly string[];
  readonly piece: readonly unknown[];
  readonly isLast: boolean;
}

/** More than the values of a text of 64 MB take: a thread whose heap is full while it parses ends the process. */
const HEAP_MB = 1024;
/** Large bodies are rare, and their thread would keep hundreds of megabytes. */
const IDLE_MS = 10_000;

const thread = new TaskThread<Task, Parsed>({
  script: new URL('./json-worker.js', import.meta.url),
  data: null,
  heapMb: HEAP_MB,
  idleMs: IDLE_MS,
  name: 'large bodies',
  log: SILENT,
});

/**
 * The value of a JSON text, a large one parsed in a thread; undefined for a text that is not JSON, nests too deep, has too
 * many values, or has characters that its charset does not have.
 */
export async function readJson(bytes: Uint8Array, charset = 'utf-8'): Promise<unknown> {
  try {
    // The thread gets a copy, which takes milliseconds of tens of megabytes.
    const parsed = bytes.length > PARSED_AT_ONCE ? await laterTurn().then(() => thread.run({ bytes, charset })) : null;
    if (parsed !== null) return await completed(parsed);
    return parseShallowJson(new TextDecoder(charset, { fatal: charset !== 'utf-8' }).decode(bytes));
  } catch {
    // Characters, or the thread ended.
    return undefined;
  }
}

/** The value with all items of its longest list, which come in turns of the event loop. */
async function completed({ body, value, path, ...first }: Parsed): Promise<unknown> {
  let place = value;
  for (const key of path) place = (place as Readonly<Record<string, unknown>>)[key];
  for (let { isLast } = first; !isLast; ) {
    const next = await thread.run({ body });
    if (next === null) return undefined;
    for (const item of next.piece) (place as unknown[]).push(item);
    isLast = next.isLast;
  }
  return value;
}
