import { useEffect, useMemo, useRef, useState } from 'react';
import type { Steps } from '../../../rows/steps.js';

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

/** Milliseconds of idle work at a time: a key press waits no longer than that. */
const IDLE_SLICE_MS = 8;

/** Does work in steps while the page has nothing else to do, until it is done or the component is gone. */
export function useIdleSteps(begin: () => Steps<void>): void {
  useEffect(() => {
    const steps = begin();
    const goOn = (): void => {
      const end = performance.now() + IDLE_SLICE_MS;
      while (performance.now() < end) if (steps.next().done === true) return;
      cancel = whenIdle(goOn);
    };
    let cancel = whenIdle(goOn);
    return () => cancel();
  }, [begin]);
}

/** Calls back when the page is idle; returns a function that cancels this. Safari has no idle callbacks. */
function whenIdle(callback: () => void): () => void {
  if (typeof window.requestIdleCallback !== 'function') {
    const timer = window.setTimeout(callback, 2 * IDLE_SLICE_MS);
    return () => window.clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(callback);
  return () => window.cancelIdleCallback(handle);
}
