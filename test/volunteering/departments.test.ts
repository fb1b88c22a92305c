import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era } from '../../sandbox/server/types.js';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { sharedWorld } from '../../sandbox/world/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { seatDepartment } from '../../subgraphs/volunteering/organizations/by-department.js';
import type { OrganizationView } from '../../subgraphs/volunteering/organizations/shapes.js';
import { communeIndex, resolveInsee } from '../../subgraphs/work-study/communes/commune-index.js';
import { startHarness } from './support/harness.js';

const world = sharedWorld({ scale: 0.3 });
const harness = await startHarness(world);
const { service, send } = harness;

let keyCount = 0;
const freshKey = () => ({ fingerprint: `departments ${keyCount++}`, reveal: () => volunteeringKeys.operator });

beforeEach(() => service.reset());
afterAll(() => harness.close());

/** The number of missions that each field finds for the argument. */
async function totals(argument: string, era: Era = 'today'): Promise<unknown[]> {
  service.era = era;
  const query = `{ missions(${argument}) { totalCount } missionSearch(${argument}) { totalCount } }`;
  const { data, errors } = await send(query, { key: freshKey() });
  expect(errors).toEqual([]);
  return [data.missions.totalCount, data.missionSearch.totalCount];
}

const addressesOf = (mission: Json): Json[] => mission['addresses'] as Json[];
const published = world.missions.filter((row) => row['statusCode'] === 'ACCEPTED' && row['deletedAt'] === null);
const missionsIn = (...codes: string[]): number =>
  published.filter((row) => addressesOf(row).some(({ departmentCode }) => codes.includes(String(departmentCode))))
    .length;

describe('missions of a département', () => {
  it.each(['76', '93', '95', '22', '2A', '971', '974'])('are found by the official code %s', async (code) => {
    const expected = missionsIn(code);
    expect(expected).toBeGreaterThan(0);
    expect(await totals(`department: "${code}"`)).toEqual([expected, expected]);
    expect(service.calls).toHaveLength(2);
  });

  it.each([
    ['Seine-Saint-Denis', '93'],
    ['Seine-St-Denis', '93'],
    ['seine saint denis', '93'],
    ["Val-d'Oise", '95'],
    ["Val-D'Oise", '95'],
    ["Côtes-d'Armor", '22'],
    ['cotes d’armor', '22'],
    ['SEINE MARITIME', '76'],
  ])('are found by the name %s, official or not', async (name, code) => {
    const expected = missionsIn(code);
    expect(await totals(`departmentName: "${name}"`)).toEqual([expected, expected]);
  });

  it('are found in the documented service alike', async () => {
    const first = (row: Json) => String(row['departmentCode']);
    for (const [argument, code] of [
      ['department: "93"', '93'],
      ['departmentName: "Val-d\'Oise"', '95'],
    ] as const) {
      const expected = published.filter((row) => first(row) === code).length;
      expect(await totals(argument, 'seed')).toEqual([expected, expected]);
    }
  });

  it('are alternatives of one argument, and narrow the other', async () => {
    const both = missionsIn('76', '93');
    expect(await totals('department: ["76", "93"]')).toEqual([both, both]);
    const one = missionsIn('93');
    expect(await totals('department: ["76", "93"], departmentName: ["Seine-Saint-Denis", "Rhône"]')).toEqual([
      one,
      one,
    ]);
    expect(await totals('department: ["93", "93"]')).toEqual([one, one]);
  });

  it('costs the query that it was where the service writes the official name', async () => {
    await send('{ missions(department: "76", first: 1) { nodes { id } } }', { key: freshKey() });
    await send('{ missions(departmentName: "seine maritime", first: 2) { nodes { id } } }', { key: freshKey() });
    expect(service.callLines()).toEqual([
      'GET /v0/mission?departmentName=Seine-Maritime&limit=1 operator',
      'GET /v0/mission?departmentName=Seine-Maritime&limit=2 operator',
    ]);
  });
});

describe('a value that no département has', () => {
  it.each([
    ['missions', 'department: "2a"', 'department is not the code of a département (did you mean 2A, Corse-du-Sud?).'],
    ['missions', 'department: "Paris"', 'department is not the code of a département (did you mean 75, Paris?).'],
    ['missions', 'department: "XX"', 'department is not the code of a département.'],
    ['missions', 'department: ["93", "XX"]', 'department[1] is not the code of a département.'],
    ['missions', 'department: [""]', 'department is empty.'],
    ['organizations', 'department: ["76", " "]', 'department[1] is empty.'],
    [
      'organizations',
      'department: "20"',
      'department is not the code of a département (did you mean 2A, Corse-du-Sud or 2B, Haute-Corse?).',
    ],
    [
      'missions',
      'departmentName: "Seine-Maritim"',
      'departmentName is not the name of a département (did you mean Seine-Maritime?).',
    ],
    ['missionSearch', 'departmentName: "zzzzzz"', 'departmentName is not the name of a département.'],
    [
      'missionSearch',
      'departmentName: ["Rhône", "Côtes-du-Nord"]',
      "departmentName[1] is not the name of a département (did you mean Côtes-d'Armor?).",
    ],
    [
      'missionCounts',
      'by: TYPE, departmentName: "Guyane française"',
      'departmentName is not the name of a département (did you mean Guyane?).',
    ],
    ['missionSearch', 'departmentName: ""', 'departmentName is empty.'],
    [
      'missions',
      'department: "76", departmentName: "Rhône"',
      'department and departmentName have no département in common.',
    ],
  ])('is refused by %s(%s) before a call, with what is near', async (field, argument, message) => {
    const { errors, messages } = await send(`{ ${field}(${argument}) { __typename } }`);
    expect(errors).toEqual([`BAD_USER_INPUT ${field}`]);
    expect(messages).toEqual([message]);
    expect(service.calls).toEqual([]);
  });
});

