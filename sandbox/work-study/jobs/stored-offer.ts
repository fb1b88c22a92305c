import type { Json } from '../../world/types.js';
import { type Position, positionOf } from '../values/distance.js';
import { listAt, textAt, valueAt } from '../values/fields.js';

/** Partner label of the service's own offers today (work-study 8.3). */
export const OWN_OFFERS = 'offres_emploi_lba';
/** Partner label of likely recruiters today (work-study 8.3). */
export const LIKELY_RECRUITERS = 'recruteurs_lba';
/** Partner label of the national employment agency. */
export const NATIONAL_AGENCY = 'France Travail';

/** Fields of an offer or recruiter that search and filters need, read once. */
export interface Located {
  readonly id: string;
  readonly siret: string | null;
  readonly position: Position | null;
  readonly postalCode: string;
  readonly opco: string | null;
}

/** An offer in the service's store. */
export interface StoredOffer extends Located {
  /** JobOfferRead as today's service returns it. */
  readonly record: Json;
  readonly label: string;
  readonly partnerJobId: string | null;
  readonly status: string;
  readonly title: string;
  readonly romes: readonly string[];
  /** European level of the diploma; null if there is none. */
  readonly level: string | null;
  /** Milliseconds since 1970; 0 and Infinity if the offer has no date. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether it may go to all partner platforms: search and export omit the others (work-study 7.1). */
  readonly multicast: boolean;
  /** Name that the publisher gave to the workplace. */
  readonly customName: string | null;
  /** When a client's offer was published; 0 for offers of the world. */
  readonly publishedAt: number;
}

interface NotInRecord {
  readonly multicast?: boolean;
  readonly customName?: string | null;
  readonly publishedAt?: number;
}

/** Creates a stored offer from its record. */
export function storedOffer(
  record: Json,
  { multicast = true, customName = null, publishedAt = 0 }: NotInRecord = {},
): StoredOffer {
  return {
    ...located(record),
    record,
    label: textAt(record, 'identifier', 'partner_label') ?? '',
    partnerJobId: textAt(record, 'identifier', 'partner_job_id'),
    status: textAt(record, 'offer', 'status') ?? '',
    title: textAt(record, 'offer', 'title') ?? '',
    romes: listAt(record, 'offer', 'rome_codes').filter((code) => typeof code === 'string'),
    level: textAt(record, 'offer', 'target_diploma', 'european'),
    createdAt: timeAt(record, 'creation') ?? 0,
    expiresAt: timeAt(record, 'expiration') ?? Number.POSITIVE_INFINITY,
    multicast,
    customName,
    publishedAt,
  };
}

/** Reads from a record the fields that searches need. */
export function located(record: Json): Located {
  const address = textAt(record, 'workplace', 'location', 'address') ?? '';
  return {
    id: textAt(record, 'identifier', 'id') ?? '',
    siret: textAt(record, 'workplace', 'siret'),
    position: positionOf(valueAt(record, 'workplace', 'location', 'geopoint')),
    postalCode: postalCodeIn(address) ?? '',
    opco: textAt(record, 'workplace', 'domain', 'opco'),
  };
}

/** The postal code of an address: the last group of exactly five digits. */
export function postalCodeIn(address: string): string | undefined {
  return address.match(/(?<!\d)\d{5}(?!\d)/g)?.at(-1);
}

function timeAt(record: Json, name: 'creation' | 'expiration'): number | undefined {
  const text = textAt(record, 'offer', 'publication', name);
  return text === null ? undefined : Date.parse(text);
}

/** A checked JobOfferWrite with its defaults filled in (work-study 7.4, 12.2.11). */
export interface OfferWrite {
  readonly partnerJobId: string | null;
  readonly workplace: {
    readonly siret: string;
    readonly name: string | null;
    readonly description: string | null;
    readonly website: string | null;
    readonly address: string | null;
  };
  readonly apply: { readonly email: string | null; readonly url: string | null; readonly phone: string | null };
  readonly contract: {
    readonly start: string | null;
    readonly duration: number | null;
    readonly type: readonly string[];
    readonly remote: string | null;
  };
  readonly offer: {
    readonly title: string;
    readonly description: string;
    readonly desiredSkills: readonly string[];
    readonly toBeAcquiredSkills: readonly string[];
    readonly accessConditions: readonly string[];
    readonly openingCount: number;
    readonly romeCodes: readonly string[] | null;
    readonly level: string | null;
    readonly creation: string | null;
    readonly expiration: string | null;
    readonly multicast: boolean;
    readonly status: string;
  };
}
