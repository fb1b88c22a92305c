import { useCallback } from 'react';
import type { JsonObject } from '../../../rows/path.js';
import type { ListMemory } from '../lists/list-memory.js';
import { loadSteps, textSteps } from '../lists/loaded-list.js';
import { chooseSteps, type ShownRows } from '../lists/shown-rows.js';
import { useIdleSteps, useSteps } from '../lists/use-steps.js';

/** The chosen rows of a list; undefined until it is read. While a new choice is applied, the previous rows. */
export function useShownRows(
  data: JsonObject,
  path: string,
  { choice, hidesUniform }: ListMemory,
): { readonly shown: ShownRows | undefined; readonly isBusy: boolean } {
  const load = useCallback(() => loadSteps(data, path), [data, path]);
  const { value: list } = useSteps(load);
  const isCurrent = list?.data === data && list.path === path;
  const choose = useCallback(
    function* () {
      return isCurrent ? yield* chooseSteps(list, { choice, hidesUniform }) : undefined;
    },
    [isCurrent, list, choice, hidesUniform],
  );
  const { value, isBusy } = useSteps(choose);
  const readTexts = useCallback(
    function* () {
      if (isCurrent) yield* textSteps(list);
    },
    [isCurrent, list],
  );
  useIdleSteps(readTexts);
  return { shown: value?.list === list && isCurrent ? value : undefined, isBusy };
}
