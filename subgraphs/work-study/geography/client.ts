import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { WatchCache } from '../../../kernel/caches.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { reusable } from '../../rest/keys.js';
import { type Origin, orNull, wrongType } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import { communeIndex, postalCodesOf, resolveInsee } from '../communes/commune-index.js';
import { parseList, parseWholeList, readableItems } from '../values/calls.js';
import { type Circle, circleQuery } from './circle.js';
import {
  Commune,
  type CommuneView,
  Departement,
  type DepartementView,
  inseeOf,
  MissionLocale,
  type MissionLocaleView,
} from './shapes.js';

/** All départements. */
export function readDepartements(upstream: Upstream, operation: OperationContext): Awaitable<Departements> {
  return whenThere(upstream.read(DEPARTEMENTS, operation), (departements) => departements ?? []);
}

/** All missions locales, or those around a point, nearest first. */
export function readMissionsLocales(
  upstream: Upstream,
  around: Circle | null,
  operation: OperationContext,
): Awaitable<MissionsLocales> {
  return whenThere(upstream.read(requestMissionsLocales(around), operation), (found) => found ?? []);
}

type Departements = (DepartementView | null)[];
type MissionsLocales = (MissionLocaleView | null)[];

const DEPARTEMENTS: UpstreamRequest<Departements> = {
  parse: ({ json, origin }) => parseWholeList(Departement, json, origin),
  ...reference('/geographie/v1/departement'),
};

function requestMissionsLocales(around: Circle | null): UpstreamRequest<MissionsLocales> {
  return {
    query: around === null ? [] : circleQuery(around),
    unbounded: around !== null,
    parse: around === null ? parseMissionsLocales : parseMissionsLocalesAround,
    ...reference('/geographie/v1/mission-locale'),
  };
}

function parseMissionsLocales({ json, origin }: UpstreamResponse): MissionsLocales {
  return parseWholeList(MissionLocale, json, origin);
}

function parseMissionsLocalesAround({ json, origin }: UpstreamResponse): MissionsLocales {
  return parseList(MissionLocale, json, origin);
}

/** Geography (work-study 7.14 to 7.16) is fetched with the operator's key, and cached for a day for all callers. */
function reference(path: string) {
  return { method: 'GET', template: path, path, cache: 'reference', key: 'operator' } as const;
}

/** What the source found for five digits, with the result of the last look-up in it: nearly all are for one code. */
class FoundCommunes {
  readonly list: (CommuneView | null)[];
  lookUp: CommuneLookUp | null = null;
  commune: CommuneView | null = null;

  constructor(list: (CommuneView | null)[]) {
    this.list = list;
  }
}

/** For five digits that the source does not know, which is cached for only a minute. */
const NONE = new FoundCommunes([]);

/** A request for communes, with an identity that is equal for equal digits. */
type CommunesRequest = UpstreamRequest<FoundCommunes | null> & { readonly identity: string };

/** The request that finds the commune of an INSEE code. */
interface CommuneLookUp extends CommunesRequest {
  readonly code: string;
  /** The current commune's code, where `code` may be a former one or an arrondissement's. */
  readonly current: string;
}

/** Requests for communes, created once for all callers: each finds again what it last found. */
export interface CommuneRequests {
  /** For the communes that the source finds for five digits, an INSEE or postal code. */
  ofDigits(digits: string): CommunesRequest;
  /** For the commune of an INSEE code; null for a Corsican code that no commune has. */
  ofInsee(code: string): CommuneLookUp | null;
}

/** Enough for the communes in use, of 35,000. Then all are dropped: tracking their use would make each cost more. */
const MAX_REQUESTS = 5000;
/** Bytes of heap for a request with its key. */
const REQUEST_BYTES = 1000;

