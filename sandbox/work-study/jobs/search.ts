import type { Era } from '../../server/types.js';
import type { Json } from '../../world/types.js';
import { type Around, withinRadius } from '../values/distance.js';
import { labelIn, offerIn, recruiterIn } from './eras.js';
import type { OfferStore, Recruiter } from './offer-store.js';
import type { JobQuery } from './search-query.js';
import { LIKELY_RECRUITERS, type Located, NATIONAL_AGENCY, OWN_OFFERS, type StoredOffer } from './stored-offer.js';

/** Most rows of each of the four parts of a reply (work-study 7.1). */
const CAP = 150;

/** A search with resolved parameters. */
export interface JobSearch extends JobQuery {
  /** Union of the requested ROME codes and those of the RNCP record; undefined for any. */
  readonly allRomes: ReadonlySet<string> | undefined;
  readonly era: Era;
  readonly now: number;
}

/**
 * `jobs`: own offers, then the national agency's, then partners', each sorted and capped separately (work-study 7.1).
 */
export function searchOffers(store: OfferStore, search: JobSearch): Json[] {
  const { era } = search;
  const found = store.published(search.now).filter((offer) => isFound(offer, search));
  const isAgency = ({ label }: StoredOffer): boolean => label === NATIONAL_AGENCY;
  const isOwn = ({ label }: StoredOffer): boolean => label === OWN_OFFERS;
  const parts = [
    found.filter(isOwn),
    found.filter(isAgency),
    // Today the partner part excludes only the service's own labels: agency offers appear twice (work-study 7.1).
    found.filter((offer) => !isOwn(offer) && (era === 'today' || !isAgency(offer))),
  ];
  return parts.flatMap((part) => nearest(part, search.around, newestFirst)).map((offer) => offerIn(era, offer));
}

/** `recruiters`: neither level nor expiry applies to them (work-study 7.1). */
export function searchRecruiters(recruiters: readonly Recruiter[], search: JobSearch): Json[] {
  const { era, allRomes, excludedPartners } = search;
  if (excludedPartners.has(labelIn(era, LIKELY_RECRUITERS))) return [];
  const found = recruiters.filter(
    (recruiter) =>
      isPlaced(recruiter, search) && (allRomes === undefined || recruiter.romes.some((rome) => allRomes.has(rome))),
  );
  return nearest(found, search.around, () => 0).map(({ record }) => recruiterIn(era, record));
}

function isFound(offer: StoredOffer, search: JobSearch): boolean {
  const { allRomes, level, era } = search;
  return (
    offer.status === 'Active' &&
    offer.multicast &&
    offer.expiresAt > search.now &&
    (allRomes === undefined || offer.romes.some((rome) => allRomes.has(rome))) &&
    // Offers of the level, and offers without one (work-study 7.1).
    (level === undefined || offer.level === null || offer.level === level) &&
    !search.excludedPartners.has(labelIn(era, offer.label)) &&
    isPlaced(offer, search)
  );
}

function isPlaced({ postalCode, opco }: Located, search: JobSearch): boolean {
  const { postalPrefixes } = search;
  if (search.opco !== undefined && opco !== search.opco) return false;
  return postalPrefixes === undefined || postalPrefixes.some((prefix) => postalCode.startsWith(prefix));
}

/** The first rows of a part, by distance if a point is given, then by the given order. */
function nearest<T extends Located>(
  rows: readonly T[],
  around: Around | undefined,
  order: (a: T, b: T) => number,
): T[] {
  const sorted =
    around === undefined ? [...rows].sort(order) : withinRadius(rows, around, ({ position }) => position, order);
  return sorted.slice(0, CAP);
}

function newestFirst(a: StoredOffer, b: StoredOffer): number {
  return b.createdAt - a.createdAt;
}
