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