describe.each(['today', 'seed'] satisfies Era[])('organizations of a département, %s', (era) => {
  const seatOf = (row: Json): string => {
    const current = resolveInsee(String(row['addressInseeCode'] ?? ''));
    const department = communeIndex().byInsee.get(current ?? '')?.department;
    if (department !== undefined) return department;
    const code = String(row['addressPostalCode'] ?? '').padStart(5, '0');
    if (code === '00000') return '';
    if (code.startsWith('20')) return code < '20200' ? '2A' : '2B';
    return /^9[78]/.test(code) ? code.slice(0, 3) : code.slice(0, 2);
  };
  const rowsIn = (...codes: string[]) => world.organizations.filter((row) => codes.includes(seatOf(row)));

  beforeEach(() => {
    service.era = era;
  });

  async function walk(argument: string, first: number) {
    const key = freshKey();
    const found: { id: string; rna: string | null }[] = [];
    let pages = 0;
    for (let after = ''; pages < 500; ) {
      service.clearCalls();
      const { data, errors } = await send(
        `{ organizations(${argument}, first: ${first}${after}) { nodes { id rna } totalCount pageInfo { hasNextPage endCursor } } }`,
        { key },
      );
      expect(errors).toEqual([]);
      expect(service.calls.length).toBeLessThanOrEqual(4);
      pages++;
      found.push(...data.organizations.nodes);
      expect(data.organizations.totalCount).toBeNull();
      if (!data.organizations.pageInfo.hasNextPage) break;
      after = `, after: "${data.organizations.pageInfo.endCursor}"`;
    }
    return { found, ids: found.map(({ id }) => id).sort() };
  }

  it.each([
    ['76', ['76']],
    ['2A', ['2A']],
    ['971', ['971']],
    ['76 and 27', ['76', '27']],
  ])('are all found, each once, by walking the pages: %s', async (_name, codes) => {
    const expected = rowsIn(...codes)
      .map((row) => String(row['_id']))
      .sort();
    expect(expected.length).toBeGreaterThan(0);
    expect((await walk(`department: ${JSON.stringify(codes)}`, 7)).ids).toEqual(expected);
  });

  it.each([
    ['department: "76"', true],
    ['department: "76", q: "zzzzzz"', false],
  ])('say for a page of size 0 whether any follow: %s', async (argument, follows) => {
    const query = `{ organizations(${argument}, first: 0) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
    const { data } = await send(query, { key: freshKey() });
    expect(data.organizations).toEqual({ nodes: [], pageInfo: { hasNextPage: follows, endCursor: null } });
  });

  it('are narrowed by the other arguments too', async () => {
    const club = rowsIn('76').filter((row) => /\bclub\b/i.test(String(row['title'])));
    const { ids } = await walk('department: "76", q: "club"', 25);
    expect(ids).toEqual(club.map((row) => String(row['_id'])).sort());
  });
});

describe('organizations of a département', () => {
  it('come with one call where the département registered enough of them', async () => {
    service.era = 'today';
    const { data, errors } = await send(
      '{ organizations(department: "75", first: 5) { nodes { rna addressDepartmentCode } pageInfo { hasNextPage } } }',
    );
    expect(errors).toEqual([]);
    expect(data.organizations.nodes).toHaveLength(5);
    for (const { rna } of data.organizations.nodes) expect(rna).toMatch(/^W75/);
    expect(data.organizations.pageInfo.hasNextPage).toBe(true);
    expect(service.callLines()).toEqual(['GET /v0/organization?q=W75&limit=100 operator']);
  });

  it.each([
    ['75011', '75011', '75'],
    ['75011', '94380', '94'],
    ['0', '1120', '01'],
  ])(
    'have their seat where INSEE code %s and postal code %s say: in %s',
    (addressInseeCode, addressPostalCode, code) => {
      const seat = { addressInseeCode, addressPostalCode, addressDepartmentCode: null };
      expect(seatDepartment(seat as OrganizationView)).toBe(code);
    },
  );

  it('refuse a cursor of another département', async () => {
    const { data } = await send('{ organizations(department: "75", first: 1) { pageInfo { endCursor } } }');
    const after = data.organizations.pageInfo.endCursor;
    const { errors } = await send(`{ organizations(department: "76", after: "${after}") { nodes { id } } }`);
    expect(errors).toEqual(['BAD_USER_INPUT organizations']);
  });
});
