import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/call/upstream.js';
import type { Origin } from '../../rest/responses/shape.js';
import { parseList, parseWholeList } from '../lists/parse-list.js';
import { type Circle, circleQuery } from './circle.js';
import {
  type CommuneRequests,
  type CommunesRequest,
  createCommuneRequests,
  FoundCommunes,
} from './commune-requests.js';
import { Departement, type DepartementView, MissionLocale, type MissionLocaleView } from './shapes.js';

/** Geography routes (work-study 7.14 to 7.16): data that all callers share, fetched with the operator's key. */
export interface GeographyClient {
  readonly origin: Origin;
  readonly communeRequests: CommuneRequests;
  communes(request: CommunesRequest, operation: OperationContext): PromiseLike<FoundCommunes>;
  departements(operation: OperationContext): PromiseLike<Departements>;
  /** All of them, or those around a point, nearest first. */
  missionsLocales(around: Circle | null, operation: OperationContext): PromiseLike<MissionsLocales>;
}

/** A client that fetches with the operator's key, and caches for a day for all callers. */
export function createGeographyClient(upstream: Upstream, watchCache: WatchCache = unwatched): GeographyClient {
  return {
    origin: upstream.origin,
    communeRequests: createCommuneRequests(watchCache),
    // An empty response means that the code is unknown, and is cached for only a minute.
    communes: (request, operation) => upstream.read(request, operation).then((communes) => communes ?? NONE),
    departements: (operation) =>
      upstream.read(requestDepartements(), operation).then((departements) => departements ?? []),
    missionsLocales: (around, operation) =>
      upstream.read(requestMissionsLocales(around), operation).then((found) => found ?? []),
  };
}

const NONE = new FoundCommunes([]);

type Departements = (DepartementView | null)[];
type MissionsLocales = (MissionLocaleView | null)[];

function requestDepartements(): UpstreamRequest<Departements> {
  return { parse: parseDepartements, ...reference('/geographie/v1/departement') };
}

function parseDepartements({ json, origin }: UpstreamResponse): Departements {
  return parseWholeList(Departement, json, origin);
}

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

function reference(path: string) {
  return { method: 'GET', template: path, path, cache: 'reference', key: 'operator' } as const;
}
