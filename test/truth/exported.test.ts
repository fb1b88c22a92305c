import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { createChance } from '../chance.js';
import { runs } from '../runs.js';
import { ONE_SHAPE, type Stack, startStack } from '../scenarios/stack.js';
import { type Area, type Asked, countsBy, radiusOf, scan } from './support/export-scan.js';

const AREAS: readonly Area[] = createRequire(import.meta.url)('@etalab/decoupage-administratif/data/departements.json');
const KEYS = 'DEPARTMENT REGION COMMUNE EPCI ROME NAF OPCO DIPLOMA CONTRACT PARTNER REMOTE MONTH SIRET'.split(' ');
const QUESTIONS = runs(40);

/** A generated question whose values mostly come from rows, so that it often finds some. */
function question(rows: readonly Json[], random: () => number): Asked {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  // biome-ignore lint/suspicious/noExplicitAny: rows as the service writes them
  const row = (): any => pick(rows);
  const of = random() < 0.8 ? 'exportedOffers' : 'exportedRecruiters';
  const day = () => `2026-${String(1 + Math.floor(random() * 12)).padStart(2, '0')}-0${1 + Math.floor(random() * 9)}`;
  const period = () => {
    const [after, before] = [day(), day()].sort();
    // Equal ones are refused.
    return after === before || random() < 0.5 ? pick([{ after }, { before }]) : { after, before };
  };
  const many = <T>(make: () => T): T[] => Array.from({ length: 1 + Math.floor(random() * 3) }, make);
  const known = <T>(values: (T | null | undefined)[]): T[] => values.filter((one): one is T => one != null);
  const args: Asked['args'] = {};
  const maybe = (chance: number, name: string, value: () => unknown) => {
    if (random() >= chance) return;
    const given = value();
    if (Array.isArray(given) && given.length === 0) return;
    args[name] = given;
  };
  const department = (address = '') => {
    const code = /\b(\d{5})\b/.exec(address)?.[1];
    return code === undefined || code.startsWith('20') ? '75' : code.slice(0, /^9[78]/.test(code) ? 3 : 2);
  };
  maybe(0.25, 'department', () => many(() => department(row().workplace.location?.address)));
  maybe(0.1, 'epci', () => ['200054781', '243500139', '200046977']);
  maybe(0.1, 'region', () => many(() => pick(['11', '84', '93', '76', '32', '01', '94'])));
  maybe(0.15, 'rome', () => known<string>(many(() => row().offer?.rome_codes?.[0]?.slice(0, pick([1, 2, 3, 5])))));
  maybe(0.1, 'naf', () =>
    known<string>(many(() => row().workplace.domain?.naf?.code?.slice(0, pick([2, 5])))).filter((code) =>
      /^\d/.test(code),
    ),
  );
  maybe(0.1, 'opco', () => known<string>(many(() => row().workplace.domain?.opco)));
  maybe(0.15, 'text', () => {
    const words = String(pick([row().offer?.title, row().workplace.name, row().offer?.description])).split(
      /[^\p{L}\p{N}]+/u,
    );
    const some = words.filter((word) => word.length > 1);
    return some.length === 0 ? 'de' : `${pick(some)} ${pick(some).slice(0, 4)}`.toUpperCase();
  });
  if (random() < 0.3) {
    const [longitude, latitude] = row().workplace.location?.geopoint?.coordinates ?? [2.35, 48.85];
    args['near'] = { position: { latitude: latitude + random() / 5, longitude: longitude + random() / 5 } };
    maybe(0.7, 'radius', () => pick([1, 10, 50, 300]));
    if (args['radius'] !== 300) maybe(0.5, 'atLeast', () => pick([1, 5, 30, 1000]));
  }
  if (of === 'exportedOffers') {
    maybe(0.1, 'diploma', () => many(() => pick(['LEVEL_3', 'LEVEL_4', 'LEVEL_5', 'LEVEL_6', 'LEVEL_7'])));
    maybe(0.1, 'contractType', () => [pick(['APPRENTISSAGE', 'PROFESSIONNALISATION'])]);
    maybe(0.1, 'remote', () => many(() => pick(['ONSITE', 'REMOTE', 'HYBRID'])));
    maybe(0.1, 'partner', () => known<string>(many(() => row().identifier.partner_label)));
    maybe(0.1, 'partnerNot', () => known<string>(many(() => row().identifier.partner_label)));
    maybe(0.1, 'delegated', () => random() < 0.5);
    maybe(0.2, 'created', () => period());
    maybe(0.2, 'start', () => period());
    maybe(0.3, 'includeExpired', () => true);
  } else {
    maybe(0.2, 'size', () => known<string>(many(() => row().workplace.size)));
  }
  const ofOffers = of === 'exportedOffers' ? ['START', 'TITLE'] : [];
  if (random() >= 0.6) return { of, args, orderBy: null };
  const field = pick(['CREATION', ...ofOffers, 'WORKPLACE', ...(args['near'] ? ['DISTANCE'] : [])]);
  return { of, args, orderBy: { field, direction: pick(['ASC', 'DESC']) } };
}

