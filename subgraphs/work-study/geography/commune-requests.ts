import type { WatchCache } from '../../../schema/caches.js';
import { reusable } from '../../rest/cache/identity.js';
import type { UpstreamRequest, UpstreamResponse } from '../../rest/call/upstream.js';
import { wrongType } from '../../rest/shapes/shape.js';
import { communeIndex, postalCodesOf, resolveInsee } from '../communes/commune-index.js';
import { parseList } from '../lists/parse-list.js';
import { inseeOf } from './insee-of.js';
import { Commune, type CommuneView } from './shapes.js';

/** What the source found for five digits, with the last look-up among it: nearly all of them are for one code. */
export class FoundCommunes {
  readonly list: (CommuneView | null)[];
  lookUp: CommuneLookUp | null = null;
  commune: CommuneView | null = null;

  constructor(list: (CommuneView | null)[]) {
    this.list = list;
  }
}

/** A request for communes, with its identity: equal for equal digits. */
export type CommunesRequest = UpstreamRequest<FoundCommunes | null> & { readonly identity: string };

/** The request that finds the commune of an INSEE code. */
export interface CommuneLookUp extends CommunesRequest {
  readonly code: string;
  /** The current code for one that may be former or an arrondissement's. */
  readonly current: string;
}

/** Requests for communes, made once for all callers: each finds again what it found the last time. */
export interface CommuneRequests {
  /** For the communes that the source finds for five digits, as INSEE or postal code. */
  ofDigits(digits: string): CommunesRequest;
  /** For the commune of an INSEE code; null for a Corsican code that no commune has. */
  ofInsee(code: string): CommuneLookUp | null;
}

/** Of 35,000 communes those in use now; then it begins anew, since an order of use would cost each of them more. */
const MAX_REQUESTS = 5000;
/** Bytes of heap for one of them with its key. */
const REQUEST_BYTES = 1000;

/** Has made none at first. */
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
  return digits === null ? null : { ...reusable(requestCommunes(digits)), code, current };
}

function requestCommunes(code: string): UpstreamRequest<FoundCommunes | null> {
  const path = '/geographie/v1/commune/search';
  return {
    ...{ method: 'GET', template: path, path, cache: 'reference', key: 'operator' },
    query: [['code', code]],
    unknown: 'null',
    small: true,
    parse: parseCommunes,
  };
}

function parseCommunes({ json, origin }: UpstreamResponse): FoundCommunes | null {
  const communes = parseList(Commune, json, origin);
  if (communes.length === 0) return null;
  // Cached for everybody, rows without a code would say that no commune has the one that was looked for.
  if (communes.every((one) => inseeOf(one) === null)) throw wrongType('a list with INSEE codes', 'Commune[]', origin);
  return new FoundCommunes(communes);
}

/**
 * A former code that is a postal code too is left as it is, for the source to decide: 75003 was Arcueil's until 1968 and
 * is the third arrondissement of Paris to everyone.
 */
function currentCodeOf(code: string): string {
  const current = resolveInsee(code) ?? code;
  return current !== code && communeIndex().byPostalCode.has(code) ? code : current;
}

/**
 * The five digits that find a commune at the source. A Corsican INSEE code is none, so one of the commune's postal
 * codes stands for it (work-study 7.14); null for a Corsican code that no commune has.
 */
function digitsOf(insee: string): string | null {
  return /^\d{5}$/.test(insee) ? insee : (postalCodesOf(insee)[0] ?? null);
}
