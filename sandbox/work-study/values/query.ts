import type { ParsedUrlQuery } from 'node:querystring';
import type { Around } from './distance.js';
import { custom, type Issue, invalidFormat, invalidType, invalidValue, tooBig, tooSmall } from './issues.js';

/** All values of a parameter. */
export function valuesOf(query: ParsedUrlQuery, name: string): string[] {
  return [query[name] ?? []].flat();
}

/** Reads query parameters one by one and collects issues. Unknown parameters are ignored. */
export interface QueryReader {
  readonly issues: Issue[];
  /** A coerced number: an empty value is 0; a repeated parameter is not a number (work-study 7.1). */
  number(name: string, rules: { min: number; max?: number; integer?: boolean }): number | undefined;
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined;
  pattern(name: string, pattern: RegExp): string | undefined;
  /** Comma-separated codes in one parameter. */
  list(name: string, item: RegExp, message: string): string[] | undefined;
}

/** Creates a reader of query parameters that collects issues. */
export function createQueryReader(query: ParsedUrlQuery): QueryReader {
  const issues: Issue[] = [];
  const single = (name: string): string | undefined => {
    const values = valuesOf(query, name);
    if (values.length > 1) issues.push(invalidType([name], 'string', values));
    return values.length === 1 ? values[0] : undefined;
  };
  return {
    issues,
    number(name, { min, max = Number.POSITIVE_INFINITY, integer = false }) {
      const values = valuesOf(query, name);
      if (values.length === 0) return undefined;
      const value = values.length === 1 ? Number(values[0]) : Number.NaN;
      if (Number.isNaN(value)) issues.push(invalidType([name], 'number', value));
      else if (integer && !Number.isInteger(value)) issues.push(invalidType([name], 'int', value));
      else if (value < min) issues.push(tooSmall([name], 'number', min));
      else if (value > max) issues.push(tooBig([name], 'number', max));
      return value;
    },
    oneOf<T extends string>(name: string, values: readonly T[]) {
      const value = single(name);
      const found = values.find((one) => one === value);
      if (value !== undefined && found === undefined) issues.push(invalidValue([name], values));
      return found;
    },
    pattern(name, pattern) {
      const value = single(name);
      if (value !== undefined && !pattern.test(value)) issues.push(invalidFormat([name], pattern));
      return value;
    },
    list(name, item, message) {
      const items = single(name)?.split(',');
      if (items !== undefined && !items.every((one) => item.test(one))) issues.push(custom([name], message));
      return items;
    },
  };
}

/** Default of every `radius` of the service, in kilometres. */
const DEFAULT_RADIUS_KM = 30;

/** `latitude`, `longitude` and `radius`: both coordinates or neither; undefined without a point. */
export function readAround(
  reader: QueryReader,
  missing: Readonly<Record<'latitude' | 'longitude', string>>,
): Around | undefined {
  const latitude = reader.number('latitude', { min: -90, max: 90 });
  const longitude = reader.number('longitude', { min: -180, max: 180 });
  const radiusKm = reader.number('radius', { min: 0, max: 200 }) ?? DEFAULT_RADIUS_KM;
  if (latitude !== undefined && longitude !== undefined) return { centre: { latitude, longitude }, radiusKm };
  // The validator compares fields only if each is well formed by itself.
  if (reader.issues.length > 0) return undefined;
  if (latitude !== undefined) reader.issues.push(custom(['longitude'], missing.longitude));
  if (longitude !== undefined) reader.issues.push(custom(['latitude'], missing.latitude));
  return undefined;
}

/** Messages of the API's own routes (work-study 7.8). */
export const MISSING_COORDINATE_FR = {
  latitude: 'La latitude est requise lorsque la longitude est fournie',
  longitude: 'La longitude est requise lorsque la latitude est fournie',
};

/** Messages of the backend (work-study 5.2). */
export const MISSING_COORDINATE_EN = {
  latitude: 'latitude is required when longitude is provided',
  longitude: 'longitude is required when latitude is provided',
};

/** `page_size` and `page_index` of the paged routes (work-study 7.8, 7.13). */
export function readPage(reader: QueryReader): Page {
  return {
    size: reader.number('page_size', { min: 1, max: 1000, integer: true }) ?? 100,
    index: reader.number('page_index', { min: 0, integer: true }) ?? 0,
  };
}

/** A requested page. */
export interface Page {
  readonly size: number;
  readonly index: number;
}

/** One page of a list in the service's envelope, without a total count; empty beyond the end (work-study 7.8). */
export function paginate(rows: readonly unknown[], { size, index }: Page) {
  return {
    data: rows.slice(index * size, (index + 1) * size),
    pagination: { page_count: Math.ceil(rows.length / size), page_size: size, page_index: index },
  };
}