/** Arguments as text in a query. */
function written(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, name)).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value).map(([key, one]) => `${key}: ${written(one, key)}`)} }`;
  const isEnum = ['diploma', 'contractType', 'remote', 'field', 'direction', 'by'].includes(name);
  return typeof value === 'string' && isEnum ? value : JSON.stringify(value);
}

const argumentsOf = (args: object) => Object.entries(args).map(([name, value]) => `${name}: ${written(value, name)}`);

describe('Questions to the export', () => {
  let stack: Stack;
  let rows: readonly Json[];

  beforeAll(async () => {
    stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.3 } });
    const link = await stack.send('{ jobOfferExport { url } }');
    rows = (await (await fetch(link.data.jobOfferExport.url)).json()) as Json[];
    expect(rows.length).toBeGreaterThan(1000);
    stack.forgetCalls();
  });
  afterAll(() => stack.close());

  test(`are answered as a plain scan answers them: ${QUESTIONS} generated ones, without a call`, async () => {
    const random = createChance(7).next;
    let nonEmpty = 0;
    for (let turn = 0; turn < QUESTIONS; turn++) {
      const asked = question(rows, random);
      const by = [KEYS[turn % 13] as string, ...(turn % 3 === 0 ? [KEYS[(turn + 5) % 13] as string] : [])];
      const size = [0, 5, 40][turn % 3] as number;
      const found = scan(rows, asked, AREAS, Date.now());
      const query = `{ list: ${asked.of}(${argumentsOf({ first: size, orderBy: asked.orderBy, where: asked.args })}) {
        totalCount radius pageInfo { hasNextPage } edges { distance node { id } }
        counts(${argumentsOf({ by, top: 7 })}) { total groups { key label count } groupCount others } } }`;
      const { data, errors } = await stack.send(query);
      expect(errors, query).toEqual([]);
      const { list } = data;
      expect(list.totalCount, query).toBe(found.length);
      if (asked.args['atLeast'] === undefined) expect(list.radius, query).toBe(radiusOf(asked, found));
      else expect(list.radius, query).toBeCloseTo(radiusOf(asked, found) ?? 0, 2);
      expect(list.pageInfo.hasNextPage, query).toBe(found.length > size);
      const ids = list.edges.map((edge: { node: { id: string } }) => edge.node.id);
      expect(ids, query).toEqual(found.slice(0, size).map(({ row }) => row.identifier.id));
      for (const [place, edge] of list.edges.entries()) {
        const km = found[place]?.km ?? null;
        if (km === null) expect(edge.distance).toBeNull();
        else expect(edge.distance, query).toBeCloseTo(km, 6);
      }
      const groups = countsBy(found, by, AREAS);
      const named = { label: expect.arrayContaining(by.map(() => expect.stringMatching(/./))) };
      expect(list.counts.groups, query).toEqual(groups.slice(0, 7).map(({ key, count }) => ({ key, count, ...named })));
      expect(list.counts, query).toMatchObject({
        total: found.length,
        groupCount: groups.length,
        others: groups.slice(7).reduce((sum, { count }) => sum + count, 0),
      });
      if (found.length > 0) nonEmpty++;
    }
    expect(nonEmpty).toBeGreaterThan(QUESTIONS / 3);
    expect(stack.calls()).toEqual([]);
  });

  test.each([
    ['CREATION', 'DESC'],
    ['START', 'ASC'],
    ['START', 'DESC'],
    ['TITLE', 'ASC'],
    ['WORKPLACE', 'DESC'],
  ])('have cursors that walk every row once, by %s %s', async (field, direction) => {
    const asked: Asked = { of: 'exportedOffers', args: { includeExpired: true }, orderBy: { field, direction } };
    const walked: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await stack.send(
        `query ($after: String) { exportedOffers(first: 97, after: $after, orderBy: { field: ${field}, direction: ${direction} }, where: { includeExpired: true }) {
          nodes { identifier { offerId } } pageInfo { hasNextPage endCursor } } }`,
        { variables: { after } },
      );
      const { nodes, pageInfo } = page.data.exportedOffers;
      walked.push(...nodes.map((node: { identifier: { offerId: string } }) => node.identifier.offerId));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(walked).toEqual(scan(rows, asked, AREAS, Date.now()).map(({ row }) => row.identifier.id));
  });
});
