import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { mission, organization, PUBLISHERS } from '../sandbox/volunteering/small-world.js';
import { offer, recruiter, storeId, workplace } from '../work-study/support/records.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';
import { checkObserved, type Observed } from './support/observed.js';

/** What the running services answered (docs/upstreams, *observed*): the sandbox answers the same. */

const OFFERS = [
  offer({ id: storeId(1) }),
  offer({ id: storeId(2), offer: { status: 'Suspended' } }),
  offer({ id: storeId(3), label: 'Hellowork' }),
];
const RECRUITERS = [
  recruiter(storeId(20), workplace({ name: 'Le Fournil', brand: 'Le Fournil', legal_name: null })),
  recruiter(storeId(21), workplace({ name: 'Le Fournil', brand: 'Le Fournil', legal_name: 'SARL DU FOURNIL' })),
];
const SIRETS = ['58354805200385', '58354805200161'];
const MISSIONS = [
  mission('plain', { title: 'Tri de 100% coton', startAt: '2026-09-01T00:00:00.000Z', publisherId: PUBLISHERS[0].id }),
  mission('undated', { title: 'Accueil', startAt: null, publisherId: PUBLISHERS[0].id }),
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    world: tinyWorld({
      offers: OFFERS,
      recruiters: RECRUITERS,
      missions: MISSIONS,
      publishers: PUBLISHERS,
      organizations: [organization('one', { siret: SIRETS[0], sirets: SIRETS, title: "L'AMICALE" })],
    }),
    onUnknownPath: () => {},
  });
});
afterEach(() => sandbox.volunteering.reset());
afterAll(() => sandbox.close());

const NO_KEY = "Vous devez fournir une clé d'API valide pour accéder à cette ressource";
const unauthorized = (message: string) => ({ statusCode: 401, name: 'Unauthorized', message });
const MASKED = 'The server was unable to complete your request';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const DEPARTEMENTS = '/geographie/v1/departement';
const likelyRecruiter = (name: string | null) =>
  expect.objectContaining({ workplace: expect.objectContaining({ name, brand: 'Le Fournil' }) });

const WORK_STUDY: readonly Observed[] = [
  {
    fact: 'a failing look-up of a good key has the words for a revoked one',
    path: DEPARTEMENTS,
    fault: { kind: 'key-database' },
    status: 401,
    body: unauthorized(NO_KEY),
  },
  {
    fact: 'a revoked key',
    path: DEPARTEMENTS,
    headers: bearer('sandbox-work-study-revoked-key'),
    status: 401,
    body: unauthorized(NO_KEY),
  },
  { fact: 'no key', path: DEPARTEMENTS, headers: {}, status: 401, body: unauthorized(NO_KEY) },
  {
    fact: 'an expired key',
    path: DEPARTEMENTS,
    headers: bearer('sandbox-work-study-expired-key'),
    status: 401,
    body: unauthorized("La clé d'API a expirée"),
  },
  {
    fact: 'an undecodable key',
    path: DEPARTEMENTS,
    headers: bearer('nonsense'),
    status: 401,
    body: unauthorized("Impossible de déchiffrer la clé d'API"),
  },
  {
    fact: 'an offer whose stored words fit no enum: a 500 by id',
    path: `/job/v1/offer/${storeId(2)}`,
    status: 500,
    body: { statusCode: 500, error: 'Internal Server Error', message: 'Une erreur est survenue' },
    counted: true,
  },
  {
    fact: 'an unknown offer, a 404 of the backend',
    path: `/job/v1/offer/${storeId(99)}`,
    status: 404,
    body: { statusCode: 404, error: 'Not Found', message: `Aucune offre d'emploi trouvée pour l'ID: ${storeId(99)}` },
    counted: true,
  },
  {
    fact: 'an unknown course, a 404 of the API',
    path: '/formation/v1/unknown',
    status: 404,
    body: { statusCode: 404, name: 'Not Found', message: "Aucune formation trouvée pour l'identifiant unknown" },
    counted: false,
  },
  {
    fact: 'a backend that refuses connections: a 500 of the API behind its limiter',
    path: '/job/v1/search',
    fault: { kind: 'status', status: 500 },
    status: 500,
    body: { statusCode: 500, name: 'Internal Server Error', message: MASKED },
    counted: true,
  },
  {
    fact: 'a frozen backend: the same with 504',
    path: '/job/v1/search',
    fault: { kind: 'status', status: 504 },
    status: 504,
    body: { statusCode: 504, name: 'Gateway Time-out', message: MASKED },
    counted: true,
  },
  {
    fact: 'an invalid query of a forwarded route: the envelope of the backend',
    path: '/job/v1/search?longitude=2',
    status: 400,
    body: expect.objectContaining({
      statusCode: 400,
      error: 'Bad Request',
      message: 'querystring.latitude: latitude is required when longitude is provided',
    }),
  },
  {
    fact: 'an invalid query of another route: the envelope of the API',
    path: '/certification/v1?identifiant.rncp=12',
    status: 400,
    body: expect.objectContaining({ statusCode: 400, name: 'Bad Request', message: 'Request validation failed' }),
  },
  {
    fact: 'an unknown path: the third envelope',
    path: '/certification/v2',
    status: 404,
    body: {
      statusCode: 404,
      payload: expect.objectContaining({ message: 'Path does not exists' }),
      headers: {},
    },
  },
  { fact: 'a SIRET of zeros at the matcher', path: '/organisme/v1/recherche?siret=00000000000000', status: 400 },
  {
    fact: 'a likely recruiter by id: the word as title and description, no contract type, a creation date',
    path: `/job/v1/offer/${storeId(20)}`,
    status: 200,
    body: expect.objectContaining({
      contract: expect.objectContaining({ type: [] }),
      offer: expect.objectContaining({
        title: 'recruteurs_lba',
        description: 'recruteurs_lba',
        publication: expect.objectContaining({ creation: expect.any(String) }),
      }),
    }),
  },
  {
    fact: 'likely recruiters of a search have their legal name as name, or none, whatever their brand',
    path: '/job/v1/search',
    status: 200,
    body: expect.objectContaining({ recruiters: [likelyRecruiter(null), likelyRecruiter('SARL DU FOURNIL')] }),
    counted: true,
  },
];

