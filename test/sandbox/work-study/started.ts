import { afterAll, afterEach } from 'vitest';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { startWorkStudy, type WorkStudyOptions, type WorkStudyService } from '../../../sandbox/work-study/index.js';
import { fetchRaw, type RawResponse } from '../raw.js';

/** The time of the service's clock in these tests: a Tuesday in September, 10:04 in Paris. */
export const NOW = Date.parse('2026-09-01T08:04:00Z');

export interface Started {
  readonly service: WorkStudyService;
  /** A GET with Alice's key, or another's, or without (`none`). */
  get(path: string, key?: keyof typeof workStudyKeys | 'none'): Promise<RawResponse>;
  /** A request with a JSON body and Alice's key. */
  send(method: string, path: string, body: unknown, key?: keyof typeof workStudyKeys): Promise<RawResponse>;
}

/** A service on a clock that stands still, stopped after the file; each test resets it to NOW and today's era. */
export async function startedWorkStudy(options: WorkStudyOptions): Promise<Started> {
  let base = NOW;
  const service = await startWorkStudy({ now: () => base, onUnknownPath: () => undefined, ...options });
  afterEach(() => {
    service.reset();
    base -= service.now() - NOW;
    service.era = 'today';
  });
  afterAll(() => service.close());
  const bearer = (key: keyof typeof workStudyKeys | 'none'): Record<string, string> =>
    key === 'none' ? {} : { authorization: `Bearer ${workStudyKeys[key]}` };
  return {
    service,
    get: (path, key = 'alice') => fetchRaw(`${service.url}${path}`, { headers: bearer(key) }),
    send: (method, path, body, key = 'alice') =>
      fetchRaw(`${service.url}${path}`, {
        method,
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
