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

/*
 * The page's own keys. They are keys of functions, because every letter with a modifier is a character, a menu or a
 * command of some keyboard, browser or editor.
 */

/** Does something when a key is pressed anywhere, unless a dialog is open. `back` is true if Shift is held. */
export function useKey(key: 'F2' | 'F8' | 'F9', act: (isBack: boolean) => void): void {
  const follow = (event: KeyboardEvent): void => {
    if (event.key !== key || event.altKey || event.ctrlKey || event.metaKey) return;
    if (document.querySelector('dialog[open], [role="dialog"]') !== null) return;
    event.preventDefault();
    event.stopPropagation();
    act(event.shiftKey);
  };
  useWindowEvent('keydown', follow, true);
}
