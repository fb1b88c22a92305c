import type { QuotaLeft } from '../../../kernel/trace.js';
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
  const [why] = response.errors ?? [];
  const { sources } = (response.data ?? {}) as unknown as Reported;
  if (!sources) throw new Error(why === undefined ? textsNow(REQUEST_TEXTS).noSources : describeError(why));
  return sources.map((source) => ({
    ...source,
    quotas: (source.quotas ?? []).toSorted((one, other) => shareLeft(one) - shareLeft(other)),
  }));
}

/** What the gateway reports; null where a part of it does not respond. */
interface Reported {
  readonly sources?: readonly (Omit<SourceReport, 'quotas'> & { readonly quotas: readonly Quota[] | null })[] | null;
}

function shareLeft({ limit, remaining }: Quota): number {
  return limit === 0 ? 0 : remaining / limit;
}
