import { useEffect, useRef, useState } from 'react';

/**
 * What a promise resolves to; undefined until then, after a failure, and again once `load` is another function. With a
 * pause, it is made after that many milliseconds without another.
 */
export function useAwaited<T>(load: ((signal: AbortSignal) => Promise<T>) | null, pauseMs = 0): T | undefined {
  const [found, setFound] = useState<{ readonly of: typeof load; readonly value: T }>();
  useEffect(() => {
    if (load === null) return;
    const stop = new AbortController();
    const begin = async (): Promise<void> => {
      const value = await load(stop.signal);
      if (!stop.signal.aborted) setFound({ of: load, value });
    };
    const timer = window.setTimeout(() => void begin().catch(() => {}), pauseMs);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [load, pauseMs]);
  return found?.of === load ? found?.value : undefined;
}

/** Listens to an event of the window; with `capture`, before the editors, which keep some keys to themselves. */
export function useWindowEvent<K extends keyof WindowEventMap>(
  type: K,
  listener: (event: WindowEventMap[K]) => void,
  capture = false,
): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const follow = (event: WindowEventMap[K]): void => latest.current(event);
    window.addEventListener(type, follow, capture);
    return () => window.removeEventListener(type, follow, capture);
  }, [type, capture]);
}
