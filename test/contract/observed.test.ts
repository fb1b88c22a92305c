import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import type { Fault } from '../../sandbox/server/types.js';
import { offer, storeId } from '../work-study/support/records.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';

/** What the running services answered (docs/upstreams, *observed*): the sandbox answers the same. */

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    world: tinyWorld({ offers: [offer({ id: storeId(2), offer: { status: 'Suspended' } })] }),
  });
});
afterAll(() => sandbox.close());

const NO_KEY = "Vous devez fournir une clé d'API valide pour accéder à cette ressource";
const PATH = '/geographie/v1/departement';

interface Observed {
  readonly fact: string;
  readonly path: string;
  /** The key that is sent; the operator's if left out, none if null. */
  readonly key?: string | null;
  readonly fault?: Fault;
  readonly status: number;
  readonly body: unknown;
}

const WORK_STUDY: readonly Observed[] = [
  {
    fact: 'a failing look-up of a good key has the words for a revoked one',
    path: PATH,
    fault: { kind: 'key-database' },
    status: 401,
    body: { statusCode: 401, name: 'Unauthorized', message: NO_KEY },
  },
  {
    fact: 'a revoked key',
    path: PATH,
    key: 'sandbox-work-study-revoked-key',
    status: 401,
    body: { statusCode: 401, name: 'Unauthorized', message: NO_KEY },
  },
  {
    fact: 'no key',
    path: PATH,
    key: null,
    status: 401,
    body: { statusCode: 401, name: 'Unauthorized', message: NO_KEY },
  },
  {
    fact: 'an expired key',
    path: PATH,
    key: 'sandbox-work-study-expired-key',
    status: 401,
    body: { statusCode: 401, name: 'Unauthorized', message: "La clé d'API a expirée" },
  },
  {
    fact: 'an undecodable key',
    path: PATH,
    key: 'nonsense',
    status: 401,
    body: { statusCode: 401, name: 'Unauthorized', message: "Impossible de déchiffrer la clé d'API" },
  },
  {
    fact: 'an offer whose stored words fit no enum',
    path: `/job/v1/offer/${storeId(2)}`,
    status: 500,
    body: { statusCode: 500, error: 'Internal Server Error', message: 'Une erreur est survenue' },
  },
  {
    fact: 'an unknown offer, a 404 of the backend',
    path: `/job/v1/offer/${storeId(99)}`,
    status: 404,
    body: { statusCode: 404, error: 'Not Found', message: `Aucune offre d'emploi trouvée pour l'ID: ${storeId(99)}` },
  },
  {
    fact: 'an unknown course, a 404 of the API',
    path: '/formation/v1/unknown',
    status: 404,
    body: {
      statusCode: 404,
      name: 'Not Found',
      message: "Aucune formation trouvée pour l'identifiant unknown",
    },
  },
  {
    fact: 'a frozen backend',
    path: '/job/v1/search',
    fault: { kind: 'status', status: 504 },
    status: 504,
    body: {
      statusCode: 504,
      name: 'Gateway Time-out',
      message: 'The server was unable to complete your request',
    },
  },
];

describe('What work-study was seen to answer, and its sandbox answers', () => {
  it.each(WORK_STUDY)('$fact', async ({ path, key = sandbox.keys.workStudy.operator, fault, status, body }) => {
    const end = fault === undefined ? () => {} : sandbox.workStudy.fault(fault);
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${sandbox.workStudy.url}${path}`, { headers });
    end();
    expect([response.status, await response.json()]).toEqual([status, body]);
  });

  it('a certification list that fails half way: status 200, then the end of the connection', async () => {
    const end = sandbox.workStudy.fault({ kind: 'cut' });
    const headers = { authorization: `Bearer ${sandbox.keys.workStudy.operator}` };
    const response = await fetch(`${sandbox.workStudy.url}/certification/v1?identifiant.rncp=RNCP37098`, { headers });
    end();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('What the volunteering service was seen to answer, and its sandbox answers', () => {
  const headers = () => ({ 'x-api-key': sandbox.keys.volunteering.operator });

  it('an unknown mission, its only 404 in JSON', async () => {
    const response = await fetch(`${sandbox.volunteering.url}/v0/mission/unknown`, { headers: headers() });
    expect([response.status, await response.json()]).toEqual([404, { ok: false, code: 'NOT_FOUND' }]);
  });

  it('an organization by id, which is no route', async () => {
    const response = await fetch(`${sandbox.volunteering.url}/v0/organization/x`, { headers: headers() });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('Cannot GET')]);
  });
});

describe('What the waste platform was seen to answer, and its sandbox answers', () => {
  it('a user whom it blocks: text with status 200', async () => {
    sandbox.waste.switches.blacklisted = true;
    const response = await fetch(sandbox.waste.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.keys.waste.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { id } }' }),
    });
    sandbox.waste.switches.blacklisted = false;
    expect([response.status, await response.text()]).toEqual([200, 'Too Many Requests']);
  });
});
