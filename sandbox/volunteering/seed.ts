import type { ParsedUrlQuery } from 'node:querystring';
import { paramsOf, queryOf } from '../server/call.js';
import type { Json } from '../world/types.js';
import type { Account, AuthorizedRequest } from './accounts.js';
import { type Catalogue, countFacet, type MissionRow, normalise, textOf } from './catalogue.js';
import { dateBoundOfSeed, isWithin } from './dates.js';
import { distanceOfSeed, greatCircleKm, type Point } from './places.js';
import { sendUnknownMission } from './replies.js';
import { seedAssociationId, seedMission, seedOrganization, seedRemote } from './seed-shapes.js';

/** Handles authenticated requests as the seed document describes the service. */
export function createHandlersOfSeed(catalogue: Catalogue) {
  return {
    /** `skip` and `limit` page the list (volunteering 12.4.1). */
    list({ request, reply, account }: AuthorizedRequest): object {
      const query = catalogue.known(queryOf(request));
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 10_000 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = listSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const data = found.slice(page.skip, page.skip + page.limit).map((row) => seedMission(row, 'list', sent));
      return { ok: true, data, total: found.length, limit: page.limit, skip: page.skip };
    },

    /** `size` and `from` page the search, whose reply has no `ok` (volunteering 12.4.2). */
    search({ request, reply, account }: AuthorizedRequest): object {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'size', skip: 'from', max: 10_000 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = searchSeedMissions(catalogue.missions(), query, account);
      const sent = { account, baseUrl: catalogue.baseUrl() };
      const hits = found.slice(page.skip, page.skip + page.limit).map(({ row, distance }) => ({
        ...seedMission(row, 'search', sent),
        ...(distance !== undefined && { _distance: distance }),
      }));
      return { total: found.length, hits, facets: facetsOfSeed(found.map(({ row }) => row)) };
    },

    /** Includes removed and refused missions (volunteering 12.3, 3.7), but none that the key may not see. */
    byId({ request, reply, account }: AuthorizedRequest): object {
      const row = catalogue.missionById(paramsOf(request)['id']);
      if (row === undefined || !account.sees(row.record['publisherId'])) return sendUnknownMission(request, reply);
      return { ok: true, data: seedMission(row, 'by-id', { account, baseUrl: catalogue.baseUrl() }) };
    },

    /** With the `total` that today's reply lacks (volunteering 12.4.4). */
    organizations({ request, reply }: AuthorizedRequest): object {
      const query = queryOf(request);
      const page = readSeedPage(query, { limit: 'limit', skip: 'skip', max: 100 });
      if ('invalid' in page) return reply.code(400).send(page.invalid);
      const found = findSeedOrganizations(catalogue.organizations(), query);
      const data = found.slice(page.skip, page.skip + page.limit).map(seedOrganization);
      return { ok: true, data, total: found.length };
    },
  };
}

/** Rows of the list that match the documented parameters (volunteering 12.4.1), in the order of the given rows. */
function listSeedMissions(rows: readonly MissionRow[], query: ParsedUrlQuery, account: Account): MissionRow[] {
  const conditions = [
    exact(query, ['departmentName', 'country', 'activity', 'domain']),
    anyOf(query, 'city', ({ record }) => [record['city']]),
    anyOf(query, 'publisher', publisherOf),
    anyOf(query, 'associationId', ({ record }) => [seedAssociationId(record['organizationId'])]),
    anyOf(query, 'associationRNA', ({ record }) => [record['organizationRNA']]),
    anyOf(query, 'clientId', ({ record }) => [record['clientId']]),
    anyOf(query, 'type', ({ record }) => [textOf(record, 'type')?.replaceAll('_', '-'), record['type']]),
    anyOf(query, 'remote', ({ record }) => [seedRemote(record)]),
  ];
  return published(rows, account).filter((row) => conditions.every((condition) => condition(row)));
}

/**
 * Rows of the search in the requested order, each with its distance if the search is sorted by it (volunteering
 * 12.4.2).
 */
function searchSeedMissions(
  rows: readonly MissionRow[],
  query: ParsedUrlQuery,
  account: Account,
): readonly { readonly row: MissionRow; readonly distance?: number }[] {
  const centre = centreOf(query);
  const km = distanceOfSeed(one(query, 'distance'));
  const createdAt = dateBoundOfSeed(one(query, 'createdAt'));
  const startAt = dateBoundOfSeed(one(query, 'startAt'));
  const conditions = [
    textCondition(one(query, 'text')),
    exact(query, ['departmentName', 'activity', 'domain']),
    exact(query, ['openToMinors', 'reducedMobilityAccessible'], 'no'),
    anyOf(query, 'publisher', publisherOf),
    anyOf(query, 'remote', ({ record }) => [seedRemote(record)]),
    (row: MissionRow) => isWithin(createdAt, row.createdAt) && isWithin(startAt, row.startAt),
  ];
  const found = published(rows, account)
    .filter((row) => conditions.every((condition) => condition(row)))
    .map((row) => ({ row, distance: distanceTo(centre, row) }))
    .filter(({ distance }) => centre === null || (distance !== undefined && distance <= km));
  if (one(query, 'sortBy') === 'localisation' && centre !== null)
    return found.sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0)).map(withDistance);
  if (one(query, 'sortBy') === 'createdAt') found.sort((a, b) => (b.row.createdAt ?? 0) - (a.row.createdAt ?? 0));
  return found.map(({ row }) => ({ row }));
}

/** Facets over all matching rows, one bucket for each stored text (volunteering 3.6). */
function facetsOfSeed(rows: readonly MissionRow[]): object {
  const facet = (field: string) => countFacet(rows.map(({ record }) => textOf(record, field) ?? ''));
  return { departmentName: facet('departmentName'), activities: facet('activity'), domains: facet('domain') };
}

