import { isRecord } from '../../kernel/text.js';
import type { Dialect, FailedResponse, FailureReading, Probe, UpstreamRequest } from '../rest/upstream.js';
import { pageQuery, queryOf, route, workStudyScopes } from './values/calls.js';

/** For each group of routes, the smallest request that needs its backend to be up. */
const workStudyProbes: Readonly<Record<string, Probe>> = {
  '/job/v1': {
    ...route('GET', '/job/v1/search'),
    query: queryOf({ romes: 'M1805', latitude: 48.85, longitude: 2.35, radius: 1 }),
  },
  '/formation/v1': { ...route('GET', '/formation/v1/search'), query: pageQuery(0, 1) },
  '/organisme/v1': { ...route('GET', '/organisme/v1/export'), query: pageQuery(0, 1) },
  '/certification/v1': { ...route('GET', '/certification/v1'), query: [['identifiant.rncp', 'RNCP35185']] },
  '/geographie/v1': { ...route('GET', '/geographie/v1/departement'), query: [] },
};

/** How the work-study service takes keys and reports failures (work-study 3 to 5). */
export const workStudyDialect: Dialect = {
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  scopes: workStudyScopes,
  probes: workStudyProbes,
  // Undecodable, expired and malformed keys have words of their own (work-study 5.1).
  isAmbiguousRefusal: ({ status, json }) =>
    status === 401 && isRecord(json) && String(json['message']).startsWith("Vous devez fournir une clé d'API valide"),
  // The backend's own 500: a stored word of the offer fits none of its own (work-study 7.2).
  mayBeOfRecord: ({ status, json }, { template }) =>
    status === 500 && template === '/job/v1/offer/{id}' && hasText(json, 'error'),
  readFailure(failure, request) {
    if (!isRecord(failure.json)) return undefined;
    if (isBusinessQuota(failure, request)) return { code: 'BUSINESS_QUOTA' };
    if (isUnknown(failure, request)) return 'unknown';
    return refusedIdentifier(failure, request);
  },
};

/** The backend's limit on a write: the forwarded envelope has `error`, and waiting does not help (work-study 4.3). */
function isBusinessQuota({ status, headers, json }: FailedResponse, { method }: UpstreamRequest<unknown>): boolean {
  return status === 429 && method !== 'GET' && headers['retry-after'] === undefined && hasText(json, 'error');
}

/** Frameworks and API gateways describe the path that they do not have. */
const NAMES_A_ROUTE = /\broute\b|^Cannot [A-Z]+ /i;

/**
 * The API's or the backend's own 404, on a route that has one (work-study 5.1, 5.2): each names the status, as `name` or as
 * `error`. That of an unknown path and those of proxies say nothing about an identifier (work-study 5.4).
 */
function isUnknown({ status, json }: FailedResponse, { template, method }: UpstreamRequest<unknown>): boolean {
  if (status !== 404 || !isRecord(json) || json['statusCode'] !== 404) return false;
  if (method === 'GET' && !template.includes('{')) return false;
  const { name, error, message } = json;
  const isOwn = name === 'Not Found' ? error === undefined : name === undefined && error === 'Not Found';
  return isOwn && typeof message === 'string' && !NAMES_A_ROUTE.test(message);
}

/** Malformed identifiers, to which the backend answers 500 although they are the caller's mistake (work-study 5.2). */
function refusedIdentifier(
  { status, json }: FailedResponse,
  request: UpstreamRequest<unknown>,
): FailureReading | undefined {
  if (status !== 500) return undefined;
  const message = isRecord(json) ? json['message'] : undefined;
  const refused: FailureReading = {
    code: 'UPSTREAM_REFUSED_INPUT',
    message: 'work-study cannot read the identifier that was sent.',
  };
  if (request.method === 'POST' && /^Invalid (collection name|job identifier)/.test(String(message))) return refused;
  const id = request.method === 'PUT' ? request.path.split('/').at(-1) : undefined;
  return id !== undefined && !/^[0-9a-f]{24}$/i.test(id) ? refused : undefined;
}

function hasText(json: unknown, key: string): boolean {
  return isRecord(json) && typeof json[key] === 'string';
}
