import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../sandbox/index.js';
import type { Fault } from '../../sandbox/server/types.js';
import type { Json } from '../../sandbox/world/types.js';
import { POLLING } from '../polling.js';
import { the } from './samples.js';
import { exportSettled, ONE_SHAPE, type Stack, startStack, USUAL_SHAPE } from './stack.js';

/** Paths of the export: the request for its link, and the file that the link points to. */
const LINK = '/api/job/v1/export';
const FILE = '/storage/';

interface Employer {
  readonly siret: string;
  /** Names of the distinct workplaces in all rows of the export with this SIRET, as the world has them. */
  readonly names: string[];
  /** Those that a search shows: the same, or the legal names of likely recruiters (work-study 8.4). */
  readonly namesInSearch: readonly (string | null)[];
}

const siretOf = (row: Json) => (row['workplace'] as { siret: string }).siret;

/** Organizations with offers or recruiters in the export, whose INSEE code the communes of the world have. */
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
    const known = [...distinct.values()] as { name: string; legal_name: string | null }[];
    const names = known.map(({ name }) => name).sort();
    return [{ siret, names, namesInSearch: [...names, ...known.map((workplace) => workplace.legal_name)] }];
  });
}

const QUERY = `query ($siret: SIRET!) {
  organization(siret: $siret) { siret workplaces { siret name } workplacesComplete jobOffers { complete totalCount } }
}`;

interface Found {
  readonly siret: string;
  readonly workplaces: { readonly siret: string; readonly name: string }[];
}

describe.each(USUAL_SHAPE)('The index of the export, %s', (shape) => {
  let stack: Stack;
  let known: Employer[];
  const next = () => the(known.shift());
  const send = async ({ siret }: Employer) => stack.send(QUERY, { variables: { siret } });

  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.2 } });
    known = employers(stack.sandbox);
  });
  afterAll(() => stack.close());

  test('has every workplace of a SIRET, without a search', async () => {
    stack.forgetCalls();
    const employer = next();
    const { data, errors } = await send(employer);
    expect(errors).toEqual([]);
    const { workplaces } = data.organization as Found;
    expect(workplaces.map(({ name }) => name).sort()).toEqual(employer.names);
    expect(data.organization.workplacesComplete).toBe(true);
    expect(data.organization.jobOffers.complete).toBe(true);
    expect(stack.calls()).toEqual([
      `volunteering GET /v0/organization?q=${employer.siret.slice(0, 9)}&limit=100 operator`,
    ]);
  });
});

