import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../../rest/call/upstream.js';
import { integer, list, type Origin, object, required, shape } from '../../rest/shapes/shape.js';
import { type OffsetPage, type QueryParameters, readTotal } from '../lists/paging.js';
import { exactRecord, type OrganizationCodes } from './exact-record.js';
import { type OrganizationView, organizationShape } from './shapes.js';

/** Largest page of organizations (volunteering 4.4). */
export const MAXIMUM_ORGANIZATIONS = 100;

/** A list request: filters in the service's vocabulary, and the rows wanted. */
export interface OrganizationQuery {
  readonly filter: QueryParameters;
  readonly skip: number;
  readonly limit: number;
}

/** A page as `GET /v0/organization` sends it. */
export type OrganizationList = OffsetPage<OrganizationView>;

/** The organization route of the service. It has none by identifier. */
export interface OrganizationsClient {
  /** `GET /v0/organization` */
  list(query: OrganizationQuery, operation: OperationContext): Promise<OrganizationList | null>;
  /** `GET /v0/organization?siret=…&rna=…`; null when no record carries the codes. */
  byCodes(codes: OrganizationCodes, operation: OperationContext): Promise<OrganizationView | null>;
}

/** Reads with the caller's key where there is one, and caches per key. */
export function createOrganizationsClient(upstream: Upstream): OrganizationsClient {
  const { origin } = upstream;
  return {
    list: (query, operation) =>
      upstream.call({ ...requestList(query), parse: (answer) => parseList(answer, origin) }, operation),
    byCodes: (codes, operation) =>
      upstream.call({ ...requestByCodes(codes), parse: (answer) => parseByCodes(answer, codes, origin) }, operation),
  };
}

type Request = Omit<UpstreamRequest<unknown>, 'parse'>;

const READ = {
  method: 'GET',
  template: '/v0/organization',
  path: '/v0/organization',
  cache: 'search',
  key: 'caller-or-operator',
} as const;

function requestList({ filter, skip, limit }: OrganizationQuery): Request {
  const offset: QueryParameters = skip === 0 ? [] : [['skip', String(skip)]];
  return { ...READ, query: [...filter, ...offset, ['limit', String(limit)]] };
}

// `total` is gone from today's service (volunteering 4.4).
const listShape = shape('OrganizationList', { data: required(list(object(organizationShape))), total: integer() });

function parseList({ json }: UpstreamAnswer, origin: Origin): OrganizationList {
  const view = listShape.view(json, origin);
  return { rows: view.data ?? [], total: readTotal(() => view.total) };
}

function requestByCodes({ siret, rna }: OrganizationCodes): Request {
  const query: QueryParameters = [
    ...(siret === null ? [] : [['siret', siret] as const]),
    ...(rna === null ? [] : [['rna', rna] as const]),
    // All records that carry the codes, so that the right one can be chosen.
    ['limit', String(MAXIMUM_ORGANIZATIONS)],
  ];
  return { ...READ, query, unknown: 'null' };
}

function parseByCodes(answer: UpstreamAnswer, codes: OrganizationCodes, origin: Origin): OrganizationView | null {
  return exactRecord(parseList(answer, origin).rows, codes);
}