type Condition = (row: MissionRow) => boolean;

function published(rows: readonly MissionRow[], account: Account): MissionRow[] {
  return rows.filter((row) => row.isPublished && account.sees(row.record['publisherId']));
}

/** Matches the whole text: only parameters that the seed documents so are split at commas. */
function exact(query: ParsedUrlQuery, fields: readonly string[], whenMissing?: string): Condition {
  const requested = fields.flatMap((field) => (query[field] ? [[field, [query[field]].flat()] as const] : []));
  return ({ record }) =>
    requested.every(([field, values]) => values.includes(textOf(record, field) ?? whenMissing ?? ''));
}

/** Matches rows that have one of several values separated by commas (volunteering 12.4.1, 12.4.2). */
function anyOf(query: ParsedUrlQuery, name: string, valuesOf: (row: MissionRow) => readonly unknown[]): Condition {
  if (!query[name]) return () => true;
  const requested = [query[name]].flat().flatMap((text) => text.split(','));
  return (row) => valuesOf(row).some((value) => typeof value === 'string' && requested.includes(value));
}

/**
 * Names, as documented for the search (volunteering 12.4.2); and ids, which callers see, as the list documents nothing.
 */
function publisherOf({ record }: MissionRow): readonly unknown[] {
  return [record['publisherName'], record['publisherId']];
}

/** Every word must occur in title, description, publisher name or city (volunteering 12.4.2). */
function textCondition(text: string | undefined): Condition {
  if (!text) return () => true;
  const words = normalise(text).split(' ');
  return (row) => words.every((word) => searchedText(row).includes(word));
}

/** Each row is normalised only once: descriptions are long. */
const searchedTexts = new WeakMap<MissionRow, string>();

function searchedText(row: MissionRow): string {
  const known = searchedTexts.get(row);
  if (known !== undefined) return known;
  const fields = ['title', 'description', 'publisherName', 'city'];
  const text = normalise(fields.map((field) => textOf(row.record, field) ?? '').join(' '));
  searchedTexts.set(row, text);
  return text;
}

function centreOf(query: ParsedUrlQuery): Point | null {
  const lat = Number.parseFloat(one(query, 'lat') ?? '');
  const lon = Number.parseFloat(one(query, 'lon') ?? '');
  return Number.isNaN(lat) || Number.isNaN(lon) ? null : { lat, lon };
}

function distanceTo(centre: Point | null, row: MissionRow): number | undefined {
  const point = row.addresses[0]?.point;
  return centre === null || point === null || point === undefined ? undefined : greatCircleKm(centre, point);
}

function withDistance({ row, distance }: { row: MissionRow; distance: number | undefined }) {
  return distance === undefined ? { row } : { row, distance };
}

function one(query: ParsedUrlQuery, name: string): string | undefined {
  return [query[name]].flat()[0];
}

/** Records that match the documented parameters (volunteering 12.4.4), in the order of the given records. */
function findSeedOrganizations(organizations: readonly Json[], query: ParsedUrlQuery): Json[] {
  const rna = one(query, 'rna');
  const siret = one(query, 'siret');
  const meetsQ = textSearch(one(query, 'q'));
  return organizations.filter(
    (record) => (!rna || record['rna'] === rna) && (!siret || record['siret'] === siret) && meetsQ(record),
  );
}

/** Matches whole words of title, RNA or SIRET; one is enough (volunteering 12.4.4; volunteering 4.4 for `$text`). */
function textSearch(q: string | undefined): (record: Json) => boolean {
  if (!q) return () => true;
  const words = new Set(normalise(q).split(' '));
  return (record) => {
    const searched = ['title', 'rna', 'siret'].map((field) => textOf(record, field) ?? '').join(' ');
    return normalise(searched)
      .split(' ')
      .some((word) => word !== '' && words.has(word));
  };
}

/** Which matching rows to send. */
export interface Page {
  readonly limit: number;
  readonly skip: number;
}

/**
 * Reads the page of a request of the seed's era. The seed leaves defaults and bounds open (volunteering 12.8): these
 * are those of the public service. An issue has the form of that era's validator: an object in `message` (volunteering
 * 5.2).
 */
function readSeedPage(
  query: ParsedUrlQuery,
  names: { readonly limit: string; readonly skip: string; readonly max: number },
): Page | { readonly invalid: object } {
  const issues: object[] = [];
  const read = (name: string, max: number, missing: number): number => {
    if (query[name] === undefined) return missing;
    const value = Array.isArray(query[name]) ? Number.NaN : Number(query[name]);
    const issue = issueOf(name, value, max);
    if (issue !== null) issues.push(issue);
    return Math.trunc(value);
  };
  const page = { limit: read(names.limit, names.max, 25), skip: read(names.skip, Number.POSITIVE_INFINITY, 0) };
  if (issues.length === 0) return page;
  return { invalid: { ok: false, code: 'INVALID_QUERY', message: { issues, name: 'ZodError' } } };
}

function issueOf(name: string, value: number, max: number): object | null {
  const path = [name];
  if (Number.isNaN(value)) {
    const message = 'Expected number, received nan';
    return { code: 'invalid_type', expected: 'number', received: 'nan', path, message };
  }
  const bound = { type: 'number', inclusive: true, exact: false };
  if (value > max)
    return { code: 'too_big', maximum: max, ...bound, message: `Number must be less than or equal to ${max}`, path };
  if (value < 0)
    return { code: 'too_small', minimum: 0, ...bound, message: 'Number must be greater than or equal to 0', path };
  return null;
}
