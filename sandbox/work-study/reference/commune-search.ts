import type { Json, World } from '../../world/types.js';
import { listAt, textAt } from '../fields.js';

export type CommuneSearch = (code: string) => readonly Json[];

/**
 * Communes by any of their four kinds of codes: INSEE, postal, arrondissement, former commune (work-study 7.14).
 * The index is built at the first search, not at the start of the sandbox.
 */
export function createCommuneSearch(world: World): CommuneSearch {
  let index: Map<string, Json[]> | undefined;
  return (code) => {
    index ??= indexCommunes(world.communes);
    return index.get(code) ?? [];
  };
}

function indexCommunes(communes: readonly Json[]): Map<string, Json[]> {
  const index = new Map<string, Json[]>();
  for (const commune of communes) {
    for (const code of codesOf(commune)) {
      const found = index.get(code);
      if (found === undefined) index.set(code, [commune]);
      else found.push(commune);
    }
  }
  return index;
}

function codesOf(commune: Json): Set<string> {
  const codes = [
    textAt(commune, 'code', 'insee'),
    ...listAt(commune, 'code', 'postaux'),
    ...listAt(commune, 'arrondissements').map((one) => textAt(one, 'code')),
    ...listAt(commune, 'anciennes').map((one) => textAt(one, 'codeInsee')),
  ];
  return new Set(codes.filter((code) => typeof code === 'string'));
}
