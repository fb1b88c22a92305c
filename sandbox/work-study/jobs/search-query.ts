import type { ParsedUrlQuery } from 'node:querystring';
import type { Era } from '../../server/types.js';
import type { Around } from '../values/distance.js';
import { type Issue, invalidType } from '../values/issues.js';
import { createQueryReader, MISSING_COORDINATE_EN, readAround, valuesOf } from '../values/query.js';

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
