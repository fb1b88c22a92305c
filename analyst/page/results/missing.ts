import { textsNow } from '../language/texts.js';
import type { ResponseError } from '../responses/query-result.js';
import { ERROR_TEXTS } from './error-texts.js';

/** The errors with one path pattern and one cause. */
export interface Missing {
  /** The service that failed; undefined for an error of the query or the gateway. */
  readonly service: string | undefined;
  readonly code: string;
  /** A pattern such as `missions.nodes[].commune`; empty for the whole response. */
  readonly place: string;
  /** Number of rows of the innermost list that lack it. */
  readonly rows: number;
  /** The gateway's own message, in English. */
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
}

/** What is missing in a response and why, the most rows first. */
export function missingParts(errors: readonly ResponseError[]): Missing[] {
  const parts = new Map<string, Missing & { rowKeys: Set<string> }>();
  for (const { message, path = [], extensions = {} } of errors) {
    const { service, code = 'ERROR', retryAfterSeconds } = extensions;
    const place = patternOf(path);
    const key = `${service}\n${code}\n${place}`;
    const part = parts.get(key) ?? { service, code, place, rows: 0, message, retryAfterSeconds, rowKeys: new Set() };
    parts.set(key, part);
    part.rowKeys.add(path.slice(0, path.findLastIndex(isIndex) + 1).join('.'));
  }
  return [...parts.values()]
    .map(({ rowKeys, ...part }) => ({ ...part, rows: rowKeys.size }))
    .sort((one, other) => other.rows - one.rows);
}

/** Describes one missing part; the gateway's message is shown next to it. */
export function describeMissing({ retryAfterSeconds, ...part }: Missing): string {
  return textsNow(ERROR_TEXTS).missing({ ...part, seconds: retryAfterSeconds });
}

function patternOf(path: readonly (string | number)[]): string {
  let pattern = '';
  for (const step of path) pattern += isIndex(step) ? '[]' : `${pattern === '' ? '' : '.'}${step}`;
  return pattern;
}

function isIndex(step: string | number): step is number {
  return typeof step === 'number';
}
