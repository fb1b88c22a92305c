import { describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { mission, organization, PUBLISHERS, world } from '../sandbox/volunteering/small-world.js';
import { selectionOf } from './support/documented.js';
import { type RulesStack, stackOfRules } from './support/stack-of-rules.js';

/** Organizations, keys and refusals of the volunteering service: volunteering 12.2.2, 12.4.4, 12.5 and 12.7. */

const SIRET = '13002526500013';
const choirs = Array.from({ length: 30 }, (_, number) =>
  organization(`${number}`.padStart(24, '0'), {
    title: `CHORALE ${number}`,
    updatedAt: `2020-01-01T00:00:${number + 10}.000Z`,
  }),
);
const full = organization('f'.repeat(24), {
  title: 'FANFARE DES HALLES',
  rna: 'W751234567',
  siret: SIRET,
  rupMi: '75-1',
  nature: 'R',
});

const sandbox = {
  world: world({
    organizations: [...choirs, full],
    missions: [mission('m1'), mission('m2', { publisherId: PUBLISHERS[1].id })],
  }),
};
const seed = stackOfRules({ sandbox: { ...sandbox, era: 'seed' } });
const today = stackOfRules({ sandbox });
const ERAS: readonly (readonly [string, RulesStack])[] = [
  ['seed', seed],
  ['today', today],
];

/** Titles of the organizations in a list with these arguments. */
async function titles(args: string, stack: RulesStack): Promise<string[]> {
  const { organizations } = await stack.read(`{ organizations(${args}) { nodes { title } } }`);
  return organizations.nodes.map(({ title }: { title: string }) => title);
}

describe('organizations', () => {
  test('VO-16 every field is a text, but for names, the version and the dates', async () => {
    const { organizations } = await seed.read(
      `{ organizations(siret: "${SIRET}") { nodes { ${selectionOf('Organization')} } } }`,
    );
    const [{ names, version, ...rest }] = organizations.nodes;
    expect(names).toEqual(['FANFARE DES HALLES']);
    expect(version).toBe(0);
    for (const [name, value] of Object.entries(rest)) {
      if (value !== null || !name.endsWith('At')) expect(value, name).toEqual(expect.any(String));
    }
    expect(rest).toMatchObject({
      rupMi: '75-1',
      nature: 'R',
      rna: 'W751234567',
      createdAt: '2004-02-19T00:00:00.000Z',
    });
  });

  test.each(ERAS)('VO-49 q is looked for in title, RNA and SIRET: %s', async (_era, stack) => {
    for (const q of ['Fanfare', 'W751234567', SIRET])
      expect(await titles(`q: "${q}"`, stack), q).toEqual(['FANFARE DES HALLES']);
    expect(await titles('q: "chant"', stack), 'the object is not searched').toEqual([]);
  });

  test.each(ERAS)(
    'VO-50, VO-51 twenty-five come without a limit, and page two begins after them: %s',
    async (_era, stack) => {
      const read = async (after: string | null) =>
        (
          await stack.read(
            'query ($after: String) { organizations(q: "CHORALE", after: $after) { totalCount nodes { id } pageInfo { endCursor hasNextPage } } }',
            {
              variables: { after },
            },
          )
        ).organizations;
      const first = await read(null);
      const second = await read(first.pageInfo.endCursor);
      expect([first.nodes.length, first.pageInfo.hasNextPage]).toEqual([25, true]);
      expect([second.nodes.length, second.pageInfo.hasNextPage]).toEqual([5, false]);
      expect(new Set([...first.nodes, ...second.nodes].map(({ id }) => id)).size).toBe(30);
      expect(
        new URL(stack.sandbox.volunteering.calls.at(-1)?.url ?? '', 'http://service').searchParams.get('skip'),
      ).toBe('25');
      const { volunteering, keys } = stack.sandbox;
      const raw = await fetch(`${volunteering.url}/v0/organization?q=CHORALE`, {
        headers: { 'x-api-key': keys.volunteering.operator },
      });
      expect(((await raw.json()) as { data: Json[] }).data).toHaveLength(25);
    },
  );

  test.each(ERAS)('VO-52 RNA and SIRET match as a whole: %s', async (_era, stack) => {
    expect(await titles('rna: "W751234567"', stack)).toEqual(['FANFARE DES HALLES']);
    expect(await titles(`siret: "${SIRET}"`, stack)).toEqual(['FANFARE DES HALLES']);
    const { volunteering, keys } = stack.sandbox;
    for (const query of ['rna=W75123456', `siret=${SIRET.slice(0, 9)}`]) {
      const raw = await fetch(`${volunteering.url}/v0/organization?${query}`, {
        headers: { 'x-api-key': keys.volunteering.operator },
      });
      expect(((await raw.json()) as { data: Json[] }).data, query).toEqual([]);
    }
    // Unlike the service, the graph refuses part of a code, before any call.
    stack.stack.forgetCalls();
    expect(await stack.refusals(`{ organizations(siret: "${SIRET.slice(0, 9)}") { totalCount } }`)).toEqual([
      'BAD_USER_INPUT organizations',
    ]);
    expect(stack.stack.calls()).toEqual([]);
  });

  test('VO-50, VO-53 the envelope has a total, and neither limit nor skip; today it has no total', async () => {
    const envelope = async ({ sandbox: { volunteering, keys } }: RulesStack) => {
      const raw = await fetch(`${volunteering.url}/v0/organization?q=CHORALE`, {
        headers: { 'x-api-key': keys.volunteering.bob },
      });
      return Object.keys((await raw.json()) as object).sort();
    };
    expect(await envelope(seed)).toEqual(['data', 'ok', 'total']);
    expect(await envelope(today)).toEqual(['data', 'ok']);
    const total = async (stack: RulesStack) =>
      (await stack.read('{ organizations(q: "CHORALE", first: 3) { totalCount nodes { title } } }')).organizations;
    expect(await total(seed)).toMatchObject({ totalCount: 30, nodes: { length: 3 } });
    expect(await total(today)).toMatchObject({ totalCount: null, nodes: { length: 3 } });
  });
});

describe('keys', () => {
  const EVERYTHING =
    '{ missions(city: "Paris") { totalCount } missionSearch(text: "a") { totalCount } mission(id: "m1") { id } organizations(q: "HALLES") { nodes { id } } departements { nom } }';

  test('VO-54 every call carries the key, and no other service gets it', async () => {
    await seed.read(EVERYTHING);
    const { volunteering, workStudy } = seed.sandbox;
    expect(volunteering.calls).toHaveLength(4);
    for (const call of volunteering.calls) {
      expect(call.key).toBe('operator');
      expect([...call.credentialHeaders].sort()).toEqual(['apikey', 'x-api-key']);
    }
    expect(workStudy.calls.map(({ credentialHeaders }) => credentialHeaders)).toEqual([['authorization']]);
  });

  test.each(['apikey', 'x-api-key'] as const)(
    'VO-56 a service that takes %s alone is served: both headers carry the key',
    async (header) => {
      const { volunteering } = seed.sandbox;
      const before = volunteering.keyHeaders;
      volunteering.keyHeaders = [header];
      const text = JSON.stringify(`only ${header}`);
      await seed.read(
        `{ missions(clientId: ${text}) { totalCount } missionSearch(text: ${text}) { totalCount } organizations(q: ${text}) { totalCount } }`,
      );
      volunteering.keyHeaders = before;
      expect(volunteering.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    },
  );

  test.each(ERAS)(
    'VO-57 a refused key is an error of the fields of this service alone, asked once, and not shown: %s',
    async (era, stack) => {
      const key = `a-key-that-nobody-has-${era}`;
      const { data, errors } = await stack.send('{ mission(id: "m2") { id } departements { codeInsee } }', {
        headers: { 'x-volunteering-key': key },
      });
      expect(errors.map(({ extensions, path }) => [extensions.code, extensions.service, path])).toEqual([
        ['CREDENTIALS_REJECTED', 'volunteering', ['mission']],
      ]);
      expect(data).toEqual({ mission: null, departements: [{ codeInsee: '75' }] });
      expect(stack.sandbox.volunteering.calls.map(({ status }) => status)).toEqual([401]);
      expect(JSON.stringify(errors) + stack.stack.log.text()).not.toContain(key);
      const raw = await fetch(`${stack.sandbox.volunteering.url}/v0/mission`, { headers: { apikey: key } });
      const said = await raw.text();
      if (era === 'seed')
        expect(JSON.parse(said)).toEqual({ ok: false, code: 'UNAUTHORIZED', message: 'Unauthorized' });
      else expect(said).toBe('Unauthorized');
    },
  );

  test.each(ERAS)('VO-59 the key is in no response, page, cookie, log, error or trace: %s', async (_era, stack) => {
    const { alice, operator } = stack.sandbox.keys.volunteering;
    const seen: string[] = [];
    stack.sandbox.volunteering.fault({ kind: 'status', status: 500, path: '/v0/mission/search' });
    for (const headers of [{}, { 'x-volunteering-key': alice }]) {
      const response = await stack.send(EVERYTHING, { headers });
      seen.push(JSON.stringify([response.data, response.errors, response.trace, [...response.headers]]));
    }
    for (const path of ['/', '/graphiql', '/readyz', '/healthz', '/auth/session']) {
      const page = await fetch(`${stack.stack.url}${path}`);
      seen.push(await page.text(), JSON.stringify([...page.headers]));
    }
    seen.push(stack.stack.log.text());
    expect(seen.join().length).toBeGreaterThan(1000);
    for (const key of [alice, operator]) expect(seen.join()).not.toContain(key);
  });
});
