import type { Answer } from './call.js';
import { isObject } from './shape.js';

/** An answer in the cache. Times are milliseconds since 1970, because files and other processes outlive a start. */
export interface Kept {
  readonly answer: Answer;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
  /** Until then it may stand in when the service is down, and be renewed by its tag. */
  readonly staleUntilMs: number;
}

/** Of the form that is written. Another number makes all entries of older programs unreadable, and so forgotten. */
const FORM = 1;

export function writeKept({ answer, storedAtMs, freshUntilMs, staleUntilMs }: Kept): string {
  const { status, json, unknown, etag, bytes } = answer;
  return JSON.stringify({ form: FORM, storedAtMs, freshUntilMs, staleUntilMs, status, unknown, etag, bytes, json });
}

/** What `writeKept` wrote; undefined for anything else, such as a damaged file. */
export function readKept(text: string): Kept | undefined {
  const read = parseJson(text);
  if (!isObject(read) || read['form'] !== FORM) return undefined;
  const { storedAtMs, freshUntilMs, staleUntilMs, status, unknown, etag, bytes, json } = read;
  if (!areNumbers([storedAtMs, freshUntilMs, staleUntilMs, status, bytes]) || typeof unknown !== 'boolean')
    return undefined;
  if (typeof etag !== 'string' && etag !== null) return undefined;
  const answer = { status: Number(status), json, unknown, etag, mayKeep: true, bytes: Number(bytes) };
  return {
    answer,
    storedAtMs: Number(storedAtMs),
    freshUntilMs: Number(freshUntilMs),
    staleUntilMs: Number(staleUntilMs),
  };
}

function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'number' && Number.isFinite(value));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
