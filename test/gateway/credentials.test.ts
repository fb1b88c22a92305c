import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';

const SENT = {
  'x-work-study-key': 'key-of-work-study',
  'x-volunteering-key': 'key-of-volunteering',
  authorization: 'bearer token-of-waste',
  cookie: 'passerelle=session',
};
const SECRETS = /key-of-|token-of-|session/;

const resolvers = {
  volunteering: { Query: { echo: () => 'v' } },
  'work-study': { Query: { commune: () => ({ nom: 'w' }) } },
  'waste-identity': { Query: { viewer: () => ({ name: 'i' }) } },
};

const ALL_THREE = '{ echo commune(insee: "1") { nom } viewer { name } }';

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe.each(SHAPES)('the credentials of a caller, %s', (shape) => {
  it('go to their own service and to no other', async () => {
    gateway = await openGateway({ shape, resolvers });
    expect((await gateway.send(ALL_THREE, { headers: SENT })).errors).toBeUndefined();
    const { subgraphs } = gateway;
    const secretOf = (name: keyof typeof subgraphs) =>
      subgraphs[name].requested.map(({ credential }) => credential?.reveal());
    expect(secretOf('work-study')).toEqual(['key-of-work-study']);
    expect(secretOf('volunteering')).toEqual(['key-of-volunteering']);
    expect(secretOf('waste-identity')).toEqual(['token-of-waste']);
  });

  it('are absent when none was sent, or nothing of their form', async () => {
    gateway = await openGateway({ shape, resolvers });
    await gateway.send(ALL_THREE);
    await gateway.send(ALL_THREE, { headers: { authorization: 'Basic dXNlcjpwYXNz', 'x-work-study-key': ' ' } });
    for (const name of ['work-study', 'volunteering', 'waste-identity'] as const) {
      const { requested } = gateway.subgraphs[name];
      expect(requested.map(({ credential }) => credential)).toEqual([null, null]);
    }
  });

  it('have equal fingerprints when they are equal, and show themselves nowhere', async () => {
    gateway = await openGateway({ shape, resolvers });
    const responses = [];
    for (const headers of [SENT, SENT, { ...SENT, 'x-work-study-key': 'another' }]) {
      responses.push(await gateway.send(ALL_THREE, { headers: { ...headers, 'x-passerelle-trace': '1' } }));
    }
    const prints = gateway.subgraphs['work-study'].requested.map(({ credential }) => credential?.fingerprint);
    expect(prints[0]).toBe(prints[1]);
    expect(prints[0]).not.toBe(prints[2]);
    expect(JSON.stringify([responses, gateway.log, prints])).not.toMatch(SECRETS);
  });

  it('come with the request id, the time left and the place of what needs them', async () => {
    gateway = await openGateway({ shape, resolvers, gateway: { requestDeadlineMs: 5_000 } });
    await gateway.send(ALL_THREE, { headers: { 'x-request-id': 'r1' } });
    const [operation] = gateway.subgraphs.volunteering.requested;
    expect(operation).toMatchObject({ requestId: 'r1', planNode: shape === 'in process' ? 'echo' : '' });
    expect(operation?.deadline.remainingMs()).toBeGreaterThan(0);
    expect(operation?.deadline.remainingMs()).toBeLessThanOrEqual(5_000);
  });
});
