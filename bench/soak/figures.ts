import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { queryObjects } from 'node:v8';

/** Resources of a process, in megabytes and in numbers of live objects. */
export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

export const FIGURES = [
  'heapMb',
  'buffersMb',
  'rssMb',
  'sockets',
  'handles',
  'descriptors',
  'timers',
  'signals',
  'listeners',
] as const;

export interface Limit {
  /** Share by which a figure may grow: less than before is no leak. */
  readonly share: number;
  /** Amount by which it may grow in addition, for objects that come and go by themselves, such as timers. */
  readonly beside: number;
}

export const LIMITS = {
  heapMb: { share: 0.05, beside: 0 },
  buffersMb: { share: 0.05, beside: 1 },
  rssMb: { share: 0.05, beside: 0 },
  sockets: { share: 0.05, beside: 0 },
  handles: { share: 0.05, beside: 0 },
  descriptors: { share: 0.05, beside: 0 },
  timers: { share: 0.05, beside: 4 },
  signals: { share: 0.05, beside: 0 },
  listeners: { share: 0.05, beside: 0 },
} as const satisfies Record<keyof Figures, Limit>;

/** The class of timers, which the platform does not export. */
const Timeout = classOf(setTimeout(() => {}, 0).unref());

/** Measures this process after a garbage collection. Node must run with `--expose-gc`. */
export async function measure(): Promise<Figures> {
  await collect();
  const handles = process.getActiveResourcesInfo();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapMb: heapUsed / 1e6,
    buffersMb: external / 1e6,
    rssMb: rss / 1e6,
    sockets: handles.filter((kind) => kind === 'TCPSocketWrap').length,
    handles: handles.length,
    descriptors: readdirSync('/dev/fd').length,
    timers: living(Timeout),
    signals: living(AbortSignal),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

function living(kind: new (...parts: never[]) => unknown): number {
  return Number(queryObjects(kind));
}

/** Collects several times, because objects that one collection finalizes are garbage for the next. */
async function collect(): Promise<void> {
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.();
    await pause(50);
  }
}

function classOf(value: object): new () => unknown {
  return Object.getPrototypeOf(value).constructor;
}
