import { describe, expect, it } from 'vitest';
import { workStudyKeys } from '../../../sandbox/work-study/http/callers.js';
import { tinyWorld } from '../../work-study/support/tiny-world.js';
import { fetchRaw } from '../raw.js';
import { startedWorkStudy } from './started.js';

const { service, get, send } = await startedWorkStudy({ world: tinyWorld() });
const withHeader = (authorization: string) =>
  fetchRaw(`${service.url}/geographie/v1/departement`, { headers: { authorization } });

describe('authentication (work-study 3, 5.1)', () => {
  it('takes the scheme in any case', async () => {
    expect((await withHeader(`bEARER ${workStudyKeys.bob}`)).status).toBe(200);
  });

  it('names the key’s holder in the list of calls', async () => {
    await withHeader(`Bearer ${workStudyKeys.operator}`);
    await withHeader('Bearer nobody');
    await get('/geographie/v1/departement', 'none');
    expect(service.calls.map(({ key }) => key)).toEqual(['operator', 'unknown', 'none']);
  });
});

describe('permissions (work-study 3)', () => {
  it.each([
    ['POST', '/job/v1/offer'],
    ['PUT', '/job/v1/offer/not-an-id'],
    ['POST', '/job/v1/apply'],
    ['POST', '/formation/v1/appointment/generate-link'],
  ])('refuses %s %s to a key without the right, before it looks at the body', async (method, path) => {
    const { status, json } = await send(method, path, {}, 'bob');
    expect(status).toBe(403);
    expect(json()).toEqual({
      statusCode: 403,
      name: 'Forbidden',
      message: "Vous n'êtes pas autorisé à accéder à cette ressource",
    });
  });
});

describe('addressing (work-study 2, 5.4)', () => {
  const unknownPath = {
    statusCode: 404,
    payload: { statusCode: 404, error: 'Not Found', message: 'Path does not exists' },
    headers: {},
  };

  it.each([
    ['GET', '/nothing'],
    ['GET', '/geographie/v1/departement/'],
    ['POST', '/geographie/v1/departement'],
    ['POST', '/v3/jobs/apply'],
  ])('answers %s %s with the third form of error, key or not', async (method, path) => {
    const { status, json } = await fetchRaw(`${service.url}${path}`, { method });
    expect([status, json()]).toEqual([404, unknownPath]);
  });

  it('lets anyone see health and the interface description', async () => {
    expect((await get('/healthcheck', 'none')).json()).toMatchObject({ version: '1.49.2', env: 'test' });
    const { paths, openapi } = (await get('/swagger.json', 'none')).json();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths)).toContain('/job/v1/offer/{id}/publishing-informations');
  });
});
