import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { callsOf, type PlainMission, plainMissions, the } from './samples.js';
import { SHAPES, type Stack, startStack } from './stack.js';

describe.each(SHAPES)('A query that could mislead the planner, %s', (shape) => {
  let stack: Stack;
  let unused: PlainMission[];
  const next = () => the(unused.shift());
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
    unused = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  /** The mission's own row and its first address, which the joins require. */
  function written({ id }: PlainMission): { row: Json; address: Json } {
    const row = the(stack.sandbox.world.missions.find(({ _id }) => _id === id));
    return { row, address: the((row['addresses'] as Json[])[0]) };
  }

  /** Queries one mission; expects no error, and exactly the calls of the mission and these joins. */
  async function missionOf(mission: PlainMission, selection: string, joins: readonly ('commune' | 'organization')[]) {
    const { data, errors } = await stack.send(`{ mission(id: "${mission.id}") ${selection} }`);
    expect(errors).toEqual([]);
    const expected = [callsOf.mission(mission), ...joins.map((join) => callsOf[join](mission))];
    expect([...stack.calls()].sort()).toEqual(expected.sort());
    return data.mission;
  }

  test('joins by the real city and postal code when aliases have their names', async () => {
    const mission = next();
    const found = await missionOf(
      mission,
      '{ city: title postalCode: id country: postalCode departmentCode: city commune { code { insee } } }',
      ['commune'],
    );
    const { address } = written(mission);
    expect(found).toEqual({
      city: mission.title,
      postalCode: mission.id,
      country: address['postalCode'],
      departmentCode: address['city'],
      commune: { code: { insee: mission.insee } },
    });
  });

  test('answers the title when an alias calls it `id`, and still joins by the real id', async () => {
    const mission = next();
    const found = await missionOf(mission, '{ id: title commune { code { insee } } organization { id: rna } }', [
      'commune',
      'organization',
    ]);
    expect(found).toEqual({
      id: mission.title,
      commune: { code: { insee: mission.insee } },
      organization: { id: mission.rna },
    });
  });

  test('joins when an object has the name of a required object, and when nested names are exchanged', async () => {
    const [first, second] = [next(), next()];
    const found = await missionOf(first, '{ location: organization { rna } commune { code { insee } } }', [
      'commune',
      'organization',
    ]);
    expect(found).toEqual({ location: { rna: first.rna }, commune: { code: { insee: first.insee } } });
    stack.forgetCalls();
    const { lon, lat } = written(second).address['location'] as { lon: number; lat: number };
    expect(
      await missionOf(second, '{ location { lon: lat lat: lon } commune { code { insee } } }', ['commune']),
    ).toEqual({
      location: { lon: lat, lat: lon },
      commune: { code: { insee: second.insee } },
    });
  });

  test('finds such aliases in fragments, named and inline, below a join too', async () => {
    const mission = next();
    const query = `query Where {
      mission(id: "${mission.id}") { ...Placed organization { ... on Organization { siret: title addressCity: rna commune { nom } } } }
    }
    fragment Placed on Mission { ... { city: title } commune { code: nom localisation: code { insee } } }`;
    const { data, errors } = await stack.send(query);
    expect(errors).toEqual([]);
    const { world } = stack.sandbox;
    const commune = the(world.communes.find((row) => (row['code'] as { insee: string }).insee === mission.insee));
    const rows = world.organizations.filter(({ rna }) => rna === mission.rna);
    expect(data.mission).toMatchObject({
      city: mission.title,
      commune: { code: commune['nom'], localisation: { insee: mission.insee } },
      organization: { addressCity: mission.rna },
    });
    expect(rows.map(({ title }) => title)).toContain(data.mission.organization.siret);
  });

  test('lets a variable be called `representations`, beside joins', async () => {
    const mission = next();
    const { data, errors } = await stack.send(
      'query ($representations: ID!) { mission(id: $representations) { title commune { code { insee } } } }',
      { variables: { representations: mission.id } },
    );
    expect(errors).toEqual([]);
    expect(data.mission).toEqual({ title: mission.title, commune: { code: { insee: mission.insee } } });
    expect(stack.calls()).toEqual([callsOf.commune(mission), callsOf.mission(mission)]);
  });

  test('tells an error on a field that only the join requested at the joined field', async () => {
    const mission = next();
    const heal = stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: `/v0/mission/${mission.id}`,
      change: (body) => withFirstAddress(body, { postalCode: { not: 'a text' } }),
    });
    const { data, errors } = await stack.send(`{ mission(id: "${mission.id}") { title commune { nom } } }`);
    heal();
    expect(data.mission.title).toBe(mission.title);
    // A match on the rest of the address would look certain, so a required field with an error fails the join.
    expect(data.mission.commune).toBeNull();
    expect(errors).toMatchObject([
      { path: ['mission', 'commune'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE', service: 'volunteering' } },
    ]);
  });

  test('tells an error on a field that one join requires at that join alone, not at one beside it', async () => {
    const mission = next();
    const heal = stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      change: (body) => {
        for (const row of (body as { data: Json[] }).data) row['addressPostalCode'] = { not: 'a text' };
        return body;
      },
    });
    const { data, errors } = await stack.send(
      `{ organization(rna: "${mission.rna}") { commune { nom } exportedOffers(first: 1, after: "forged") { totalCount } } }`,
    );
    heal();
    expect(data.organization).toEqual({ commune: null, exportedOffers: null });
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort()).toEqual([
      ['organization.commune', 'UPSTREAM_INVALID_RESPONSE'],
      ['organization.exportedOffers', 'BAD_USER_INPUT'],
    ]);
  });

  test('asks an unknown mission no further', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const { data, errors } = await stack.send(`{ mission(id: "${id}") { id commune { nom } organization { id } } }`);
    expect([data, errors]).toEqual([{ mission: null }, []]);
    expect(stack.calls()).toEqual([`volunteering GET /v0/mission/${id} operator`]);
  });
});

/** A response by id with these values set on the mission and on its first address. */
function withFirstAddress(body: unknown, values: Json): unknown {
  const { data } = body as { data: { addresses: Json[] } & Json };
  Object.assign(data, values);
  Object.assign(the(data.addresses[0]), values);
  return body;
}
