import { describe, expect, it } from 'vitest';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { storeId } from '../../work-study/support/records.js';
import { tinyWorld } from '../../work-study/support/tiny-world.js';
import { fetchRaw } from '../raw.js';
import { startedWorkStudy } from './started.js';

const { service, get, send } = await startedWorkStudy({ world: tinyWorld() });

async function spend(count: number, path: string): Promise<void> {
  for (let i = 0; i < count; i += 1) await get(path);
}

describe('the call limiter today (work-study 4.1)', () => {
  it.each([
    ['/job/v1/search', 60],
    [`/job/v1/offer/${storeId(1)}`, 120],
    [`/job/v1/offer/${storeId(1)}/publishing-informations`, 120],
    ['/job/v1/export', 2],
  ])('counts %s: %d a minute', async (path, limit) => {
    const { headers } = await get(path);
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']]).toEqual([
      String(limit),
      String(limit - 1),
      '60',
    ]);
    expect(headers['retry-after']).toBeUndefined();
  });

  it.each([
    ['POST', '/job/v1/offer', 30],
    ['PUT', `/job/v1/offer/${storeId(1)}`, 30],
    ['POST', '/job/v1/apply', 10],
    ['POST', '/formation/v1/appointment/generate-link', 10],
  ])('counts %s %s: %d a minute, refusals of the backend too', async (method, path, limit) => {
    const { headers, status } = await send(method, path, {});
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers['x-ratelimit-limit']).toBe(String(limit));
  });

  it('refuses the call after the last with the time left and both envelopes’ words', async () => {
    await spend(2, '/job/v1/export');
    service.advance(15_000);
    const { status, headers, json } = await get('/job/v1/export');
    const message =
      'Quota dépassé : 2 requêtes par 45 seconds. Voir https://api.apprentissage.beta.gouv.fr/api/documentation pour les limites par endpoint.';
    expect(status).toBe(429);
    expect(json()).toEqual({
      statusCode: 429,
      name: 'Too Many Requests',
      message,
      data: { rawError: { statusCode: 429, error: 'Too Many Requests', message } },
    });
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '45',
      'retry-after': '45',
    });
    service.advance(45_000);
    expect((await get('/job/v1/export')).status).toBe(200);
  });

  it('counts each key, route and method apart', async () => {
    await spend(2, '/job/v1/export');
    expect((await get('/job/v1/export', 'operator')).status).toBe(200);
    const headers = { authorization: `Bearer ${workStudyKeys.alice}` };
    const head = await fetchRaw(`${service.url}/job/v1/export`, { method: 'HEAD', headers });
    expect([head.status, head.headers['x-ratelimit-remaining']]).toEqual([200, '1']);
    await get(`/job/v1/offer/${storeId(1)}`);
    expect((await get(`/job/v1/offer/${storeId(1)}/publishing-informations`)).headers['x-ratelimit-remaining']).toBe(
      '119',
    );
  });

  it('leaves reference data unlimited and without its headers', async () => {
    for (const path of [
      '/geographie/v1/departement',
      '/certification/v1',
      '/organisme/v1/export',
      '/formation/v1/search',
    ]) {
      expect((await get(path)).headers['x-ratelimit-limit']).toBeUndefined();
    }
  });
});

describe('the call limiter of the seed (work-study 12.7, 12.8)', () => {
  it('puts its headers on every response', async () => {
    service.era = 'seed';
    const responses = [
      await get('/geographie/v1/departement'),
      await get('/geographie/v1/commune/search?code=x'),
      await get('/job/v1/search', 'none'),
      await get('/nothing'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 401, 404]);
    for (const { headers } of responses) {
      expect(headers['x-ratelimit-limit']).toMatch(/^\d+$/);
      expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
      expect(headers['x-ratelimit-reset']).toBe('60');
      expect(headers['retry-after']).toBeUndefined();
    }
  });
});

describe('the proxy’s limiter (work-study 4.2)', () => {
  it('can be switched on: a burst of 101 calls at once over all paths, then 40 a second', async () => {
    service.limitAtProxy(true);
    const burst = async (calls: number) => {
      const statuses = await Promise.all(Array.from({ length: calls }, async () => (await get('/healthcheck')).status));
      return statuses.filter((status) => status === 200).length;
    };
    expect(await burst(110)).toBe(101);
    service.advance(1000);
    expect(await burst(50)).toBe(40);
    const { headers, text } = await get('/geographie/v1/departement');
    expect([headers['x-ratelimit-limit'], headers['vary'], text[0]]).toEqual([undefined, undefined, '<']);
  });
});
