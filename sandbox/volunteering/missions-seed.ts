import type { ParsedUrlQuery } from 'node:querystring';
import type { Account } from './accounts.js';
import { dateBoundOfSeed, isWithin } from './dates.js';
import { countFacet } from './facets.js';
import { type MissionRow, textOf } from './mission-rows.js';
import { distanceOfSeed, greatCircleKm, type Point } from './places.js';
import { normalise } from './search-text.js';
import { seedAssociationId, seedRemote } from './seed-shapes.js';

/** Rows of the list that match the documented parameters (volunteering 12.4.1), in the order of the given rows. */
export function listSeedMissions(rows: readonly MissionRow[], query: ParsedUrlQuery, account: Account): MissionRow[] {
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
export function searchSeedMissions(
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
export function facetsOfSeed(rows: readonly MissionRow[]): object {
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
