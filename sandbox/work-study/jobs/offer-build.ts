import type { Json } from '../../world/types.js';
import { type ParisDay, parisDay, parisTime } from '../values/paris.js';
import type { Company } from './companies.js';
import type { OfferWrite } from './offer-write.js';

/** Labels of diploma levels (work-study 8.3). */
const DIPLOMAS: Readonly<Record<string, string>> = {
  '3': 'CAP, BEP (Infrabac)',
  '4': 'Bac, Bac Pro, BP (Bac)',
  '5': 'BTS, DEUST (Bac+2)',
  '6': 'Licence, BUT, Licence Pro (Bac+3)',
  '7': 'Master, titre ingénieur, grande école (Bac+5)',
};

/** The parts of a record that were not written by the client. */
export interface OfferOrigin {
  readonly id: string;
  readonly organisation: string;
  readonly company: Company;
  /** Point of the custom address, or else of the company. */
  readonly geopoint: unknown;
  readonly romeCodes: readonly string[];
  /** Dates of the record: an update keeps those that it omits (work-study 7.5). */
  readonly creation: string;
  readonly expiration: string;
}

/** The JobOfferRead of a written offer, as the processing job stores it. */
export function buildOffer(write: OfferWrite, origin: OfferOrigin): Json {
  const { company, id } = origin;
  const { offer, contract, apply } = write;
  return {
    identifier: { id, partner_job_id: write.partnerJobId ?? id, partner_label: origin.organisation },
    workplace: {
      // When read back, the custom name is the last choice (work-study 8.4).
      name: company.legalName ?? company.brand ?? write.workplace.name,
      description: write.workplace.description === null ? null : limitHtml(write.workplace.description),
      website: write.workplace.website,
      siret: write.workplace.siret,
      location: { address: write.workplace.address ?? company.address, geopoint: origin.geopoint },
      brand: company.brand,
      legal_name: company.legalName,
      size: company.size,
      domain: company.domain,
    },
    apply: {
      phone: apply.phone,
      // Never null: the public page of the offer replaces a missing address (work-study 8.4).
      url: apply.url ?? `https://emplois.example/emploi/partners/${id}`,
      recipient_id: apply.email === null ? null : `partners_${id}`,
    },
    contract: { start: utc(contract.start), duration: contract.duration, type: contract.type, remote: contract.remote },
    offer: {
      title: offer.title,
      desired_skills: offer.desiredSkills,
      to_be_acquired_skills: offer.toBeAcquiredSkills,
      access_conditions: offer.accessConditions,
      opening_count: offer.openingCount,
      publication: { creation: origin.creation, expiration: origin.expiration },
      rome_codes: origin.romeCodes,
      description: limitHtml(offer.description),
      target_diploma: offer.level === null ? null : { european: offer.level, label: DIPLOMAS[offer.level] },
      status: offer.status,
    },
    is_delegated: false,
  };
}

/** Two months after a moment, at the start of the day in Paris (work-study 7.4). */
export function defaultExpiration(now: number): string {
  const { year, month, day }: ParisDay = parisDay(now);
  return new Date(parisTime({ year, month: month + 2, day }, 0)).toISOString();
}

/** A date-time in UTC, the form of all job data (work-study 1, fact 10). */
export function utc(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}

const ALLOWED_TAGS = new Set(['b', 'i', 'em', 'strong', 'p', 'br', 'ul', 'li']);

/** Removes all tags but the allowed ones, and every attribute (work-study 12.2.11). */
function limitHtml(text: string): string {
  const withoutCode = text.replace(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gis, '');
  return withoutCode.replace(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/gi, (_, slash: string, name: string) =>
    ALLOWED_TAGS.has(name.toLowerCase()) ? `<${slash}${name.toLowerCase()}>` : '',
  );
}