describe.each(USUAL_SHAPE)('The load of the export, %s', (shape) => {
  let stack: Stack;
  const startWith = async (fault: Fault) => {
    stack = await startStack({
      shape,
      sandbox: { scale: 0.2 },
      awaitsExport: false,
      prepare: ({ workStudy }) => workStudy.fault(fault),
    });
    return the(employers(stack.sandbox)[0]);
  };
  const send = async ({ siret }: Employer) => stack.send(QUERY, { variables: { siret } });
  const searches = () => stack.calls().filter((line) => line.includes('/api/job/v1/search?'));
  afterEach(() => stack.close());

  test('begins once the process is ready: the first query finds it there', async () => {
    const employer = await startWith({ kind: 'latency', path: FILE, ms: 300, times: 1 });
    await exportSettled(stack.log);
    const exportCalls = stack.calls().filter((line) => line.includes(LINK) || line.includes(FILE));
    expect(exportCalls.map((line) => line.slice(-9))).toEqual([' operator', 'host none']);
    const { data, errors } = await send(employer);
    expect(errors).toEqual([]);
    expect(data.organization.workplacesComplete).toBe(true);
    expect((data.organization as Found).workplaces.map(({ name }) => name).sort()).toEqual(employer.names);
    expect(searches()).toEqual([]);
  });

  test('is told, is not waited for without end, and ends with the process', async () => {
    const employer = await startWith({ kind: 'silent', path: FILE, times: 1 });
    await stack.sandbox.workStudy.seen(({ url }) => url.startsWith(FILE));
    const { data, errors } = await send(employer);
    expect(errors).toEqual([]);
    expect(data.organization).toMatchObject({
      siret: employer.siret,
      workplacesComplete: false,
      jobOffers: { complete: false, totalCount: null },
    });
    expect(searches()).toHaveLength(1);
    expect(searches()[0]).toMatch(/[?&]latitude=[-0-9.]+&longitude=[-0-9.]+&radius=\d+ operator$/);
    for (const { siret, name } of (data.organization as Found).workplaces) {
      expect(siret).toBe(employer.siret);
      expect(employer.namesInSearch).toContain(name);
    }
    const reported = await stack.send('{ sources { name state detail } }');
    expect(reported.data.sources[0]).toEqual({
      name: 'work-study',
      state: 'LOADING',
      detail: expect.stringContaining('export'),
    });
    const ready = await fetch(`${stack.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain('the daily export is loading');
  });
});

describe('The rows of the export', () => {
  test('are told in /readyz as they are loaded, and are there when that ends', async () => {
    const stack = await startStack({
      shape: ONE_SHAPE,
      sandbox: { scale: 0.02 },
      awaitsExport: false,
      prepare: ({ workStudy }) => workStudy.useHugeExport(1200),
    });
    const readyz = async () => (await fetch(`${stack.url}/readyz`)).text();
    const settled = exportSettled(stack.log).then(() => true);
    const told: number[] = [];
    while (!(await Promise.race([settled, false]))) {
      const percent = /export is loading \((\d+) %\)/.exec(await readyz())?.[1];
      if (percent !== undefined) told.push(Number(percent));
    }
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(told.at(-1)).toBeLessThanOrEqual(100);
    // Apart, what a gateway found is up to a second old.
    await vi.waitFor(async () => expect(await readyz()).not.toContain('loading'), POLLING);
    const { data } = await stack.send('{ exportedOffers(where: { includeExpired: true }, first: 0) { totalCount } }');
    expect(data.exportedOffers.totalCount).toBeGreaterThan(1000);
    await stack.close();
  });
});

describe.each(USUAL_SHAPE)('Searches in place of the export, %s', (shape) => {
  test('are as many for one request as half of what its key has left, and the rest says that it is not complete', async () => {
    const stack = await startStack({
      shape,
      sandbox: { scale: 0.2 },
      prepare: ({ workStudy }) => workStudy.fault({ kind: 'status', path: LINK, status: 403 }),
    });
    const query =
      '{ organizations(first: 100) { nodes { siret addressInseeCode workplaces { siret } workplacesComplete } } }';
    const searchesOf = async () => {
      stack.forgetCalls();
      const { data, errors } = await stack.send(query);
      expect(errors).toEqual([]);
      const nodes = data.organizations.nodes as { siret: string | null; workplacesComplete: boolean }[];
      for (const { siret, workplacesComplete } of nodes) if (siret) expect(workplacesComplete).toBe(false);
      return stack.calls().filter((line) => line.includes('/api/job/v1/search?')).length;
    };
    // The service allows 60 a minute. Repeated searches are cached, so they use none of what is left.
    expect(await searchesOf()).toBe(30);
    expect(await searchesOf()).toBe(0);
    await stack.close();
  });
});

describe.each(USUAL_SHAPE)('An export that the service refuses, %s', (shape) => {
  test('leaves the search around the commune, and no error', async () => {
    const stack = await startStack({
      shape,
      sandbox: { scale: 0.2 },
      awaitsExport: false,
      prepare: ({ workStudy }) => workStudy.fault({ kind: 'status', path: LINK, status: 403 }),
    });
    await exportSettled(stack.log);
    const [first, second] = employers(stack.sandbox);
    for (const { siret } of [the(first), the(second)]) {
      const { data, errors } = await stack.send(QUERY, { variables: { siret } });
      expect(errors).toEqual([]);
      expect(data.organization).toMatchObject({ siret, workplacesComplete: false, jobOffers: { complete: false } });
    }
    const requested = stack.calls().filter((line) => line.includes(LINK));
    expect(requested, 'a refusal is not asked for again at once').toEqual([`work-study GET ${LINK} operator`]);
    await stack.close();
  });
});
