import type { Process } from './scheduler.js';

/** An event that is due. */
export interface Event {
  atMs: number;
  /** When it was originally due: a paused process catches up in this order. */
  readonly dueMs: number;
  readonly number: number;
  readonly name: string;
  readonly of: Process | null;
  readonly run: () => void;
  calledOff: boolean;
}

/** Adds an event. */
export function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

/** Removes the earliest event. */
export function shift(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}

function isBefore(a: Event, b: Event): boolean {
  return (a.atMs - b.atMs || a.dueMs - b.dueMs || a.number - b.number) < 0;
}
