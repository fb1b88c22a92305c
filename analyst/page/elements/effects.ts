import { useEffect, useMemo, useRef, useState } from 'react';
import type { Steps } from '../../../rows/steps.js';

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

/** Milliseconds of work before the page may draw and react. */
const SLICE_MS = 12;

/** Work that is done in slices. */
interface Run<T> {
  readonly steps: Steps<T>;
  result: { readonly value: T } | null;
}

/**
 * The result of work in steps; the previous result while the work goes on. What fits into one slice is done at once, so
 * that short lists never flicker. Copying rows to a worker would block the page longer than a slice does.
 */
export function useSteps<T>(begin: () => Steps<T>): { readonly value: T | undefined; readonly isBusy: boolean } {
  const run = useMemo(() => workOn<T>({ steps: begin(), result: null }), [begin]);
  const [, setFinished] = useState<Run<T>>();
  const previous = useRef<T>(undefined);
  useEffect(() => {
    if (run.result !== null) return;
    let timer = window.setTimeout(function goOn() {
      workOn(run);
      if (run.result === null) timer = window.setTimeout(goOn);
      else setFinished(run);
    });
    return () => window.clearTimeout(timer);
  }, [run]);
  if (run.result !== null) previous.current = run.result.value;
  return { value: previous.current, isBusy: run.result === null };
}

function workOn<T>(run: Run<T>): Run<T> {
  const end = performance.now() + SLICE_MS;
  while (run.result === null && performance.now() < end) {
    const step = run.steps.next();
    if (step.done === true) run.result = { value: step.value };
  }
  return run;
}
