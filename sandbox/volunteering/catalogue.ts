import type { ParsedUrlQuery } from 'node:querystring';
import { perWorld } from '../world/per-world.js';
import type { Register } from '../world/register.js';
import { isRecord, type Json, type World } from '../world/types.js';
import type { Point } from './places.js';

/** The service's data in searchable form, prepared at the first request so that startup costs nothing. */
export interface Catalogue {
  /** What every description of a mission ends with, in replies: it gives them the size of the real ones. */
  readonly descriptionEnd: string;
  /** In today's order. */
  missions(): readonly MissionRow[];
  missionById(id: string | undefined): MissionRow | undefined;
  /** In today's order. */
  organizations(): readonly Json[];
  /** Further ones, all of them newer; undefined where there are none. */
  readonly register: Register | undefined;
  /** Address before `/r/…` in `applicationUrl`. */
  baseUrl(): string;
  /** By how many places rows of equal `startAt` are rotated in the next reply (volunteering 2.4). */
  turns(): number;
  /** Where a page begins that was requested with this `skip`. */
  startOf(skip: number): number;
  /** Missions that `total` reports beyond those that there are. */
  surplus(): number;
  /** The parameters of a list or search that this version of the service knows. */
  known(query: ParsedUrlQuery): ParsedUrlQuery;
  /** Whether remote missions get a flat address in Paris (volunteering 4.1). */
  remoteInParis(): boolean;
}

/** Creates the catalogue of a world. */
export function createCatalogue(
  world: World,
  service: Omit<Catalogue, 'descriptionEnd' | 'register' | 'missions' | 'missionById' | 'organizations'>,
): Catalogue {
  return {
    ...service,
    register: world.register,
    descriptionEnd: world.register === undefined ? '' : LONG_TEXT,
    missions: () => missionsOf(world),
    missionById: (id) => (id === undefined ? undefined : missionsById(world).get(id)),
    organizations: () => organizationsOf(world),
  };
}

/** Missions have 6.4 kB at the real service (volunteering 6.1), and 3.4 kB here without it. */
const LONG_TEXT = '\nVous serez accueilli et accompagné par une équipe qui vous attend.'.repeat(45);

const missionsOf = perWorld(({ missions }) => prepareMissions(missions));
const missionsById = perWorld((world) => new Map(missionsOf(world).map((row) => [row.id, row])));
const organizationsOf = perWorld(({ organizations }) => orderOrganizations(organizations));

/** A mission's record, with what filters and orders need, computed once. */
export interface MissionRow {
  readonly record: Json;
  readonly id: string;
  readonly addresses: readonly AddressRow[];
  readonly activities: readonly string[];
  /** The texts that today's `keywords` searches (volunteering 2.1). */
  readonly searched: readonly string[];
  /** Milliseconds since 1970. */
  readonly startAt: number | null;
  readonly createdAt: number | null;
  /** Accepted and not removed, so shown in lists and searches (volunteering 2.3). */
  readonly isPublished: boolean;
}

/** The parts of an address that filters use. */
export interface AddressRow {
  readonly city: unknown;
  readonly departmentName: unknown;
  readonly country: unknown;
  readonly point: Point | null;
}

/** The records in today's order: latest `updatedAt` first, without a tie-break (volunteering 4.4). */
function orderOrganizations(organizations: readonly Json[]): Json[] {
  const time = (record: Json): number => Date.parse(textOf(record, 'updatedAt') ?? '') || 0;
  return [...organizations].sort((a, b) => time(b) - time(a));
}

/** The rows in today's order: latest `startAt` first, rows without one before all others (volunteering 2.4). */
function prepareMissions(missions: readonly Json[]): MissionRow[] {
  return missions.map(prepare).sort((a, b) => (b.startAt ?? Infinity) - (a.startAt ?? Infinity) || 0);
}

/** A record's text field; null if it is missing or of another type. */
export function textOf(record: Json, field: string): string | null {
  const value = record[field];
  return typeof value === 'string' ? value : null;
}

/** The texts of a record's list field; empty if it is missing. */
export function listOf(record: Json, field: string): readonly string[] {
  const value = record[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The address objects of a mission. */
function addressesOf(record: Json): readonly Json[] {
  const value = record['addresses'];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function prepare(record: Json): MissionRow {
  const addresses = addressesOf(record);
  const searched = [
    record['title'],
    record['organizationName'],
    record['domain'],
    ...addresses.map((one) => one['city']),
  ];
  return {
    record,
    id: textOf(record, '_id') ?? '',
    addresses: addresses.map(({ city, departmentName, country, location }) => ({
      city,
      departmentName,
      country,
      point: pointOf(location),
    })),
    activities: splitActivities(record['activity']),
    searched: searched.filter((text) => typeof text === 'string'),
    startAt: timeOf(record['startAt']),
    createdAt: timeOf(record['createdAt']),
    isPublished: record['statusCode'] === 'ACCEPTED' && (record['deletedAt'] ?? null) === null,
  };
}

function pointOf(location: unknown): Point | null {
  if (!isRecord(location)) return null;
  const { lat, lon } = location;
  return typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : null;
}

function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Labels of activities that contain a comma themselves (volunteering 7.2). */
const LABELS_WITH_COMMA = [
  'Animation, Valorisation',
  'Médiation, Information',
  'Préservation, Patrimoine',
  'Prévention, Sensibilisation',
  'Secours, Aide',
  'Soutien, Accompagnement',
  'Transmission, Pédagogie',
  'Restauration, hôtellerie',
];

/**
 * The single activities behind a mission's `activity` text, which joins them with commas. The service stores them
 * separately; here, the labels that contain a comma are recognised first.
 */
function splitActivities(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const activities: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const label = LABELS_WITH_COMMA.find((one) => rest === one || rest.startsWith(`${one}, `));
    const end = label?.length ?? (rest.includes(', ') ? rest.indexOf(', ') : rest.length);
    activities.push(rest.slice(0, end));
    rest = rest.slice(end + 2);
  }
  return activities.filter((activity) => activity !== '');
}

/** Lower case without accents or punctuation, words separated by one space, like the service's `searchText` column. */
export function normalise(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** The number of records with one value, as the service writes it. */
export interface FacetEntry {
  readonly key: string;
  readonly doc_count: number;
}

/** Counts the values, most frequent first, ties in order of first appearance (volunteering 3.6). */
export function countFacet(values: Iterable<string>): FacetEntry[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([key, doc_count]) => ({ key, doc_count })).sort((a, b) => b.doc_count - a.doc_count);
}
