import type { Chance } from '../chance.js';
import type { Scheduler } from './scheduler.js';
import { DANGER_MS, type ServiceTraits } from './world.js';

/** The windows in which a service counts: one per process and key, starting with the key's first call. */
export interface ServiceWindows {
  /** Counts a call in the window of the process that receives it. */
  take(key: string): { readonly number: number; readonly used: number; readonly endsMs: number };
  /** When the last window of a key ends; null if it has none. */
  endMs(key: string): number | null;
}

interface Window {
  readonly number: number;
  readonly key: string;
  readonly endsMs: number;
  ours: number;
  /** Calls of others with the same key, and the milliseconds of the window over which they are spread. */
  readonly strangers: number;
  readonly strangersMs: number;
}

const WINDOW_MS = 60_000;

export function createServiceWindows({
  traits,
  scheduler,
  chance,
}: {
  readonly traits: ServiceTraits;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}): ServiceWindows {
  const windows = new Map<string, Window>();
  let lastNumber = 0;
  let { stranger } = traits;
  const leave = () => {
    stranger = 0;
  };
  scheduler.after(DANGER_MS, { name: 'sees the stranger leave', of: null, run: leave });

  function open(name: string, key: string): Window {
    const known = windows.get(name);
    if (known !== undefined && known.endsMs + traits.slackMs > scheduler.nowMs) return known;
    lastNumber += 1;
    const strangers = Math.floor(traits.limit * stranger * chance.next() * 2);
    const strangersMs = chance.pick([0, WINDOW_MS / 3, WINDOW_MS]);
    const endsMs = scheduler.nowMs + WINDOW_MS;
    const window = { number: lastNumber, key, endsMs, ours: 0, strangers, strangersMs };
    windows.set(name, window);
    return window;
  }

  return {
    take(key) {
      const window = open(`${chance.int(1, traits.processes)} ${key}`, key);
      window.ours += 1;
      return { number: window.number, used: usedOf(window, scheduler.nowMs), endsMs: window.endsMs };
    },
    endMs(key) {
      const ends = [...windows.values()].filter((one) => one.key === key).map(({ endsMs }) => endsMs);
      return ends.length === 0 ? null : Math.max(...ends);
    },
  };
}

function usedOf({ ours, strangers, strangersMs, endsMs }: Window, nowMs: number): number {
  const passedMs = nowMs - (endsMs - WINDOW_MS);
  return ours + (passedMs < strangersMs ? Math.floor((strangers * passedMs) / strangersMs) : strangers);
}
