import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HIVE } from '../engines/differences.js';
import { callsOf, type PlainMission, plainMissions, the } from './samples.js';
import { expectCallsMade, SHAPES, type Stack, startStack } from './stack.js';

const EVERYTHING = `query ($id: ID!) {
  mission(id: $id) { id title commune { nom code { insee } } organization { id rna } }
}`;

describe.each(SHAPES)('What a query costs, %s', (shape) => {
  let stack: Stack;
  let unused: PlainMission[];
  /** A mission of which nothing is cached yet. */
  const nextMission = () => the(unused.shift());
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
    unused = plainMissions(stack.sandbox.world);
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test.each([
    ['title', []],
    ['title commune { nom }', ['commune']],
    ['title organization { title }', ['organization']],
    ['title organization { title } commune { nom }', ['commune', 'organization']],
    ['title communeMatch { method candidates { insee } }', []],
  ] as const)('a field that is not selected costs nothing: %s', async (selection, joins) => {
    const mission = nextMission();
    const { data, errors, trace } = await stack.send(`{ mission(id: "${mission.id}") { ${selection} } }`);
    expect(errors).toEqual([]);
    expect(data.mission.title).toBe(mission.title);
    const expected = [...joins.map((join) => callsOf[join](mission)), callsOf.mission(mission)].sort();
    expect([...stack.calls()].sort()).toEqual(expected);
    expectCallsMade(trace, expected.length);
  });

  test('a field behind @skip and @include costs nothing either', async () => {
    const mission = nextMission();
    const query = `query ($no: Boolean!) {
      mission(id: "${mission.id}") { title commune @include(if: $no) { nom } ...Who @include(if: $no) }
    }
    fragment Who on Mission { organization { title } }`;
    const { data, errors } = await stack.send(query, { variables: { no: false } });
    expect(errors).toEqual([]);
    expect(data).toEqual({ mission: { title: mission.title } });
    expect(stack.calls()).toEqual([callsOf.mission(mission)]);
  });

  // Over HTTP, a subgraph's response arrives as a whole.
  test.runIf(shape === 'in process')(
    'a join begins when its objects are known, whatever else is waited for',
    async () => {
      const mission = nextMission();
      stack.sandbox.volunteering.fault({ kind: 'latency', path: '/v0/organization', ms: 60_000 });
      const caller = new AbortController();
      const left = stack.send(EVERYTHING, { variables: { id: mission.id }, signal: caller.signal }).catch(() => 'left');
      await stack.sandbox.workStudy.seen(({ url }) => url.includes(mission.insee));
      caller.abort();
      expect(await left).toBe('left');
      stack.sandbox.volunteering.clearFaults();
      expect([...stack.calls()].sort()).toEqual(
        [callsOf.commune(mission), callsOf.mission(mission), callsOf.organization(mission)].sort(),
      );
    },
  );

  test('identical queries at once cost the calls of one, and each is told its share', async () => {
    const mission = nextMission();
    const send = () => stack.send(EVERYTHING, { variables: { id: mission.id } });
    const responses = await Promise.all([send(), send(), send()]);
    for (const { data, errors } of responses) {
      expect(errors).toEqual([]);
      expect(data.mission).toMatchObject({
        id: mission.id,
        title: mission.title,
        commune: { code: { insee: mission.insee } },
        organization: { rna: mission.rna },
      });
    }
    const expected = [callsOf.commune(mission), callsOf.mission(mission), callsOf.organization(mission)];
    expect([...stack.calls()].sort()).toEqual(expected.sort());
    if (shape === HIVE) return;
    const totals = responses.map(({ trace }) => the(trace).totals);
    expect(totals.reduce((sum, { callsMade }) => sum + callsMade, 0)).toBe(3);
    expect(totals.reduce((sum, { savedBySharing, savedByCache }) => sum + savedBySharing + savedByCache, 0)).toBe(6);
  });

  test('the same record under several aliases is fetched once', async () => {
    const { id, title, insee, rna } = nextMission();
    const { data, errors } = await stack.send(
      `{ a: mission(id: "${id}") { title } b: mission(id: "${id}") { title commune { nom } } }`,
    );
    expect(errors).toEqual([]);
    expect([data.a.title, data.b.title]).toEqual([title, title]);
    const mission = { id, title, insee, rna };
    expect([...stack.calls()].sort()).toEqual([callsOf.mission(mission), callsOf.commune(mission)].sort());
  });

  test('a client that leaves takes his calls along', async () => {
    const { id } = nextMission();
    const path = `/v0/mission/${id}`;
    const heal = stack.sandbox.volunteering.fault({ kind: 'latency', path, ms: 60_000 });
    const client = new AbortController();
    const requested = stack.send(EVERYTHING, { variables: { id }, signal: client.signal });
    await stack.sandbox.volunteering.seen(({ url }) => url === path);
    client.abort();
    await expect(requested).rejects.toThrow('abort');
    const call = await stack.sandbox.volunteering.seen(({ url, aborted }) => url === path && aborted);
    expect(call.status).toBeNull();
    heal();
    expect(stack.calls(), 'nothing was asked for afterwards').toEqual([`volunteering GET ${path} operator`]);
  });

  test('a client that leaves does not take along the calls that another waits for', async () => {
    const mission = nextMission();
    const { id } = mission;
    const path = `/v0/mission/${id}`;
    const heal = stack.sandbox.volunteering.fault({ kind: 'latency', path, ms: 1_000 });
    const client = new AbortController();
    const leaving = stack.send(EVERYTHING, { variables: { id }, signal: client.signal });
    await stack.sandbox.volunteering.seen(({ url }) => url === path);
    const staying = stack.send(EVERYTHING, { variables: { id } });
    client.abort();
    await expect(leaving).rejects.toThrow('abort');
    const { data, errors } = await staying;
    heal();
    expect(errors).toEqual([]);
    expect(data.mission.title).toBe(mission.title);
  });
});
