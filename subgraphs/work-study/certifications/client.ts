import type { OperationContext } from '../../../kernel/operation.js';
import { brokenOff } from '../../rest/failures.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../../rest/upstream.js';
import { parseList } from '../values/lists.js';
import { Certification, type CertificationView } from './shapes.js';

/** Which certifications to read: null means those without the code, undefined means any (work-study 7.11). */
export interface CertificationFilter {
  readonly cfd?: string | null | undefined;
  readonly rncp?: string | null | undefined;
}

/**
 * All certifications that match (work-study 7.11): data that all callers share, fetched with the operator's key. At least
 * one code must be given: without one, the source streams its whole collection.
 */
export function readCertifications(
  upstream: Upstream,
  filter: CertificationFilter,
  operation: OperationContext,
): PromiseLike<Certifications> {
  return upstream.read(requestCertifications(filter), operation).then((found) => found ?? NONE);
}

/** Certifications in the order of the source. */
interface Certifications {
  /** The last is an error where the source broke off its list. */
  readonly items: readonly (CertificationView | null)[];
  readonly complete: boolean;
}

const NONE: Certifications = { items: [], complete: true };

function requestCertifications(filter: CertificationFilter): UpstreamRequest<Certifications | null> {
  return {
    method: 'GET',
    template: '/certification/v1',
    path: '/certification/v1',
    query: filterQuery(filter),
    cache: 'reference',
    key: 'operator',
    unknown: 'null',
    streamed: true,
    parse: parseCertifications,
  };
}

function parseCertifications({ json, isCut = false, origin }: UpstreamResponse): Certifications | null {
  const items: unknown[] = parseList(Certification, json, origin);
  if (items.length === 0) return null;
  // An error in a list is the error of its item.
  if (isCut) items.push(brokenOff(origin.service));
  return { items: items as (CertificationView | null)[], complete: !isCut };
}

/** On the wire, the word `null` selects records without the code. */
function filterQuery({ cfd, rncp }: CertificationFilter): [string, string][] {
  const query: [string, string][] = [];
  if (cfd !== undefined) query.push(['identifiant.cfd', cfd ?? 'null']);
  if (rncp !== undefined) query.push(['identifiant.rncp', rncp ?? 'null']);
  return query;
}