/** Starts without any requests. */
export function createCommuneRequests(watchCache: WatchCache): CommuneRequests {
  const byDigits = new Map<string, CommunesRequest>();
  const byInsee = new Map<string, CommuneLookUp | null>();
  watchCache('commune-requests', () => REQUEST_BYTES * (byDigits.size + byInsee.size));

  function store<R>(requests: Map<string, R>, key: string, request: R): R {
    if (byDigits.size + byInsee.size === MAX_REQUESTS) {
      byDigits.clear();
      byInsee.clear();
    }
    requests.set(key, request);
    return request;
  }

  return {
    ofDigits: (digits) => byDigits.get(digits) ?? store(byDigits, digits, reusable(requestCommunes(digits))),
    ofInsee(code) {
      const known = byInsee.get(code);
      return known !== undefined ? known : store(byInsee, code, lookUpOf(code));
    },
  };
}

function lookUpOf(code: string): CommuneLookUp | null {
  const current = currentCodeOf(code);
  const digits = digitsOf(current);
  return digits === null ? null : { code, current, ...reusable(requestCommunes(digits)) };
}

function requestCommunes(code: string): UpstreamRequest<FoundCommunes | null> {
  return {
    query: [['code', code]],
    unknown: 'null',
    small: true,
    parse: parseCommunes,
    ...reference('/geographie/v1/commune/search'),
  };
}

function parseCommunes({ json, origin }: UpstreamResponse): FoundCommunes | null {
  const communes = parseList(Commune, json, origin);
  if (communes.length === 0) return null;
  // Cached for everybody, rows without codes would say that no commune has the code looked for.
  if (communes.every((one) => inseeOf(one) === null)) throw wrongType('a list with INSEE codes', 'Commune[]', origin);
  return new FoundCommunes(communes);
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

/**
 * Communes for one request, already loaded or to be loaded. Codes that are looked up by the same digits share a call.
 * A class, because every request with a commune creates it: an object of closures takes more time and memory.
 */
export class GeographyLoaders {
  readonly #requests: CommuneRequests;
  readonly #origin: Origin;
  readonly #communes: Load<CommunesRequest, FoundCommunes>;

  constructor(upstream: Upstream, requests: CommuneRequests) {
    this.#requests = requests;
    this.#origin = upstream.origin;
    this.#communes = createSingleLoader(
      (request, operation) => whenThere(upstream.read(request, operation), (communes) => communes ?? NONE),
      ({ identity }) => identity,
    );
  }

  /** The communes that the source finds for five digits. */
  communes(digits: string, operation: OperationContext): Awaitable<(CommuneView | null)[]> {
    return whenThere(this.#communes(this.#requests.ofDigits(digits), operation), ({ list }) => list);
  }

  /** The current commune of an INSEE code, which may be former or an arrondissement's; null when there is none. */
  commune(code: string, operation: OperationContext): Awaitable<CommuneView | null> {
    const lookUp = this.#requests.ofInsee(code);
    if (lookUp === null) return null;
    return whenThere(this.#communes(lookUp, operation), (found) => communeAmong(found, lookUp, this.#origin));
  }
}

function communeAmong(found: FoundCommunes, lookUp: CommuneLookUp, origin: Origin): CommuneView | null {
  if (found.lookUp === lookUp) return found.commune;
  const { code, current } = lookUp;
  const list = readableItems(found.list);
  const commune = list.find((one) => inseeOf(one) === current) ?? list.find((one) => hadCode(one, code)) ?? null;
  // The row looked for may be one that cannot be read.
  if (commune === null && found.list.some((one) => inseeOf(one) === null)) {
    throw wrongType('a list with INSEE codes', 'Commune[]', origin);
  }
  found.commune = commune;
  found.lookUp = lookUp;
  return found.commune;
}

/** Whether the source says that the code was part of the commune: it may know mergers newer than our list. */
function hadCode(commune: CommuneView, code: string): boolean {
  return (
    orNull(() => commune.arrondissements?.some((part) => part?.code === code) ?? null) === true ||
    orNull(() => commune.anciennes?.some((part) => part?.codeInsee === code) ?? null) === true
  );
}
