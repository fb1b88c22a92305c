import { unwatched, type WatchCache } from '../../../schema/caches.js';
import { type Awaitable, whenThere } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { reusable } from '../../rest/cache/identity.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/call/upstream.js';
import { parseList } from '../lists/parse-list.js';
import { type Circle, circleQuery } from './circle.js';
import {
  Commune,
  type CommuneView,
  Departement,
  type DepartementView,
  MissionLocale,
  type MissionLocaleView,
} from './shapes.js';

/** Geography routes (work-study 7.14 to 7.16): data that all callers share, fetched with the operator's key. */
export interface GeographyClient {
  /** The communes that the source finds for five digits, as INSEE or postal code. */
  communes(code: string, operation: OperationContext): Awaitable<Communes>;
  departements(operation: OperationContext): Awaitable<Departements>;
  /** All of them, or those around a point, nearest first. */
  missionsLocales(around: Circle | null, operation: OperationContext): Awaitable<MissionsLocales>;
}

/** Fetches with the operator's key; a day's cache serves all callers. */
export function createGeographyClient(upstream: Upstream, watchCache: WatchCache = unwatched): GeographyClient {
  const requests = new Map<string, UpstreamRequest<Communes | null>>();
  watchCache('commune-requests', () => REQUEST_BYTES * requests.size);

  function communesRequest(code: string): UpstreamRequest<Communes | null> {
    const known = requests.get(code);
    if (known !== undefined) return known;
    const request = reusable(requestCommunes(code));
    if (requests.size === MAX_REQUESTS) requests.clear();
    requests.set(code, request);
    return request;
  }

  return {
    // An empty response means that the code is unknown: it is cached for a minute only.
    communes: (code, operation) =>
      whenThere(upstream.read(communesRequest(code), operation), (communes) => communes ?? NONE),
    departements: (operation) =>
      whenThere(upstream.read(requestDepartements(), operation), (departements) => departements ?? []),
    missionsLocales: (around, operation) =>
      whenThere(upstream.read(requestMissionsLocales(around), operation), (found) => found ?? []),
  };
}

/** Of 35,000 communes those in use now; then it begins anew, since an order of use would cost each of them more. */
const MAX_REQUESTS = 5000;
/** Bytes of heap for one of them with its key. */
const REQUEST_BYTES = 1000;

const NONE: Communes = [];

type Communes = (CommuneView | null)[];
type Departements = (DepartementView | null)[];
type MissionsLocales = (MissionLocaleView | null)[];

function requestCommunes(code: string): UpstreamRequest<Communes | null> {
  return {
    ...reference('/geographie/v1/commune/search'),
    query: [['code', code]],
    unknown: 'null',
    parse: parseCommunes,
  };
}

function requestDepartements(): UpstreamRequest<Departements> {
  return { ...reference('/geographie/v1/departement'), parse: parseDepartements };
}

function parseDepartements({ json, origin }: UpstreamResponse): Departements {
  return parseList(Departement, json, origin);
}

function requestMissionsLocales(around: Circle | null): UpstreamRequest<MissionsLocales> {
  return {
    ...reference('/geographie/v1/mission-locale'),
    query: around === null ? [] : circleQuery(around),
    unbounded: around !== null,
    parse: parseMissionsLocales,
  };
}

function parseMissionsLocales({ json, origin }: UpstreamResponse): MissionsLocales {
  return parseList(MissionLocale, json, origin);
}

function parseCommunes({ json, origin }: UpstreamResponse): Communes | null {
  const communes = parseList(Commune, json, origin);
  return communes.length === 0 ? null : communes;
}

function reference(path: string) {
  return { method: 'GET', template: path, path, cache: 'reference', key: 'operator' } as const;
}
