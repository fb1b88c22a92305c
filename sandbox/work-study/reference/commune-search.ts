import type { Json, World } from '../../world/types.js';
import { listAt, textAt, valueAt } from '../values/fields.js';

/** The communes of an INSEE or postal code. */
export type CommuneSearch = (code: string) => readonly Json[];

/**
 * Communes by any of their four kinds of codes: INSEE, postal, arrondissement, former commune (work-study 7.14).
 * The index is built at the first search, not at the start of the sandbox.
 */
export function createCommuneSearch(world: World): CommuneSearch {
  return (code) => indexOf(world).get(code) ?? [];
}

/** By the list: worlds of all scales have the same one. */
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
      // One commune's codes come one after another: it is in the list already or not at all.
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
