import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { shortestSecondTries } from '../shortest-second-tries.js';
import { plainMissions, the } from './samples.js';
import { type Stack, type StackResponse, startStack, USUAL_SHAPE } from './stack.js';

const AWAY = ['UPSTREAM_UNAVAILABLE'];
const UNREADABLE = ['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_UNAVAILABLE'];

/** Two fields that the same joins need. */
const WRONG_ADDRESS = { addressPostalCode: { not: 'text' }, addressCity: { not: 'text' } };

const placesIn = ({ errors }: StackResponse) => errors.map(({ path }) => path?.join('.')).sort();

shortestSecondTries();

describe.each(USUAL_SHAPE)('A value that no document knows, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    // Values are changed by the places of their rows.
    stack.sandbox.volunteering.order = 'stable';
  });
  afterEach(() => {
    for (const service of stack.sandbox.running) service.clearFaults();
  });
  afterAll(() => stack.close());

  test('a wrong type is the error of its own field, and the rest of the list stands', async () => {
    const wrong = [
      { at: 1, title: { not: 'a text' } },
      { at: 3, title: ['a list'] },
    ];
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => {
        const { data } = body as { data: Json[] };
        for (const { at, title } of wrong) the(data[at])['title'] = title;
        return body;
      },
    });
    const { data, errors } = await stack.send('{ missions(first: 5) { nodes { id title city } } }');
    expect(data.missions.nodes).toHaveLength(5);
    for (const [index, node] of data.missions.nodes.entries()) {
      const row = the(stack.sandbox.world.missions.find(({ _id }) => _id === node.id));
      expect(node.title, `${index}`).toBe(wrong.some(({ at }) => at === index) ? null : row['title']);
    }
    expect(errors).toMatchObject(
      wrong.map(({ at }) => ({
        path: ['missions', 'nodes', at, 'title'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE', service: 'volunteering' },
      })),
    );
    expect(errors).toHaveLength(wrong.length);
  });

  test('an object in place of a number is the error of its own field, whatever keys it has', async () => {
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission/search',
      change: (body) => Object.assign(body as Json, { total: { toString: 1, valueOf: 1 } }),
    });
    const response = await stack.send('{ missionSearch(first: 2) { totalCount nodes { id } } }');
    expect(response.data.missionSearch.nodes).toHaveLength(2);
    expect(placesIn(response)).toEqual(['missionSearch.totalCount']);
  });

  test('a wrong type that a join needs leaves the joins of other rows as they are', async () => {
    const query = (first: number) =>
      `{ missions(first: ${first}) { nodes { id city commune { nom } organization { title } } } }`;
    // No other test requests pages of these sizes, because the page with the wrong value stays cached.
    const plain = await stack.send(query(9));
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      set: { '/data/1/city': { not: 'a text' } },
    });
    const { data, errors } = await stack.send(query(8));
    for (const index of [0, 2, 3, 4, 5, 6, 7])
      expect(data.missions.nodes[index]).toEqual(plain.data.missions.nodes[index]);
    // A row with an unreadable city gets no commune, whatever its other fields say.
    expect(data.missions.nodes[1]).toMatchObject({ city: null, commune: null });
    expect(errors).toMatchObject(
      ['city', 'commune'].map((field) => ({
        path: ['missions', 'nodes', 1, field],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE', service: 'volunteering' },
      })),
    );
  });

  test('a key of a wrong type takes away the joins of its object, and the object only where it is selected', async () => {
    const query = (first: number, own: string) =>
      `{ missions(first: ${first}) { nodes { ${own} commune { nom } communeMatch { method } } } }`;
    // Pages of sizes that no other test requests.
    const plain = await stack.send(query(14, 'city'));
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      set: { '/data/1/_id': { not: 'id' } },
    });
    const without = await stack.send(query(13, 'city'));
    const { city } = plain.data.missions.nodes[1];
    expect(without.data.missions.nodes).toEqual(
      plain.data.missions.nodes.slice(0, 13).with(1, { city, commune: null, communeMatch: null }),
    );
    expect(placesIn(without)).toEqual(['missions.nodes.1.commune', 'missions.nodes.1.communeMatch']);
    const selected = await stack.send(query(13, 'id'));
    expect(selected.data.missions.nodes[1]).toBeNull();
    expect(placesIn(selected)).toContain('missions.nodes.1.id');
  });

  test('a wrong type that a join needs is its only error, and none stands below it', async () => {
    const below = 'commune { nom missions(first: 1, radius: -5) { totalCount } }';
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      set: { '/data/1/city': { not: 'text' } },
    });
    const rows = await stack.send(`{ missions(first: 3, remote: [NO]) { nodes { ${below} } } }`);
    expect(rows.data.missions.nodes[1]).toEqual({ commune: null });
    expect(placesIn(rows)).toEqual(
      [0, 1, 2].map((row) => `missions.nodes.${row}.commune${row === 1 ? '' : '.missions'}`),
    );

    const { rna } = the(plainMissions(stack.sandbox.world)[3]);
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/organization',
      change: (body) => {
        for (const row of (body as { data: Json[] }).data) Object.assign(the(row), WRONG_ADDRESS);
        return body;
      },
    });
    const jobs = 'jobOffers(first: 1, after: "forged") { complete } commune { nom }';
    const one = await stack.send(`{ organization(rna: "${rna}") { ${jobs} } }`);
    expect(one.data.organization).toEqual({ jobOffers: null, commune: null });
    expect(placesIn(one)).toEqual(['organization.commune', 'organization.jobOffers']);
    expect(new Set(one.errors.map(({ extensions }) => extensions.code))).toEqual(
      new Set(['UPSTREAM_INVALID_RESPONSE']),
    );
  });

  test('a key of a wrong type is never an empty and complete list, be it selected or not', async () => {
    const { rna } = the(plainMissions(stack.sandbox.world)[1]);
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/organization',
      change: (body) => {
        for (const row of (body as { data: Json[] }).data) Object.assign(the(row), { siret: 1, sirets: [] });
        return body;
      },
    });
    const joined = ['workplaces', 'workplacesComplete', 'jobOffers'];
    const selection = 'workplaces { name } workplacesComplete jobOffers(first: 1) { complete }';
    for (const [own, fields] of [
      ['', joined],
      ['siret', ['siret', ...joined]],
    ] as const) {
      const { data, errors } = await stack.send(`{ organization(rna: "${rna}") { ${own} ${selection} } }`);
      expect(data.organization).toEqual(Object.fromEntries(fields.map((field) => [field, null])));
      expect(errors.map(({ path }) => path?.[1]).sort()).toEqual([...fields].sort());
    }
  });

  test('a wrong type behind a join has the path of the joined field', async () => {
    const { id, insee } = the(plainMissions(stack.sandbox.world)[0]);
    stack.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/geographie/v1/commune/search',
      set: { '/0/nom': 7 },
    });
    const { data, errors } = await stack.send(`{ mission(id: "${id}") { id commune { nom code { insee } } } }`);
    expect(data.mission).toEqual({ id, commune: { nom: null, code: { insee } } });
    expect(errors).toMatchObject([
      { path: ['mission', 'commune', 'nom'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE', service: 'work-study' } },
    ]);
    expect(errors).toHaveLength(1);
  });

  test('a later word of a closed vocabulary is OTHER with its text beside it, never an error', async () => {
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => {
        const { data } = body as { data: Json[] };
        the(data[2])['remote'] = 'from-the-moon';
        return body;
      },
    });
    const { data, errors } = await stack.send('{ missions(first: 6) { nodes { id remote remoteRaw } } }');
    expect(errors).toEqual([]);
    expect(data.missions.nodes[2]).toMatchObject({ remote: 'OTHER', remoteRaw: 'from-the-moon' });
    for (const [index, { id, remote, remoteRaw }] of data.missions.nodes.entries()) {
      if (index === 2) continue;
      const row = the(stack.sandbox.world.missions.find(({ _id }) => _id === id));
      const written = row['remote'];
      expect([remote, remoteRaw]).toEqual([typeof written === 'string' ? written.toUpperCase() : null, null]);
    }
  });

  test('OTHER is refused as input, without a call', async () => {
    stack.forgetCalls();
    const { status, errors } = await stack.send('{ missions(first: 1, remote: [OTHER]) { totalCount } }');
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect(stack.calls()).toEqual([]);
  });

  // Each on its own route, so that no failure affects the result of another.
  test.each([
    ['a cut body', 'organizations(q: "abc") { totalCount }', { kind: 'cut', path: '/v0/organization' }, UNREADABLE],
    ['a page of a proxy', 'missions(first: 7) { totalCount }', { kind: 'html', path: '/v0/mission' }, AWAY],
    [
      'a page of a proxy that says 404',
      'communes(code: "29019") { nom }',
      { kind: 'html-404', path: '/api/geographie/v1/commune' },
      AWAY,
    ],
    ['a closed connection', 'organismes { totalCount }', { kind: 'reset', path: '/api/organisme' }, AWAY],
    [
      'a redirect',
      'jobSearch(departements: ["29"]) { truncated }',
      { kind: 'redirect', path: '/api/job/v1/search', headers: { location: '/elsewhere' } },
      ['UPSTREAM_INVALID_RESPONSE'],
    ],
  ] as const)('%s is one coded error that names nothing of the wire', async (_name, field, fault, codes) => {
    const service = fault.path.startsWith('/api') ? 'workStudy' : 'volunteering';
    stack.sandbox[service].fault(fault);
    const { status, data, errors } = await stack.send(`{ broken: ${field} departements { nom } }`);
    expect(status).toBe(200);
    expect(data.broken).toBeNull();
    expect(data.departements).toHaveLength(stack.sandbox.world.departements.length);
    expect(errors).toHaveLength(1);
    const error = the(errors[0]);
    expect(error.path).toEqual(['broken']);
    expect(error.extensions.service).toBe(service === 'workStudy' ? 'work-study' : 'volunteering');
    expect(codes).toContain(error.extensions.code);
    expect(JSON.stringify(error)).not.toMatch(/127\.0\.0\.1|localhost|\/v0\/|\/api\/|<html|stack/i);
    expect(stack.calls().filter((line) => line.includes('/elsewhere'))).toEqual([]);
  });
});
