import type { QuotaLeft } from '../../../kernel/trace.js';
import { isList, isObject, type Json, type JsonObject } from '../../../rows/path.js';
import { textsNow } from '../state/language.js';
import { describeError } from './error-codes.js';
import { sendQuery } from './send-query.js';
import { REQUEST_TEXTS } from './texts.js';

/** A quota of a source, as the source reports it. */
export interface Quota extends QuotaLeft {
  /** The calls that are counted together, such as `GET /job/v1/search`. */
  readonly scope: string;
}

/** A source as reported by the graph's `sources`; null for unknown values. */
export interface SourceReport {
  readonly name: string;
  readonly state: string | null;
  readonly upstream: string | null;
  readonly detail: string | null;
  readonly referenceAgeSeconds: number | null;
  /** The smallest share first. */
  readonly quotas: readonly Quota[];
  /** Date of the export in use; undefined for a source without export. */
  readonly exportLoadedAt: string | null | undefined;
}

const SOURCES_QUERY = `query Sources { sources {
  name state upstream detail referenceAgeSeconds
  quotas { scope limit remaining resetSeconds }
  ... on WorkStudySource { exportLoadedAt }
} }`;

/**
 * The state of each source, and what is left of the quotas of the user's own keys, or of the operator's. Makes no
 * upstream call. Rejects if the gateway does not report them.
 */
export async function readSources(signal: AbortSignal): Promise<SourceReport[]> {
  const { response } = await sendQuery({ query: SOURCES_QUERY, operationName: 'Sources' }, { signal });
  const sources = response.data?.['sources'];
  const [why] = response.errors ?? [];
  if (!isList(sources)) throw new Error(why === undefined ? textsNow(REQUEST_TEXTS).noSources : describeError(why));
  return sources.map(readReport);
}

function readReport(source: Json): SourceReport {
  const fields = isObject(source) ? source : {};
  return {
    name: text(fields['name']) ?? '',
    state: text(fields['state']),
    upstream: text(fields['upstream']),
    detail: text(fields['detail']),
    referenceAgeSeconds: number(fields['referenceAgeSeconds']),
    quotas: objects(fields['quotas'])
      .map(readQuota)
      .sort((one, other) => shareLeft(one) - shareLeft(other)),
    exportLoadedAt: fields['exportLoadedAt'] === undefined ? undefined : text(fields['exportLoadedAt']),
  };
}

function readQuota({ scope, limit, remaining, resetSeconds }: JsonObject): Quota {
  return {
    scope: text(scope) ?? '',
    limit: number(limit) ?? 0,
    remaining: number(remaining) ?? 0,
    resetSeconds: number(resetSeconds) ?? 0,
  };
}

function shareLeft({ limit, remaining }: Quota): number {
  return limit === 0 ? 0 : remaining / limit;
}

function objects(value: Json | undefined) {
  return isList(value) ? value.filter((item) => isObject(item)) : [];
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
