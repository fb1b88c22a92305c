import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { the } from './samples.js';
import { SHAPES, type Stack, startStack } from './stack.js';

/** Paths of the export: its link, and the file behind it. */
const LINK = '/api/job/v1/export';
const FILE = '/storage/';

interface Employer {
  readonly siret: string;
  /** Distinct workplaces of all rows of the SIRET in the export, as the world has them. */
  readonly names: string[];
}

const siretOf = (row: Json) => (row['workplace'] as { siret: string }).siret;

/** Organizations with offers or recruiters in the export, in communes that have their INSEE code. */
function employers({ world }: Sandbox): Employer[] {
  // The export has active offers and all likely recruiters (work-study 7.6).
  const active = world.offers.filter((row) => (row['offer'] as { status: string }).status === 'Active');
  const rows = [...active, ...world.recruiters];
  const communes = new Set(world.communes.map((row) => (row['code'] as { insee: string }).insee));
  return world.organizations.flatMap(({ siret, sirets, addressInseeCode }) => {
    if (typeof siret !== 'string' || siret === '' || !communes.has(String(addressInseeCode))) return [];
    if (!Array.isArray(sirets) || sirets.some((other) => other !== siret)) return [];
    const workplaces = rows.filter((row) => siretOf(row) === siret).map((row) => row['workplace']);
    const distinct = new Map(workplaces.map((workplace) => [JSON.stringify(workplace), workplace]));
    if (distinct.size === 0) return [];
    return [{ siret, names: [...distinct.values()].map((workplace) => (workplace as { name: string }).name).sort() }];
  });
}

const QUESTION = `query ($siret: SIRET!) {
  organization(siret: $siret) { siret workplaces { siret name } workplacesComplete jobOffers { complete totalCount } }
}`;

interface Found {
  readonly siret: string;
  readonly workplaces: { readonly siret: string; readonly name: string }[];
}

describe.each(SHAPES)('The index of the export, %s', (shape) => {
  let stack: Stack;
  let known: Employer[];
  const next = () => the(known.shift());
  const ask = async ({ siret }: Employer) => stack.ask(QUESTION, { variables: { siret } });
  const exportCalls = () => stack.calls().filter((line) => line.includes(LINK) || line.includes(FILE));

  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.2 } });
    known = employers(stack.sandbox);
  });
  afterEach(() => stack.sandbox.workStudy.clearFaults());
  afterAll(() => stack.close());

  test('is not waited for: a search around the commune stands in, and says that it may miss something', async () => {
    stack.sandbox.workStudy.fault({ kind: 'latency', path: FILE, ms: 1_500, times: 1 });
    stack.forgetCalls();
    const loaded = stack.log.seen(({ message }) => message === 'Indexed the export.');
    const employer = next();
    const { data, errors } = await ask(employer);
    expect(errors).toEqual([]);
    expect(data.organization).toMatchObject({
      siret: employer.siret,
      workplacesComplete: false,
      jobOffers: { complete: false, totalCount: null },
    });
    const searches = stack.calls().filter((line) => line.includes('/api/job/v1/search?'));
    expect(searches).toHaveLength(1);
    expect(searches[0]).toMatch(/[?&]latitude=[-0-9.]+&longitude=[-0-9.]+&radius=\d+ operator$/);
    for (const { siret, name } of (data.organization as Found).workplaces) {
      expect(siret).toBe(employer.siret);
      expect(employer.names).toContain(name);
    }
    await loaded;
    expect(exportCalls()).toHaveLength(2);
    expect(exportCalls().map((line) => line.slice(-9))).toEqual([' operator', 'host none']);
  });

  test('once there, has every workplace of a SIRET, without a search', async () => {
    stack.forgetCalls();
    const employer = next();
    const { data, errors } = await ask(employer);
    expect(errors).toEqual([]);
    const { workplaces } = data.organization as Found;
    expect(workplaces.map(({ name }) => name).sort()).toEqual(employer.names);
    expect(data.organization.workplacesComplete).toBe(true);
    expect(data.organization.jobOffers.complete).toBe(true);
    expect(stack.calls()).toEqual([`volunteering GET /v0/organization?siret=${employer.siret}&limit=100 operator`]);
  });
});

describe.each(SHAPES)('An export that the service refuses, %s', (shape) => {
  test('leaves the search around the commune, and no error', async () => {
    const stack = await startStack({ shape, sandbox: { scale: 0.2 } });
    stack.sandbox.workStudy.fault({ kind: 'status', path: LINK, status: 403 });
    const [first, second] = employers(stack.sandbox);
    for (const { siret } of [the(first), the(second)]) {
      const { data, errors } = await stack.ask(QUESTION, { variables: { siret } });
      expect(errors).toEqual([]);
      expect(data.organization).toMatchObject({ siret, workplacesComplete: false, jobOffers: { complete: false } });
    }
    const asked = stack.calls().filter((line) => line.includes(LINK));
    expect(asked, 'a refusal is not asked for again at once').toEqual([`work-study GET ${LINK} operator`]);
    await stack.close();
  });
});
