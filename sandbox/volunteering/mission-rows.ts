import { isRecord } from '../server/is-record.js';
import type { Json } from '../world/types.js';
import { splitActivities } from './activities.js';
import type { Point } from './places.js';

/** A mission's record, with what filters and orders need, computed once. */
export interface MissionRow {
  readonly record: Json;
  readonly id: string;
  readonly addresses: readonly AddressRow[];
  readonly activities: readonly string[];
  /** The texts that today's `keywords` searches, in lower case (volunteering 2.1). */
  readonly haystack: string;
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

/** The rows in today's order: latest `startAt` first, rows without one before all others (volunteering 2.4). */
export function prepareMissions(missions: readonly Json[]): MissionRow[] {
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
    // A newline separates the texts: no query value contains one by accident.
    haystack: searched
      .filter((text) => typeof text === 'string')
      .join('\n')
      .toLowerCase(),
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
