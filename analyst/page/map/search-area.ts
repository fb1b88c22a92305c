import { useCallback, useMemo } from 'react';
import { readPlace } from '../../questions/question.js';
import { centreOf } from '../ask/known.js';
import { useAwaited } from '../elements/effects.js';
import type { QueryResult } from '../state/query-result.js';

/** Where a question searched: kilometres around a point. */
export interface SearchArea {
  readonly latitude: number;
  readonly longitude: number;
  readonly kilometres: number;
}

/** Where a question searched, once its centre is known, which takes one call at most; null for other questions. */
export function useSearchArea({ asked }: Pick<QueryResult, 'asked'>): SearchArea | null {
  const [value = ''] = asked?.question.criteria['place'] ?? [];
  const { kind = '', code = '', radius = 0 } = readPlace(value) ?? {};
  const kilometres = kind === 'commune' ? Number(radius) : 0;
  // Missions are measured from the middle of the official extent, offers and courses from here.
  const find = useCallback(async () => (kilometres > 0 ? centreOf(code) : null), [kilometres, code]);
  const centre = useAwaited(find) ?? null;
  return useMemo(() => (centre === null ? null : { ...centre, kilometres }), [centre, kilometres]);
}
