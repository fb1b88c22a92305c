import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChance } from '../fuzz/chance.js';
import { runs } from '../runs.js';
import { plainMissions, the } from '../scenarios/samples.js';
import { SHAPES, type Stack, startStack } from '../scenarios/stack.js';
import { post } from './support/post.js';
import { wildOperation } from './support/wild-operation.js';

/** Names that GraphQL allows, and that mean something to JavaScript, to federation or to the response. */
const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'length', 'toJSON'],
  ...['representations', '_entities', '_service', '_any', '__typename', '__schema', 'data', 'errors', 'extensions'],
  ...['query', 'mutation', 'on', 'null', 'true', 'fragment', 'undefined', 'this', 'id', '_', '__', '_0'],
];
/** Those that are no names of fragments or values. */
const isFragmentName = (name: string) => name !== 'on';

describe.each(SHAPES)('Hostile but legal, %s', (shape) => {
  let stack: Stack;
  let mission: { readonly id: string; readonly title: string; readonly insee: string };
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 }, env: { MAX_CALLS_PER_REQUEST: '1000000' } });
    mission = the(plainMissions(stack.sandbox.world)[0]);
  });
  afterAll(() => stack.close());

  /** The same data, as text, to a request of any name that is not refused: at first, then known, then from memory. */
  async function expectData(
    body: { readonly query: string; readonly variables?: string; readonly operationName?: string },
    data: string,
  ) {
    const { query, variables = '{}', operationName = null } = body;
    const text = `{ "query": ${JSON.stringify(query)}, "variables": ${variables}, "operationName": ${JSON.stringify(operationName)} }`;
    for (const time of ['first', 'second', 'third']) {
      const response = await fetch(`${stack.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      const received = await response.text();
      // Not every engine can have this key in an object; it may be refused, but never be left out.
      const isRefused = response.status === 400 && received.includes('"GRAPHQL_VALIDATION_FAILED"');
      if (isRefused && text.includes('__proto__:')) expect(received).not.toContain('"data"');
      else expect(received.trim(), `${time} response to ${text}`).toBe(`{"data":${data}}`);
    }
  }

  test.each(NAMES)('is an alias, of the root, of a value and of a join: %s', async (name) => {
    const { id, title, insee } = mission;
    await expectData(
      { query: `{ ${name}: mission(id: "${id}") { title } }` },
      `{"${name}":${JSON.stringify({ title })}}`,
    );
    const [value, join] = [JSON.stringify(title), JSON.stringify({ code: { insee } })];
    await expectData(
      { query: `{ mission(id: "${id}") { ${name}: title commune { code { insee } } } }` },
      `{"mission":{"${name}":${value},"commune":${join}}}`,
    );
    await expectData(
      { query: `{ mission(id: "${id}") { title ${name}: commune { code { insee } } } }` },
      `{"mission":{"title":${value},"${name}":${join}}}`,
    );
    await expectData(
      { query: `{ mission(id: "${id}") { commune { ${name}: code { ${name}: insee } } } }` },
      `{"mission":{"commune":{"${name}":{"${name}":"${insee}"}}}}`,
    );
  });

  test.each(NAMES)('is a variable, of a flag and of an argument: $%s', async (name) => {
    const { id, title } = mission;
    const flag = {
      query: `query ($${name}: Boolean! = false) { mission(id: "${id}") { id title @include(if: $${name}) } }`,
    };
    const [with_, without] = [JSON.stringify({ id, title }), JSON.stringify({ id })];
    await expectData({ ...flag, variables: `{ "${name}": true }` }, `{"mission":${with_}}`);
    await expectData({ ...flag, variables: `{ "${name}": false }` }, `{"mission":${without}}`);
    await expectData(flag, `{"mission":${without}}`);
    await expectData(
      { query: `query ($${name}: ID!) { mission(id: $${name}) { id } }`, variables: `{ "${name}": "${id}" }` },
      `{"mission":${without}}`,
    );
    await expectData(
      { query: `query ($${name}: ID = "${id}") { mission(id: $${name}) { id } }`, variables: '{}' },
      `{"mission":${without}}`,
    );
  });

  test.each(NAMES)('is an operation and a fragment: %s', async (name) => {
    const data = JSON.stringify({ commune: { nom: 'Paris' } });
    const operation = { query: `query ${name} { commune(insee: "75056") { nom } } query Other { __typename }` };
    await expectData({ ...operation, operationName: name }, data);
    const fragment = `{ commune(insee: "75056") { ...${name} } } fragment ${name} on Commune { nom }`;
    if (isFragmentName(name)) await expectData({ query: fragment }, data);
  });

  test.each(NAMES)('is no operation where there is none of that name: %s', async (operationName) => {
    for (const query of ['{ __typename }', 'query A { __typename } query B { __typename }']) {
      const { status, data, errors } = await post(stack.url, { query, operationName });
      expect([status, data]).toEqual([400, undefined]);
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['OPERATION_RESOLUTION_FAILURE']);
    }
  });

  test.each([
    ['1e400', '{ missionSearch(first: 1, lat: 1e400, lon: 2) { totalCount } }'],
    ['-1e400', '{ missionSearch(first: 1, lat: 48, lon: -1e400) { totalCount } }'],
    ['1e400 below a join', '{ commune(insee: "75056") { nom missions(radius: 1e400, first: 1) { totalCount } } }'],
    [
      '1e400 as the default value of a variable',
      'query ($v: Float = 1e400) { missionSearch(first: 1, lat: $v, lon: 2) { totalCount } }',
    ],
  ])('is a number that is too large: %s, refused by a code', async (_what, query) => {
    const { status, errors } = await post(stack.url, { query });
    expect([200, 400]).toContain(status);
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors)
      expect(['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED']).toContain(extensions.code);
  });

  test('is a variable that is too large a number, refused by a code', async () => {
    const query = 'query ($v: Float) { missionSearch(first: 1, lat: $v, lon: 2) { totalCount } }';
    const headers = { 'content-type': 'application/json' };
    const body = `{ "query": ${JSON.stringify(query)}, "variables": { "v": 1e400 } }`;
    const response = await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/"code":"BAD_(?:USER_INPUT|REQUEST)"/);
  });

  test('is anything that a generated operation has as an argument, and never an internal error', async () => {
    const wrong: string[] = [];
    for (let seed = 0; seed < runs(300); seed += 1) {
      const operation = wildOperation(createChance(seed));
      const { status, errors } = await post(stack.url, operation);
      const codes = errors.map(({ extensions }) => extensions.code);
      if (status < 500 && !codes.includes('INTERNAL')) continue;
      wrong.push(
        `seed ${seed}: ${status} ${codes}\n${operation.query}\nvariables ${JSON.stringify(operation.variables)}`,
      );
    }
    expect(wrong.length, wrong.slice(0, 10).join('\n\n')).toBe(0);
  });
});
