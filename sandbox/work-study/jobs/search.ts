import type { ParsedUrlQuery } from 'node:querystring';
import type { Era } from '../../server/types.js';
import type { Json } from '../../world/types.js';
import { type Around, withinRadius } from '../values/distance.js';
import { type Issue, invalidType } from '../values/issues.js';
import { createQueryReader, MISSING_COORDINATE_EN, readAround, valuesOf } from '../values/query.js';
import { labelIn, offerIn, recruiterIn } from './eras.js';
import type { OfferStore, Recruiter } from './offer-store.js';
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

/** OPCO labels that the search accepts; the last two only in the backend (work-study 7.1, 8.3). */
export const OPCOS = [
  'AFDAS',
  "AKTO / Opco entreprises et salariés des services à forte intensité de main d'oeuvre",
  'ATLAS',
  'Constructys',
  "L'Opcommerce",
  'OCAPIAT',
  'OPCO 2i',
  'Opco entreprises de proximité',
  'Opco Mobilités',
  'Opco Santé',
  "Uniformation, l'Opco de la Cohésion sociale",
  'inconnu',
  'OPCO multiple',
] as const;

/** The diploma levels of the search. */
export const DIPLOMA_LEVELS = ['3', '4', '5', '6', '7'] as const;

/** The checked parameters of the search. */
export interface JobQuery {
  readonly around: Around | undefined;
  readonly romes: readonly string[] | undefined;
  readonly rncp: string | undefined;
  readonly level: string | undefined;
  /** Prefixes of postal codes; undefined for the whole country. */
  readonly postalPrefixes: readonly string[] | undefined;
  readonly opco: string | undefined;
  readonly excludedPartners: ReadonlySet<string>;
}

/** Reads the search's query as the backend does (work-study 7.1). */
export function readJobQuery(query: ParsedUrlQuery, era: Era): { issues: readonly Issue[] } | { value: JobQuery } {
  const reader = createQueryReader(query);
  // An undocumented boolean that no text satisfies.
  const [handicap] = valuesOf(query, 'elligibleHandicapFilter');
  if (handicap !== undefined) reader.issues.push(invalidType(['elligibleHandicapFilter'], 'boolean', handicap));
  // Spaces around a code are valid here, and make it match nothing (work-study 7.1).
  const romes = reader.list('romes', /^ *[A-Z]\d{4} *$/, 'One or more ROME codes are invalid');
  const rncp = reader.pattern('rncp', /^RNCP\d{3,5}$/);
  const value: JobQuery = {
    romes,
    rncp,
    level: reader.oneOf('target_diploma_level', DIPLOMA_LEVELS),
    opco: reader.oneOf('opco', OPCOS),
    postalPrefixes: 'departements' in query ? valuesOf(query, 'departements').flatMap(postalPrefixes) : undefined,
    excludedPartners: excludedPartners(query, era, romes !== undefined || rncp !== undefined),
    around: readAround(reader, MISSING_COORDINATE_EN),
  };
  return reader.issues.length > 0 ? { issues: reader.issues } : { value };
}

/** Corsica's postal codes do not start with its departments' codes (work-study 7.1). */
function postalPrefixes(departement: string): string[] {
  if (departement === '2A') return ['200', '201'];
  if (departement === '2B') return ['202', '206'];
  return [departement];
}

/** Today the exclusion is ignored unless `romes` or `rncp` is given (work-study 7.1). */
function excludedPartners(query: ParsedUrlQuery, era: Era, hasCodes: boolean): ReadonlySet<string> {
  if (era === 'today' && !hasCodes) return new Set();
  return new Set(valuesOf(query, 'partners_to_exclude'));
}
