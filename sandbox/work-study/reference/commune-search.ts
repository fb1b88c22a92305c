import type { Json, World } from '../../world/types.js';
import { listAt, textAt, valueAt } from '../values/fields.js';

/** The communes of an INSEE or postal code. */
export type CommuneSearch = (code: string) => readonly Json[];

/**
 * Communes by any of their four kinds of code: INSEE, postal, arrondissement, former commune (work-study 7.14). The
 * index is built at the first search, not at startup.
 */
export function createCommuneSearch(world: World): CommuneSearch {
  return (code) => indexOf(world).get(code) ?? [];
}

/** Indexes by list of communes: worlds of all scales share one list. */
const indexes = new WeakMap<readonly Json[], Map<string, Json[]>>();

function indexOf({ communes }: World): Map<string, Json[]> {
  const index = indexes.get(communes) ?? indexCommunes(communes);
  indexes.set(communes, index);
  return index;
}

function indexCommunes(communes: readonly Json[]): Map<string, Json[]> {
  const index = new Map<string, Json[]>();
  for (const commune of communes) {
    const put = (code: unknown): void => {
      if (typeof code !== 'string') return;
      const found = index.get(code);
      if (found === undefined) index.set(code, [commune]);
      // The codes of one commune are added together, so it is either the last in the list or not in it.
      else if (found.at(-1) !== commune) found.push(commune);
    };
    const { code } = commune;
    put(valueAt(code, 'insee'));
    for (const postal of listAt(code, 'postaux')) put(postal);
    for (const one of listAt(commune, 'arrondissements')) put(textAt(one, 'code'));
    for (const one of listAt(commune, 'anciennes')) put(textAt(one, 'codeInsee'));
  }
  return index;
}
