import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChance } from '../chance.js';
import { runs } from '../runs.js';
import { plainMissions, the } from '../scenarios/samples.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { post } from './support/post.js';
import { wildOperation } from './support/wild-operation.js';

/** Names that GraphQL allows, and that mean something to JavaScript, to federation or to the response. */
const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'length', 'toJSON'],
  ...['representations', '_entities', '_service', '_any', '__typename', '__schema', 'data', 'errors', 'extensions'],
  ...['query', 'mutation', 'on', 'null', 'true', 'fragment', 'undefined', 'this', 'id', '_', '__', '_0'],
];
/** One operation has all of them; that which may be refused is asked for alone. */
const TOGETHER = [['__proto__'], NAMES.filter((name) => name !== '__proto__')];
/** Those that are no names of fragments or values. */
const isFragmentName = (name: string) => name !== 'on';

describe.each(USUAL_SHAPE)('Hostile but legal, %s', (shape) => {
  let stack: Stack;
  let mission: { readonly id: string; readonly title: string; readonly insee: string };
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 }, env: { MAX_CALLS_PER_REQUEST: '1000000' } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
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

  test.each(TOGETHER)('is an alias, of the root, of a value and of a join: %s', async (...names) => {
    const { id, title, insee } = mission;
    const each = (field: string) => names.map((name) => `${name}: ${field}`).join(' ');
    const json = (value: unknown) => names.map((name) => `"${name}":${JSON.stringify(value)}`).join();
    const join = { code: { insee } };
    await expectData({ query: `{ ${each(`mission(id: "${id}") { title }`)} }` }, `{${json({ title })}}`);
    await expectData(
      { query: `{ mission(id: "${id}") { ${each('title')} commune { code { insee } } } }` },
      `{"mission":{${json(title)},"commune":${JSON.stringify(join)}}}`,
    );
    await expectData(
      { query: `{ mission(id: "${id}") { title ${each('commune { code { insee } }')} } }` },
      `{"mission":{"title":${JSON.stringify(title)},${json(join)}}}`,
    );
    const nested = names.map((name) => `${name}: code { ${name}: insee }`).join(' ');
    const codes = names.map((name) => `"${name}":{"${name}":"${insee}"}`).join();
    await expectData(
      { query: `{ mission(id: "${id}") { commune { ${nested} } } }` },
      `{"mission":{"commune":{${codes}}}}`,
    );
  });

  test.each(TOGETHER)('is a variable, of a flag and of an argument: %s', async (...names) => {
    const { id, title } = mission;
    const defined = (type: string) => names.map((name) => `$${name}: ${type}`).join(' ');
    const sent = (value: unknown) => `{ ${names.map((name) => `"${name}": ${JSON.stringify(value)}`).join(', ')} }`;
    const titles = names.map((name, at) => `t${at}: title @include(if: $${name})`).join(' ');
    const flags = { query: `query (${defined('Boolean! = false')}) { mission(id: "${id}") { id ${titles} } }` };
    const without = `{"mission":{"id":"${id}"}}`;
    const shown = names.map((_, at) => `"t${at}":${JSON.stringify(title)}`).join();
    await expectData({ ...flags, variables: sent(true) }, `{"mission":{"id":"${id}",${shown}}}`);
    await expectData({ ...flags, variables: sent(false) }, without);
    await expectData(flags, without);
    const missions = names.map((name, at) => `m${at}: mission(id: $${name}) { id }`).join(' ');
    const all = `{${names.map((_, at) => `"m${at}":{"id":"${id}"}`).join()}}`;
    await expectData({ query: `query (${defined('ID!')}) { ${missions} }`, variables: sent(id) }, all);
    await expectData({ query: `query (${defined(`ID = "${id}"`)}) { ${missions} }` }, all);
  });

  test.each(NAMES)('is an operation: %s', async (name) => {
    const query = `query ${name} { commune(insee: "75056") { nom } } query Other { __typename }`;
    await expectData({ query, operationName: name }, JSON.stringify({ commune: { nom: 'Paris' } }));
  });

  test('is a fragment', async () => {
    const names = NAMES.filter(isFragmentName);
    const spreads = names.map((name, at) => `c${at}: commune(insee: "75056") { ...${name} }`).join(' ');
    const fragments = names.map((name) => `fragment ${name} on Commune { nom }`).join(' ');
    const communes = names.map((_, at) => [`c${at}`, { nom: 'Paris' }]);
    await expectData({ query: `{ ${spreads} } ${fragments}` }, JSON.stringify(Object.fromEntries(communes)));
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
    for (let seed = 0; seed < runs(50); seed += 1) {
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
