import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';

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

  it('starts the services that are named, on one world', async () => {
    const small = await startSandbox({ services: ['work-study'], world: sandbox.world, era: 'seed' });
    expect([small.workStudy.era, small.running.length]).toEqual(['seed', 1]);
    expect(() => small.waste).toThrow('without waste-identity');
    await small.close();
  });
});
