/** The codes of organizations: which record of the register has them, and which ones a mission names. */

import { oncePerObject } from '../../../kernel/caches.js';
import { instantOf } from '../../../kernel/dates.js';
import { isRna, isSiret } from '../../codes/registers.js';
import { orNull } from '../../rest/shape.js';
import { isView, type Row } from '../values/lists.js';

/** By what an organization is looked up: at least one of the two. */
export interface OrganizationCodes {
  readonly siret: string | null;
  readonly rna: string | null;
}

/** The fields of a record that are compared. */
export interface OrganizationRecord {
  readonly id: string | null;
  readonly siret: string | null;
  readonly sirets: readonly unknown[] | null;
  readonly rna: string | null;
  readonly status: string | null;
  readonly updatedAt: string | null;
}

/**
 * The record that the codes identify; null when none has them. The source finds a SIRET among all those of an
 * organization, and has duplicates (volunteering 4.4 and 9). A record whose own SIRET is equal is preferred, then an
 * active one, then the newest, then the first by identifier.
 */
export function exactRecord<R extends OrganizationRecord>(rows: readonly Row<R>[], codes: OrganizationCodes): R | null {
  const candidates = rows.filter(isView).filter((row) => hasCodes(row, codes));
  if (candidates.length < 2) return candidates[0] ?? null;
  const ranked = candidates.map((row) => ({ row, rank: rankOf(row, codes) }));
  return ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1))[0]?.row ?? null;
}

function hasCodes(row: OrganizationRecord, { siret, rna }: OrganizationCodes): boolean {
  const hasSiret = siret === null || orNull(() => row.siret) === siret || orNull(() => row.sirets)?.includes(siret);
  return hasSiret === true && (rna === null || orNull(() => row.rna) === rna);
}

/** Whether a row might have the codes unnoticed, because it is not a record or a compared code cannot be read. */
export function isUnread(row: Row<OrganizationRecord>, { siret, rna }: OrganizationCodes): boolean {
  if (!isView(row)) return true;
  try {
    const compared = [siret === null ? null : [row.siret, ...(row.sirets ?? [])], rna === null ? null : row.rna];
    // Every record has an identifier; an object without one is something else.
    return row.id === null || compared.flat().some((code) => code instanceof Error);
  } catch {
    return true;
  }
}

/** Sorts the best record first, of those that have the codes. */
function rankOf(row: OrganizationRecord, { siret }: OrganizationCodes): string {
  const own = siret === null || orNull(() => row.siret) === siret;
  const age = String(LATEST - (instantOf(orNull(() => row.updatedAt) ?? '') || -LATEST)).padStart(16, '0');
  const isActive = orNull(() => row.status) === 'ACTIVE';
  return [own ? 0 : 1, isActive ? 0 : 1, age, orNull(() => row.id) ?? ''].join(' ');
}

/** Milliseconds since 1970, later than any record. */
const LATEST = 1e15;

/** A mission's codes for its organization, under the keys of both eras. */
interface NamedOrganization {
  readonly associationRNA: string | null;
  readonly organizationRNA: string | null;
  readonly associationSiren: string | null;
  readonly organizationSiren: string | null;
}

/** The codes that a mission names, read once for a cached mission. */
export const organizationCodesOf = oncePerObject(readCodes);

/**
 * The codes by which a mission's organization is looked up: its first valid RNA number, else its first `*Siren` that
 * contains a SIRET, as some partners write (volunteering 9). Null without a well-formed code.
 */
function readCodes(mission: NamedOrganization): OrganizationCodes | null {
  const rna = [() => mission.associationRNA, () => mission.organizationRNA].map(orNull).find(isCode(isRna));
  if (rna) return { rna, siret: null };
  const siret = [() => mission.associationSiren, () => mission.organizationSiren].map(orNull).find(isCode(isSiret));
  return siret ? { rna: null, siret } : null;
}

function isCode(isValid: (text: string) => boolean): (text: string | null) => boolean {
  return (text) => text !== null && isValid(text);
}
