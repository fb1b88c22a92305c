import type { WatchCache } from '../../../schema/caches.js';
import { reusable } from '../../rest/cache/identity.js';
import type { UpstreamRequest, UpstreamResponse } from '../../rest/call/upstream.js';
import { communeIndex, postalCodesOf, resolveInsee } from '../communes/commune-index.js';
import { parseList } from '../lists/parse-list.js';
import { Commune, type CommuneView } from './shapes.js';

/** What the source finds for five digits. */
export type Communes = (CommuneView | null)[];

/** A request for communes, with its identity: equal for equal digits. */
export type CommunesRequest = UpstreamRequest<Communes | null> & { readonly identity: string };

/** How the commune of an INSEE code is looked up. */
export interface CommuneLookUp {
  readonly code: string;
  /** The current code for one that may be former or an arrondissement's. */
  readonly current: string;
  readonly request: CommunesRequest;
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
/** Bytes of heap for a request with its key, and for a look-up with its own. */
const REQUEST_BYTES = 1000;
const LOOK_UP_BYTES = 150;

/** Has made none at first. */
export function createCommuneRequests(watchCache: WatchCache): CommuneRequests {
  const requests = new Map<string, CommunesRequest>();
  const lookUps = new Map<string, CommuneLookUp | null>();
  watchCache('commune-requests', () => REQUEST_BYTES * requests.size + LOOK_UP_BYTES * lookUps.size);

  function ofDigits(digits: string): CommunesRequest {
    const known = requests.get(digits);
    if (known !== undefined) return known;
    const request = reusable(requestCommunes(digits));
    if (requests.size === MAX_REQUESTS) {
      requests.clear();
      lookUps.clear();
    }
    requests.set(digits, request);
    return request;
  }

  function lookUpOf(code: string): CommuneLookUp | null {
    const current = currentCodeOf(code);
    const digits = digitsOf(current);
    return digits === null ? null : { code, current, request: ofDigits(digits) };
  }

  return {
    ofDigits,
    ofInsee(code) {
      const known = lookUps.get(code);
      if (known !== undefined) return known;
      const lookUp = lookUpOf(code);
      if (lookUps.size === MAX_REQUESTS) lookUps.clear();
      lookUps.set(code, lookUp);
      return lookUp;
    },
  };
}

function requestCommunes(code: string): UpstreamRequest<Communes | null> {
  const path = '/geographie/v1/commune/search';
  return {
    ...{ method: 'GET', template: path, path, cache: 'reference', key: 'operator' },
    query: [['code', code]],
    unknown: 'null',
    parse: parseCommunes,
  };
}

function parseCommunes({ json, origin }: UpstreamResponse): Communes | null {
  const communes = parseList(Commune, json, origin);
  return communes.length === 0 ? null : communes;
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
