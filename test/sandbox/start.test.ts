import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { fetchRaw } from './raw.js';

let sandbox: Sandbox;
beforeAll(async () => {
  const startedAt = performance.now();
  sandbox = await startSandbox();
  console.log(`the sandbox started in ${Math.round(performance.now() - startedAt)} ms`);
});
afterAll(() => sandbox.close());

describe('the sandbox at its default scale', () => {
  it('is as large as it says it is', () => {
    const { missions, organizations, offers, recruiters, communes } = sandbox.world;
    expect(missions.length).toBeGreaterThanOrEqual(5000);
    expect(organizations.length).toBeGreaterThanOrEqual(2000);
    expect(offers.length + recruiters.length).toBeGreaterThanOrEqual(3000);
    expect(communes.length).toBe(34_969);
  });

  it('answers a call to each service with its keys', async () => {
    const { workStudy, volunteering, waste, keys } = sandbox;
    const commune = await fetchRaw(`${workStudy.url}/geographie/v1/commune/search?code=75056`, {
      headers: { authorization: `Bearer ${keys.workStudy.operator}` },
    });
    expect(commune.json()[0].nom).toBe('Paris');
    const missions = await fetchRaw(`${volunteering.url}/v0/mission?limit=1`, {
      headers: { apikey: keys.volunteering.operator, 'x-api-key': keys.volunteering.operator },
    });
    expect(missions.json().data).toHaveLength(1);
    const me = await fetchRaw(`${waste.url}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.waste.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { email } }' }),
    });
    expect(me.json().data.me.email).toContain('@');
    for (const service of sandbox.running) expect(service.unknownPaths).toEqual([]);
  });

  it('starts the services that are named, on one world', async () => {
    const small = await startSandbox({ services: ['work-study'], world: sandbox.world, era: 'seed' });
    expect([small.workStudy.era, small.running.length]).toEqual(['seed', 1]);
    expect(() => small.waste).toThrow('without waste-identity');
    await small.close();
  });

  it('frees its ports when it is closed', async () => {
    const short = await startSandbox({ services: ['volunteering'], world: sandbox.world });
    const { url } = short.volunteering;
    await short.close();
    await expect(fetchRaw(`${url}/v0/mission`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
