import { createSingleLoader, type Load, type PendingLookUps } from '../../graph/loader.js';
import { reusable } from '../../rest/keys.js';
import { integer, list, neverNull, object, shape, wrongType } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import {
  createSeenRows,
  type ListQuery,
  listQuery,
  type OffsetPage,
  type Queried,
  type QueryParameters,
  readTotal,
  type SeenRows,
  withoutSurplus,
} from '../values/lists.js';
import { exactRecord, isUnread, type OrganizationCodes } from './codes.js';
import { type OrganizationView, organizationShape } from './shapes.js';

/** Largest page of organizations (volunteering 4.4). */
export const MAX_ORGANIZATIONS = 100;

/** A page as `GET /v0/organization` sends it. */
export type OrganizationList = OffsetPage<OrganizationView>;

/** The only route reads with the caller's key if there is one, and is cached per key. */
const READ = {
  method: 'GET',
  template: '/v0/organization',
  path: '/v0/organization',
  cache: 'search',
  key: 'caller-or-operator',
} as const;

/** The request for rows of `GET /v0/organization`. */
export function requestList(query: ListQuery): UpstreamRequest<OrganizationList> {
  return { query: listQuery(query), parse: parseList, ...READ };
}

// Today's service no longer sends `total` (volunteering 4.4).
const listShape = shape('OrganizationList', { data: neverNull(list(object(organizationShape))), total: integer() });

function parseList({ json, origin }: UpstreamResponse, { query }: Queried): OrganizationList {
  const view = listShape.view(withoutSurplus(json, 'data', query), origin);
  return { rows: view.data ?? [], total: readTotal(() => view.total) };
}

const byCodes = new WeakMap<OrganizationCodes, UpstreamRequest<OrganizationView | null>>();

/**
 * The request for the record of `GET /v0/organization?siret=…&rna=…`, for want of a route by identifier; null when none
 * has the codes. Created once per codes object.
 */
export function requestByCodes(codes: OrganizationCodes): UpstreamRequest<OrganizationView | null> {
  const known = byCodes.get(codes);
  if (known !== undefined) return known;
  const { siret, rna } = codes;
  const query: QueryParameters = [
    ...(siret === null ? [] : [['siret', siret] as const]),
    ...(rna === null ? [] : [['rna', rna] as const]),
    // All records that have the codes, so that the right one can be chosen.
    ['limit', String(MAX_ORGANIZATIONS)],
  ];
  const request = reusable({ query, unknown: 'null', parse: parseByCodes, ...READ });
  byCodes.set(codes, request);
  return request;
}

function parseByCodes(response: UpstreamResponse, { query = [] }: Queried): OrganizationView | null {
  const codeIn = (name: string) => query.find(([parameter]) => parameter === name)?.[1] ?? null;
  const codes = { siret: codeIn('siret'), rna: codeIn('rna') };
  const { rows } = parseList(response, { query });
  const record = exactRecord(rows, codes);
  // Null would be cached and reported as "no record has the codes".
  if (record === null && rows.some((row) => isUnread(row, codes))) {
    throw wrongType('records with SIRET and RNA number', 'Organization', response.origin);
  }
  return record;
}

/** Organizations for one request, already loaded or to be loaded. */
export interface OrganizationLoaders {
  readonly organizationByCodes: Load<OrganizationCodes, OrganizationView | null>;
  readonly seenOrganizations: SeenRows<OrganizationView>;
}

/** The loaders of organizations for one request: one call per distinct pair of codes, noted in `lookUps`. */
export function createOrganizationLoaders(upstream: Upstream, lookUps: PendingLookUps): OrganizationLoaders {
  const seenOrganizations = createSeenRows<OrganizationView>();
  return {
    seenOrganizations,
    organizationByCodes: createSingleLoader(
      (codes, operation) =>
        lookUps.note(
          upstream.read(requestByCodes(codes), operation).then((organization) => {
            seenOrganizations.add([organization]);
            return organization;
          }),
        ),
      ({ siret, rna }) => `${siret ?? ''} ${rna ?? ''}`,
    ),
  };
}