describe('What work-study was seen to answer, and its sandbox answers', () => {
  it.each(WORK_STUDY)('$fact', (one) => checkObserved(sandbox.workStudy, one, bearer(sandbox.keys.workStudy.operator)));

  it('a certification list that fails half way: status 200, then the end of the connection', async () => {
    const end = sandbox.workStudy.fault({ kind: 'cut' });
    const headers = bearer(sandbox.keys.workStudy.operator);
    const response = await fetch(`${sandbox.workStudy.url}/certification/v1?identifiant.rncp=RNCP37098`, { headers });
    end();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('its export: partners’ offers, likely recruiters, then its own, indented by two', async () => {
    const headers = bearer(sandbox.keys.workStudy.operator);
    const link = await fetch(`${sandbox.workStudy.url}/job/v1/export`, { headers });
    const text = await (await fetch(((await link.json()) as { url: string }).url)).text();
    const rows = JSON.parse(text) as { identifier: { partner_label: string } }[];
    const labels = rows.map(({ identifier }) => identifier.partner_label);
    expect([...new Set(labels)]).toEqual(['Hellowork', 'recruteurs_lba', 'offres_emploi_lba']);
    expect(text).toBe(JSON.stringify(rows, null, 2));
  });
});

const ids = (...wanted: string[]) => wanted.map((id) => expect.objectContaining({ id }));
const list = (...wanted: string[]) => expect.objectContaining({ ok: true, total: wanted.length, data: ids(...wanted) });
const SERVER_ERROR = { ok: false, code: 'SERVER_ERROR' };

const VOLUNTEERING: readonly Observed[] = [
  { fact: 'no key: twelve bytes', path: '/v0/mission', headers: {}, status: 401, body: 'Unauthorized', counted: false },
  {
    fact: 'missions without a start come first; each has an empty statusCommentHistoric',
    path: '/v0/mission',
    status: 200,
    body: list('undated', 'plain'),
    counted: true,
  },
  {
    fact: 'limit=0: nothing, with the true total',
    path: '/v0/mission?limit=0',
    status: 200,
    body: expect.objectContaining({ total: 2, data: [] }),
  },
  { fact: 'a limit with a fraction', path: '/v0/mission?limit=1.5', status: 200, body: expect.anything() },
  { fact: 'a skip with a fraction', path: '/v0/mission?skip=1.5', status: 200, body: expect.anything() },
  { fact: 'a from with a fraction', path: '/v0/mission?from=1.5', status: 200, body: expect.anything() },
  { fact: 'from=-1', path: '/v0/mission?from=-1', status: 500, body: SERVER_ERROR, counted: true },
  { fact: 'a skip of 2^63', path: '/v0/mission?skip=9223372036854775808', status: 500, body: SERVER_ERROR },
  { fact: 'an unknown word for remote', path: '/v0/mission?remote=sometimes', status: 500, body: SERVER_ERROR },
  { fact: '% matches everything', path: '/v0/mission?keywords=%25', status: 200, body: list('undated', 'plain') },
  { fact: '_ matches any character', path: '/v0/mission?keywords=100_', status: 200, body: list('plain') },
  { fact: '\\% is a percent sign', path: '/v0/mission?keywords=100%5C%25', status: 200, body: list('plain') },
  { fact: 'a NUL in keywords', path: '/v0/mission?keywords=%00', status: 500, body: SERVER_ERROR },
  { fact: 'a NUL in an id', path: '/v0/mission/%00', status: 500, body: SERVER_ERROR },
  { fact: 'the year 0', path: '/v0/mission?createdAt=gt:0000-01-01', status: 500, body: SERVER_ERROR },
  { fact: 'the list ignores text', path: '/v0/mission?text=coton', status: 200, body: list('undated', 'plain') },
  {
    fact: 'the search reads it',
    path: '/v0/mission/search?text=coton',
    status: 200,
    body: expect.objectContaining({ total: 1, hits: ids('plain') }),
  },
  {
    fact: 'a latitude of 0 switches the filter off, and distances are there',
    path: '/v0/mission/search?lat=0&lon=2&distance=1km',
    status: 200,
    body: expect.objectContaining({
      total: 2,
      hits: [expect.objectContaining({ _distance: expect.any(Number) }), expect.anything()],
    }),
  },
  {
    fact: 'an unknown mission, its only 404 in JSON',
    path: '/v0/mission/unknown',
    status: 404,
    body: { ok: false, code: 'NOT_FOUND' },
    counted: true,
  },
  {
    fact: 'an organization by id, which is no route: a page, but counted',
    path: '/v0/organization/x',
    status: 404,
    body: expect.stringContaining('Cannot GET /v0/organization/x'),
    counted: true,
  },
  { fact: 'a path outside its routers', path: '/v1', status: 404, body: expect.anything(), counted: false },
  {
    fact: 'organizations: a limit with a fraction',
    path: '/v0/organization?limit=1.5',
    status: 500,
    body: SERVER_ERROR,
  },
  { fact: 'q of punctuation finds nothing', path: "/v0/organization?q='", status: 200, body: { ok: true, data: [] } },
  { fact: 'a NUL in q', path: '/v0/organization?q=%00', status: 500, body: SERVER_ERROR },
  {
    fact: 'q finds a secondary SIRET',
    path: `/v0/organization?q=${SIRETS[1]}`,
    status: 200,
    body: { ok: true, data: [expect.objectContaining({ title: "L'AMICALE" })] },
  },
  {
    fact: 'too many requests',
    path: '/v0/mission',
    fault: { kind: 'rate-limit' },
    status: 429,
    body: { ok: false, code: 'TOO_MANY_REQUESTS', message: 'Too many requests, please try again later.' },
    counted: true,
  },
];

describe('What the volunteering service was seen to answer, and its sandbox answers', () => {
  const key = () => ({ 'x-api-key': sandbox.keys.volunteering.operator });

  it.each(VOLUNTEERING)('$fact', (one) => checkObserved(sandbox.volunteering, one, key()));

  it('one account’s remote missions have Paris in the flat fields, and the truth in addresses', async () => {
    sandbox.volunteering.remoteInParis = true;
    const there = { id: 'a', city: 'Saint-Sulpice', postalCode: '46160', departmentCode: '46' };
    Object.assign(MISSIONS[0] ?? {}, { remote: 'full', addresses: [there], city: 'Saint-Sulpice' });
    const response = await fetch(`${sandbox.volunteering.url}/v0/mission/plain`, { headers: key() });
    const { data } = (await response.json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ city: 'Paris', postalCode: '75000', addresses: [there] });
    expect(data['title']).toMatch(/^\[À distance\] /);
  });
});

describe('What the waste platform was seen to answer, and its sandbox answers', () => {
  const ask = () =>
    fetch(sandbox.waste.url, {
      method: 'POST',
      headers: { ...bearer(sandbox.keys.waste.token), 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { id } }' }),
    });

  it('a user whom it blocks: text with status 200', async () => {
    sandbox.waste.switches.blacklisted = true;
    const response = await ask();
    sandbox.waste.switches.blacklisted = false;
    expect([response.status, await response.text()]).toEqual([200, 'Too Many Requests']);
  });

  it('the window of its host on each response, in epoch seconds', async () => {
    const { headers } = await ask();
    expect(headers.get('x-ratelimit-limit')).toBe('1000');
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(1e9);
  });

  it('at login, the window of the login instead', async () => {
    const body = new URLSearchParams({ email: 'nobody@example.org', password: 'wrong' });
    const response = await fetch(`${sandbox.waste.url}/login`, { method: 'POST', body, redirect: 'manual' });
    expect(response.headers.get('x-ratelimit-limit')).toBe('10');
    expect(response.headers.get('x-ratelimit-remaining')).toBe('9');
  });

  it.each([
    ['no credentials of the client', 401, 'Unauthorized', { grant_type: 'authorization_code', code: 'x' }],
  ] as const)('%s', async (_what, status, text, form) => {
    const body = new URLSearchParams({ ...form });
    const response = await fetch(`${sandbox.waste.url}/oauth2/token`, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});
