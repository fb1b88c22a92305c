import type { Era } from '../../server/types.js';
import { isRecord, type Json } from '../../world/types.js';
import { textAt } from '../values/fields.js';
import { LIKELY_RECRUITERS, NATIONAL_AGENCY, OWN_OFFERS, type StoredOffer } from './stored-offer.js';

/** The seed's labels for the service's own origins (work-study 12.2.8). */
const SEED_LABELS: Readonly<Record<string, string>> = {
  [OWN_OFFERS]: 'offres_emploi_svc',
  [LIKELY_RECRUITERS]: 'recruteurs_svc',
};

/** A partner label as an era writes it. */
export function labelIn(era: Era, label: string): string {
  return era === 'seed' ? (SEED_LABELS[label] ?? label) : label;
}

/** Whether an era stores an offer: the seed fetched the national agency's on the fly (work-study 12.1, 12.2.8). */
export function isStoredIn(era: Era, offer: StoredOffer): boolean {
  if (era === 'today') return true;
  // `Pending` is a status that the seed does not know (work-study 10).
  return offer.label !== NATIONAL_AGENCY && offer.status !== 'Pending';
}

/** An offer as an era shows it. */
export function offerIn(era: Era, offer: StoredOffer): Json {
  const { record } = offer;
  if (era === 'today') return record;
  const { identifier, workplace, apply } = record;
  const fetched = offer.label === NATIONAL_AGENCY;
  return {
    ...record,
    identifier: {
      ...(isRecord(identifier) && identifier),
      partner_label: labelIn(era, offer.label),
      ...(fetched && { id: null }),
    },
    workplace: { ...(isRecord(workplace) && workplace), name: seedWorkplaceName(record, offer.customName) },
    apply: { ...(isRecord(apply) && apply), ...(fetched && { recipient_id: null }) },
  };
}

/** A recruiter as an era shows it: only the workplace's name differs, which today is the legal one (work-study 8.4). */
export function recruiterIn(era: Era, record: Json): Json {
  const { workplace } = record;
  const name = era === 'today' ? textAt(record, 'workplace', 'legal_name') : seedWorkplaceName(record, null);
  return { ...record, workplace: { ...(isRecord(workplace) && workplace), name } };
}

/** Custom name, else brand, else legal name; if delegated, the CFA's legal name (work-study 12.2.5, 12.2.11). */
function seedWorkplaceName(record: Json, customName: string | null): string | null {
  const legalName = textAt(record, 'workplace', 'legal_name');
  if (record['is_delegated'] === true) return legalName;
  return customName ?? textAt(record, 'workplace', 'brand') ?? legalName ?? textAt(record, 'workplace', 'name');
}
