import type { ParsedUrlQuery } from 'node:querystring';
import type { Json } from '../world/types.js';
import { textOf } from './mission-rows.js';
import { normalise } from './search-text.js';

/** Records that match the documented parameters (volunteering 12.4.4), in the order of the given records. */
export function findSeedOrganizations(organizations: readonly Json[], query: ParsedUrlQuery): Json[] {
  const rna = one(query, 'rna');
  const siret = one(query, 'siret');
  const meetsQ = textSearch(one(query, 'q'));
  return organizations.filter(
    (record) => (!rna || record['rna'] === rna) && (!siret || record['siret'] === siret) && meetsQ(record),
  );
}

/** Matches whole words of title, RNA or SIRET; one is enough (volunteering 12.4.4; volunteering 4.4 for `$text`). */
function textSearch(q: string | undefined): (record: Json) => boolean {
  if (!q) return () => true;
  const words = new Set(normalise(q).split(' '));
  return (record) => {
    const searched = ['title', 'rna', 'siret'].map((field) => textOf(record, field) ?? '').join(' ');
    return normalise(searched)
      .split(' ')
      .some((word) => word !== '' && words.has(word));
  };
}

function one(query: ParsedUrlQuery, name: string): string | undefined {
  return [query[name]].flat()[0];
}
