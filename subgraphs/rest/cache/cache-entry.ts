import { isRecord } from '../../../schema/is-record.js';
import { type CacheEntry, type CallResponse, DerivedBytes } from '../call/call.js';
import { NO_DIRECTIVES } from '../headers/cache-control.js';

/** Version of the written form. Changing it makes entries of older programs unreadable, which invalidates them. */
const FORM = 1;

/** An entry as JSON. A response that its service forbids storing never gets here. */
export function writeCacheEntry(entry: CacheEntry): string {
  const { status, json, unknown, etag, cacheControl, bytes } = entry.response;
  const times = TIMES.map((name) => entry[name]);
  return JSON.stringify({
    form: FORM,
    times,
    status,
    unknown,
    etag,
    mustRevalidate: cacheControl.mustRevalidate,
    bytes,
    json,
  });
}

const TIMES = ['storedAtMs', 'freshUntilMs', 'revalidateUntilMs', 'staleUntilMs'] as const;

/** The entry that `writeCacheEntry` wrote; undefined for any other text. */
export function readCacheEntry(text: string): CacheEntry | undefined {
  const read = parseJson(text);
  if (!isRecord(read) || read['form'] !== FORM || !Array.isArray(read['times'])) return undefined;
  const { status, json, unknown, etag, mustRevalidate, bytes } = read;
  const [storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs]: unknown[] = read['times'];
  if (!isNumber(storedAtMs) || !isNumber(freshUntilMs) || !isNumber(revalidateUntilMs) || !isNumber(staleUntilMs)) {
    return undefined;
  }
  if (!isNumber(status) || !isNumber(bytes) || typeof unknown !== 'boolean' || typeof mustRevalidate !== 'boolean') {
    return undefined;
  }
  if (typeof etag !== 'string' && etag !== null) return undefined;
  const response: CallResponse = {
    status,
    json,
    unknown,
    etag,
    cacheControl: { ...NO_DIRECTIVES, mustRevalidate },
    bytes,
    account: new DerivedBytes(),
    reading: null,
  };
  return { response, storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
