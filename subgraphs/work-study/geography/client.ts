import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader } from '../../graph/loader.js';
import { orNull, wrongType } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import { communeIndex, postalCodesOf, resolveInsee } from '../communes/commune-index.js';
import { parseList, queryOf, REFERENCE, readableItems, route, wholeListOf } from '../values/calls.js';
import type { Circle } from './circle.js';
import { Commune, type CommuneView, Departement, inseeOf, MissionLocale, type MissionLocaleView } from './shapes.js';

/** All départements. */
export const DEPARTEMENTS = {
  ...route('GET', '/geographie/v1/departement'),
  ...REFERENCE,
  parse: wholeListOf(Departement),
} as const;

const MISSIONS_LOCALES = { ...route('GET', '/geographie/v1/mission-locale'), ...REFERENCE } as const;

/** All missions locales, or those around a point, nearest first. */
export function requestMissionsLocales(around: Circle | null): UpstreamRequest<(MissionLocaleView | null)[]> {
  if (around === null) return { ...MISSIONS_LOCALES, parse: parseOffices };
  return { ...MISSIONS_LOCALES, query: queryOf({ ...around }), unbounded: true, parse: parseOfficesAround };
}

const parseOffices = wholeListOf(MissionLocale);

function parseOfficesAround({ json, sender }: UpstreamResponse) {
  return parseList(MissionLocale, json, sender);
}

type Communes = readonly (CommuneView | null)[];

/** The search of a commune by five digits, without them. */
const COMMUNES = {
  ...route('GET', '/geographie/v1/commune/search'),
  ...REFERENCE,
  unknown: 'null',
  small: true,
  parse: parseCommunes,
} as const;

function requestCommunes(digits: string): UpstreamRequest<Communes | null> {
  // A literal that begins with a spread gets a hidden class of its own each time: 6 µs, and all that reads it is slower.
  return { query: [['code', digits]], ...COMMUNES };
}

function parseCommunes({ json, sender }: UpstreamResponse): Communes | null {
  const communes = parseList(Commune, json, sender);
  if (communes.length === 0) return null;
  // Cached for everybody, rows without codes would say that no commune has the code looked for.
  if (communes.every((one) => inseeOf(one) === null)) throw wrongType('a list with INSEE codes', 'Commune[]', sender);
  return communes;
}

/**
 * A former code of another source that is a postal code too is left for the service to decide: 75003 was Arcueil's until
 * 1968, but to everyone it is the third arrondissement of Paris.
 */
function currentCodeOf(code: string): string {
  const { byPostalCode, arrondissements } = communeIndex();
  const current = resolveInsee(code) ?? code;
  return current !== code && byPostalCode.has(code) && !arrondissements.has(code) ? code : current;
}

/**
 * The five digits by which the source finds a commune. A Corsican INSEE code has a letter, so one of the commune's
 * postal codes replaces it (work-study 7.14); null for a Corsican code that no commune has.
 */
function digitsOf(insee: string): string | null {
  return /^\d{5}$/.test(insee) ? insee : (postalCodesOf(insee)[0] ?? null);
}

/** Communes for one request, already loaded or to be loaded. */
export type GeographyLoaders = ReturnType<typeof createGeographyLoaders>;

/** Loaders of communes for one request. Codes that are looked up by the same digits share a call. */
export function createGeographyLoaders(upstream: Upstream) {
  const communesOf = createSingleLoader((digits: string, operation) =>
    whenThere(upstream.read(requestCommunes(digits), operation), (communes): Communes => communes ?? []),
  );
  return {
    /** The communes that the source finds for five digits, an INSEE or postal code. */
    communes: (digits: string, operation: OperationContext) =>
      whenThere(communesOf(digits, operation), (communes) => [...communes]),
    /** The current commune of an INSEE code, which may be former or an arrondissement's; null when there is none, or no code. */
    commune(code: string | null | undefined, operation: OperationContext): Awaitable<CommuneView | null> {
      if (code === null || code === undefined) return null;
      const current = currentCodeOf(code);
      const digits = digitsOf(current);
      if (digits === null) return null;
      return whenThere(communesOf(digits, operation), (found) => {
        const isCurrent = (one: CommuneView | null) => inseeOf(one) === current;
        const commune = found.find(isCurrent) ?? readableItems(found).find((one) => hadCode(one, code)) ?? null;
        // The row looked for may be one that cannot be read.
        if (commune === null && found.some((one) => inseeOf(one) === null))
          throw wrongType('a list with INSEE codes', 'Commune[]', upstream.sender);
        return commune;
      });
    },
  };
}

/** Whether the source says that the code was part of the commune: it may know mergers newer than our list. */
function hadCode(commune: CommuneView, code: string): boolean {
  return (
    orNull(() => commune.arrondissements?.some((part) => part?.code === code) ?? null) === true ||
    orNull(() => commune.anciennes?.some((part) => part?.codeInsee === code) ?? null) === true
  );
}
