import type { Json } from '../world/types.js';
import { textOf } from './mission-rows.js';
import type { Issue, QueryReader } from './query-reader.js';
import { normalise } from './search-text.js';

/** The parameters of today's organization search. */
export interface OrganizationsQuery {
  readonly q: string;
  readonly rna: string;
  readonly siret: string;
  readonly limit: number;
  readonly skip: number;
}

/** Reads the parameters (volunteering 4.4): `issues` become a 400; `thrown` means that the database refuses, a 500. */
export function readOrganizationsQuery(
  reader: QueryReader,
): OrganizationsQuery | { readonly issues: readonly Issue[] } | 'thrown' {
  const query = {
    q: reader.text('q')?.trim() ?? '',
    rna: reader.text('rna')?.trim() ?? '',
    siret: reader.text('siret')?.trim() ?? '',
    // Zero counts as one.
    limit: reader.number('limit', { min: 0, max: 100 }) ?? 25,
    skip: reader.number('skip', { min: 0 }) ?? 0,
  };
  if (reader.issues.length > 0) return { issues: reader.issues };
  if (!Number.isInteger(query.limit) || !Number.isInteger(query.skip)) return 'thrown';
  return { ...query, limit: query.limit || 1 };
}

/** The records in today's order: latest `updatedAt` first, without a tie-break (volunteering 4.4). */
export function orderOrganizations(organizations: readonly Json[]): Json[] {
  const time = (record: Json): number => Date.parse(textOf(record, 'updatedAt') ?? '') || 0;
  return [...organizations].sort((a, b) => time(b) - time(a));
}

/** The records that match every given condition, in the order of the given records. */
export function findOrganizations(ordered: readonly Json[], query: OrganizationsQuery): Json[] {
  const meetsQ = query.q === '' ? () => true : textSearch(query.q);
  return ordered.filter(
    (record) =>
      (query.rna === '' || record['rna'] === query.rna) &&
      (query.siret === '' || hasSiret(record, query.siret)) &&
      meetsQ(record),
  );
}

function hasSiret({ siret, sirets }: Json, wanted: string): boolean {
  return siret === wanted || (Array.isArray(sirets) && sirets.includes(wanted));
}

/** An exact match for an RNA, a SIRET or a SIREN by its form, else a full-text search (volunteering 4.4). */
function textSearch(q: string): (record: Json) => boolean {
  if (/^W\d{9}$/.test(q)) return (record) => record['rna'] === q;
  if (/^\d{14}$/.test(q)) return (record) => record['siret'] === q;
  if (/^\d{9}$/.test(q)) return (record) => record['siren'] === q;
  const text = normalise(q);
  const terms = text.split(' ').filter((token) => token.length >= 3);
  // Without a token of three characters, it is a plain substring search.
  if (terms.length === 0) return (record) => searchText(record).includes(text);
  return (record) => {
    const words = searchText(record).split(' ');
    return terms.every((term) => words.some((word) => word.startsWith(term)));
  };
}

function searchText(record: Json): string {
  return textOf(record, 'searchText') ?? '';
}
