import { isRecord } from '../../kernel/text.js';
import type { Dialect, FailureReading } from '../rest/upstream.js';
import { ONE_CALL } from './values/lists.js';

/**
 * How the volunteering service takes keys and reports failures (volunteering 5). Plain-text 401s, HTML 404s of the
 * framework, 429s and 5xx follow the common rules.
 */
export const volunteeringDialect: Dialect = {
  readOnly: true,
  // The seed documents `x-api-key` and lists `apikey` for missions, so the same key goes into both.
  headers: (secret) => ({ 'x-api-key': secret, apikey: secret }),
  probes: {
    '/v0/mission': { method: 'GET', template: '/v0/mission', path: '/v0/mission', query: [['limit', '1']] },
    '/v0/organization': {
      method: 'GET',
      template: '/v0/organization',
      path: '/v0/organization',
      query: [['limit', '1']],
    },
  },
  // One counter for all routes of a key (volunteering 6).
  scopes: (_request, fingerprint) => [
    { kind: 'window', name: `${ONE_CALL.scope} ${fingerprint}`, limit: 600, windowMs: 60_000 },
  ],
  blindness: (json, { template, query }) => {
    const total = template.startsWith('/v0/mission') && isRecord(json) ? json['total'] : undefined;
    if (typeof total !== 'number' || (total === 0 && query?.some(([name]) => !PAGING.has(name)))) return undefined;
    return total === 0 ? NOTHING_SHOWN : null;
  },
  readFailure: ({ status, json }, { template }) => {
    if (!isRecord(json)) return undefined;
    // Only missions have an id; until 2024 an unknown one was a 403 (volunteering 5.1).
    if (template.endsWith('/{id}') && json['ok'] === false) {
      if (status === 404 && json['code'] === 'NOT_FOUND') return 'unknown';
      if (status === 403 && json['error'] === 'Id not valid') return 'unknown';
    }
    return status === 400 ? readRefusal(json) : undefined;
  },
};

/** Parameters that say which rows of a list are wanted, and not of which list. */
const PAGING = new Set(['skip', 'from', 'limit', 'size']);

/** Since July 2026 that is a 200 with a total of 0 (volunteering 2.3). */
const NOTHING_SHOWN =
  "it shows the operator's key no mission at all: ask the service for rules for this key, which take up to six hours, or accept missions if it is a moderator's";

function readRefusal(json: Record<string, unknown>): FailureReading | undefined {
  if (json['code'] === 'NO_PARTNER') {
    return {
      code: 'PERMISSION_DENIED',
      message: 'The volunteering service shows this key no missions yet: no partner shares missions with it.',
    };
  }
  if (json['code'] !== 'INVALID_QUERY') return undefined;
  const problems = issuesOf(json['message']).flatMap(describe);
  if (problems.length === 0) return undefined;
  return { code: 'UPSTREAM_REFUSED_INPUT', message: `The volunteering service refused ${problems.join('; ')}.` };
}

/** The message was an object with issues, then one with the issues as JSON text; it is documented as text (5.2). */
function issuesOf(message: unknown): readonly unknown[] {
  if (!isRecord(message)) return [];
  if (Array.isArray(message['issues'])) return message['issues'];
  try {
    const issues: unknown = JSON.parse(String(message['message']));
    return Array.isArray(issues) ? issues : [];
  } catch {
    return [];
  }
}

/** `limit: Too big: expected number to be <=10000` */
function describe(issue: unknown): string[] {
  if (!isRecord(issue) || typeof issue['message'] !== 'string' || !Array.isArray(issue['path'])) return [];
  return [`${issue['path'].join('.')}: ${issue['message'].slice(0, 100)}`];
}
