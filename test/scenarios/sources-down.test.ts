import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxService } from '../../sandbox/server/types.js';
import { HIVE } from '../engines/differences.js';
import { shortestSecondTries } from '../shortest-second-tries.js';
import { type PlainMission, plainMissions, the } from './samples.js';
import { SHAPES, type Stack, startStack } from './stack.js';

/** Extents of communes: west, south, east, north. */
const BOXES: readonly { readonly id: string; readonly bbox: readonly [number, number, number, number] }[] =
  createRequire(import.meta.url)('@etalab/fr-bounding-boxes/dist/communes.json');

/** A query to all three services for a mission that is not cached yet. */
function queryOf({ id }: PlainMission): string {
  return `{ viewer { name } mission(id: "${id}") { id commune { code { insee } } organization { rna } } }`;
}

shortestSecondTries();

describe.each(SHAPES)('A source that is down, %s', (shape) => {
  let stack: Stack;
  let unused: PlainMission[];
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
    unused = plainMissions(stack.sandbox.world);
  });
  afterAll(() => stack.close());

  /** Sends the query while the service is down. */
  async function sendWithout(service: SandboxService, mission: PlainMission) {
    await service.stopListening();
    stack.forgetCalls();
    const response = await stack.send(queryOf(mission), {
      headers: { authorization: `Bearer ${stack.sandbox.keys.waste.token}` },
    });
    await service.startListening();
    return response;
  }

  const name = () => the(stack.sandbox.world.wasteUsers[0]).name;
  const unavailable = (service: string, ...path: string[]) => ({
    path,
    extensions: { code: 'UPSTREAM_UNAVAILABLE', service, requestId: expect.any(String) },
    message: expect.not.stringMatching(/127\.0\.0\.1|ECONNREFUSED|http:/),
  });

  test('waste-identity: the viewer is null, the rest stands', async () => {
    const mission = the(unused.shift());
    const { status, data, errors } = await sendWithout(stack.sandbox.waste, mission);
    const { id, insee, rna } = mission;
    expect(status).toBe(200);
    expect(data).toEqual({
      viewer: null,
      mission: { id, commune: { code: { insee } }, organization: { rna } },
    });
    expect(errors).toMatchObject([unavailable('waste-identity', 'viewer')]);
  });

  test('volunteering: the mission is null, the rest stands', async () => {
    const { data, errors } = await sendWithout(stack.sandbox.volunteering, the(unused.shift()));
    expect(data).toEqual({ viewer: { name: name() }, mission: null });
    expect(errors).toMatchObject([unavailable('volunteering', 'mission')]);
    expect(stack.calls().filter((line) => !line.startsWith('waste-identity'))).toEqual([]);
  });

  test('work-study: the joined commune is null, its mission and organization stand', async () => {
    const mission = the(unused.shift());
    const { data, errors, trace } = await sendWithout(stack.sandbox.workStudy, mission);
    const { id, rna } = mission;
    expect(data).toEqual({ viewer: { name: name() }, mission: { id, commune: null, organization: { rna } } });
    expect(errors).toMatchObject([unavailable('work-study', 'mission', 'commune')]);
    if (shape === HIVE) return;
    const failed = the(trace).calls.filter(({ error }) => error !== undefined);
    expect(failed).toMatchObject([{ service: 'work-study', status: null, error: 'UPSTREAM_UNAVAILABLE' }]);
  });

  test('work-study: a commune has what is known without a call, its offers and its missions', async () => {
    const [box] = BOXES.filter(({ id }) => id === 'fr:commune:76540');
    const [minLon, minLat, maxLon, maxLat] = the(box).bbox;
    const query = `{ commune(insee: "76540") {
      id nom code { insee } departement { codeInsee nom } region { codeInsee nom }
      exportedOffers(where: { radius: 100 }, first: 1) { totalCount } missions(radius: 1.5, first: 1) { totalCount }
      localisation { centre { coordinates } }
    } }`;
    await stack.sandbox.workStudy.stopListening();
    stack.forgetCalls();
    const { data, errors, trace } = await stack.send(query);
    await stack.sandbox.workStudy.startListening();
    expect(data.commune).toEqual({
      ...{ id: 'Commune:76540', nom: 'Rouen', code: { insee: '76540' }, localisation: null },
      ...{ departement: { codeInsee: '76', nom: 'Seine-Maritime' }, region: { codeInsee: '28', nom: 'Normandie' } },
      exportedOffers: { totalCount: expect.any(Number) },
      missions: { totalCount: expect.any(Number) },
    });
    expect(errors).toMatchObject([unavailable('work-study', 'commune', 'localisation')]);
    const [around, ...others] = stack.calls();
    expect(others).toEqual([]);
    const sent = new URL(`http://volunteering${the(around).split(' ')[2]}`);
    expect(sent.pathname).toBe('/v0/mission/search');
    const point = ['lon', 'lat'].map((name) => Number(sent.searchParams.get(name)));
    expect(point).toEqual([expect.closeTo((minLon + maxLon) / 2, 6), expect.closeTo((minLat + maxLat) / 2, 6)]);
    if (shape === HIVE) return;
    const failed = the(trace).calls.filter(({ service }) => service === 'work-study');
    expect(failed.map(({ path }) => path)).toEqual(['/geographie/v1/commune/search']);
  });

  test('is told by /readyz and by `sources`, and queries are answered all the same', async () => {
    await stack.sandbox.workStudy.stopListening();
    const insee = the(unused[0]).insee;
    await stack.send(`{ commune(insee: "${insee}") { academie { nom } } }`);
    const ready = await fetch(`${stack.url}/readyz`);
    expect(ready.status).toBe(200);
    const { sources } = (await ready.json()) as { sources: { name: string; state: string }[] };
    const { data, errors } = await stack.send('{ sources { name state } }');
    await stack.sandbox.workStudy.startListening();
    expect(errors).toEqual([]);
    const stateIn = (list: { name: string; state: string }[]) =>
      the(list.find((source) => source.name === 'work-study')).state;
    expect(['DEGRADED', 'DOWN']).toContain(stateIn(sources));
    expect(stateIn(data.sources)).toBe(stateIn(sources));
  });
});
