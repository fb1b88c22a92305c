import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../../rest/call/upstream.js';
import type { Origin } from '../../rest/shapes/shape.js';
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
  communes(code: string, operation: OperationContext): Promise<(CommuneView | null)[]>;
  departements(operation: OperationContext): Promise<(DepartementView | null)[]>;
  /** All of them, or those around a point, nearest first. */
  missionsLocales(around: Circle | null, operation: OperationContext): Promise<(MissionLocaleView | null)[]>;
}

/** Fetches with the operator's key; a day's cache serves all callers. */
export function createGeographyClient(upstream: Upstream): GeographyClient {
  const { origin } = upstream;
  return {
    // An empty response means that the code is unknown: it is cached for a minute only.
    communes: async (code, operation) => (await upstream.call(requestCommunes(code, origin), operation)) ?? [],
    departements: async (operation) => (await upstream.call(requestDepartements(origin), operation)) ?? [],
    missionsLocales: async (around, operation) =>
      (await upstream.call(requestMissionsLocales(around, origin), operation)) ?? [],
  };
}

type Communes = (CommuneView | null)[];
type Departements = (DepartementView | null)[];
type MissionsLocales = (MissionLocaleView | null)[];

function requestCommunes(code: string, origin: Origin): UpstreamRequest<Communes | null> {
  return {
    ...reference('/geographie/v1/commune/search'),
    query: [['code', code]],
    unknown: 'null',
    parse: (answer) => parseCommunes(answer, origin),
  };
}

function requestDepartements(origin: Origin): UpstreamRequest<Departements> {
  return {
    ...reference('/geographie/v1/departement'),
    parse: ({ json }) => parseList(Departement, json, origin),
  };
}

function requestMissionsLocales(around: Circle | null, origin: Origin): UpstreamRequest<MissionsLocales> {
  return {
    ...reference('/geographie/v1/mission-locale'),
    query: around === null ? [] : circleQuery(around),
    unbounded: around !== null,
    parse: ({ json }) => parseList(MissionLocale, json, origin),
  };
}

function parseCommunes({ json }: UpstreamAnswer, origin: Origin): Communes | null {
  const communes = parseList(Commune, json, origin);
  return communes.length === 0 ? null : communes;
}

function reference(path: string) {
  return { method: 'GET', template: path, path, cache: 'reference', key: 'operator' } as const;
}
