import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { the } from './samples.js';
import { type Stack, type StackResponse, startStack, USUAL_SHAPE } from './stack.js';

/** The place of each error. Each must have the code of an unreadable value. */
function placesIn({ errors }: StackResponse): string[] {
  const codes = new Set(errors.map(({ extensions }) => extensions.code));
  expect(codes).toEqual(new Set(['UPSTREAM_INVALID_RESPONSE']));
  return errors.map(({ path }) => path?.join('.') ?? '').sort();
}

describe.each(USUAL_SHAPE)('A null in a list that has none, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterEach(() => {
    for (const service of stack.sandbox.running) service.clearFaults();
  });
  afterAll(() => stack.close());

  test('is an error in its own place at every depth of missions, and what stands beside it is kept', async () => {
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => {
        const { data } = body as { data: (Json | null)[] };
        const [first] = data;
        Object.assign(the(first ?? undefined), { tags: ['a', null, 'b'] });
        Object.assign(the(first ?? undefined), {
          addresses: [null, { city: 'Lyon', geoPoint: { type: 'Point', coordinates: [null, 45.7] } }],
        });
        data[1] = null;
        return body;
      },
    });
    const response = await stack.send(
      '{ missions(first: 3) { nodes { title tags addresses { city geoPoint { type coordinates } } } } }',
    );
    const [first, second, third] = response.data.missions.nodes;
    expect(first.tags).toEqual(['a', null, 'b']);
    expect(first.addresses).toEqual([null, { city: 'Lyon', geoPoint: { type: 'Point', coordinates: null } }]);
    expect(second).toBeNull();
    expect(third.title).not.toBeNull();
    expect(placesIn(response)).toEqual([
      'missions.nodes.0.addresses.0',
      'missions.nodes.0.addresses.1.geoPoint.coordinates.0',
      'missions.nodes.0.tags.1',
      'missions.nodes.1',
    ]);
  });

  test('is an error in its own place in the lists of work-study', async () => {
    stack.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/geographie/v1/commune/search',
      change: (body) => {
        const [commune] = body as Json[];
        Object.assign(the(commune), { anciennes: [null] });
        Object.assign(the(commune)['code'] as Json, { postaux: ['69001', null] });
        return [commune, null];
      },
    });
    const response = await stack.send('{ communes(code: "69123") { nom anciennes { nom } code { postaux } } }');
    expect(response.data.communes).toEqual([
      { nom: expect.any(String), anciennes: [null], code: { postaux: ['69001', null] } },
      null,
    ]);
    expect(placesIn(response)).toEqual(['communes.0.anciennes.0', 'communes.0.code.postaux.1', 'communes.1']);
  });

  test('is an error in its own place among the companies of a user', async () => {
    const { waste, keys } = stack.sandbox;
    waste.fault({
      kind: 'wrong-type',
      change: (body) => {
        const { data } = body as { data: { myCompanies: { edges: unknown[] } } };
        const company = { siret: null, name: 'Afval', companyTypes: ['PRODUCER', null] };
        data.myCompanies.edges = [null, { node: null }, { node: company }];
        return body;
      },
    });
    const response = await stack.send('{ viewer { companies { name types: companyTypes } } }', {
      headers: { authorization: `Bearer ${keys.waste.token}` },
    });
    expect(response.data.viewer.companies).toEqual([null, null, { name: 'Afval', types: ['PRODUCER', null] }]);
    expect(placesIn(response)).toEqual(['viewer.companies.0', 'viewer.companies.1', 'viewer.companies.2.types.1']);
  });
});
