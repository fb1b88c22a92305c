import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const REQUIRED = 'query($f: Boolean!) { missions(first: 1) @include(if: $f) { nodes { id } } }';
const NULLABLE =
  'query($f: Boolean = true) { missions(first: 1) { nodes { ...Of } } } fragment Of on Mission { id @skip(if: $f) title }';
const MISSING = 'Variable "$f" of required type "Boolean!" was not provided.';
const NULL = 'Variable "$f" must not be null: it is used as "Boolean!".';

describe.each(USUAL_SHAPE)('Variables of @include and @skip, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  interface SentRequest {
    readonly query: string;
    readonly variables?: object;
    readonly operationName?: string;
    readonly headers?: Record<string, string>;
  }

  const post = ({ headers, ...body }: SentRequest) =>
    fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const get = ({ query, variables, headers }: SentRequest, more: Record<string, string> = {}) => {
    const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }), ...more });
    return fetch(`${stack.url}/graphql?${search}`, { headers: { ...headers } });
  };

  const WAYS: readonly (readonly [string, (sent: SentRequest) => Promise<Response>])[] = [
    ['by POST', post],
    ['by GET', get],
    ['as rows', (sent) => get(sent, { format: 'csv' })],
    ['in a dry run', (sent) => post({ ...sent, headers: { ...sent.headers, 'x-passerelle-dry-run': '1' } })],
    ['with its calls', (sent) => post({ ...sent, headers: { ...sent.headers, 'x-passerelle-calls': '1' } })],
  ];

  async function refusal(response: Response) {
    const { errors } = (await response.json()) as {
      errors: { message: string; locations: unknown; extensions: { code: string } }[];
    };
    return [response.status, errors.map(({ message, extensions }) => `${extensions.code} ${message}`)];
  }

  async function dryRun(query: string) {
    const { trace, errors } = await stack.send(query, { headers: { 'x-passerelle-dry-run': '1' } });
    return { price: (trace as unknown as { price: unknown } | undefined)?.price, errors };
  }

  test.each(WAYS)('are told as missing or null like any other variable, %s', async (_way, ask) => {
    for (const variables of [undefined, {}]) {
      expect(await refusal(await ask({ query: REQUIRED, ...(variables && { variables }) }))).toEqual([
        400,
        [`BAD_USER_INPUT ${MISSING}`],
      ]);
    }
    expect(await refusal(await ask({ query: NULLABLE, variables: { f: null } }))).toEqual([
      400,
      [`BAD_USER_INPUT ${NULL}`],
    ]);
    const accept = { accept: 'application/json' };
    const legacy = await ask({ query: REQUIRED, headers: accept });
    const argument = 'query($f: ID!) { mission(id: $f) { id } }';
    expect(legacy.status).toBe((await ask({ query: argument, headers: accept })).status);
    expect(stack.calls()).toEqual([]);
  });

  test('are told as null also once the operation is answered from the cache', async () => {
    for (const f of [true, false, true, false, true, false]) {
      expect((await post({ query: NULLABLE, variables: { f } })).status).toBe(200);
    }
    stack.forgetCalls();
    for (const _time of [1, 2, 3]) {
      expect(await refusal(await post({ query: NULLABLE, variables: { f: null } }))).toEqual([
        400,
        [`BAD_USER_INPUT ${NULL}`],
      ]);
    }
    expect(await refusal(await post({ query: REQUIRED }))).toEqual([400, [`BAD_USER_INPUT ${MISSING}`]]);
    expect(stack.calls()).toEqual([]);
  });

  test('may be null in an operation that has them in an argument alone, whatever another one does with its own', async () => {
    const query = `query Other($f: Boolean = true) { missions(first: 1) @include(if: $f) { nodes { id } } }
      query Argument($f: Boolean = true) { missions(first: 1, openToMinors: $f) { nodes { id } } }`;
    for (const _time of [1, 2, 3]) {
      const response = await post({ query, variables: { f: null }, operationName: 'Argument' });
      const { data } = (await response.json()) as { data: { missions: { nodes: unknown[] } } };
      expect([response.status, data.missions.nodes.length]).toEqual([200, 1]);
    }
  });

  test.each(['toString', 'constructor', 'hasOwnProperty', '__proto__'])(
    'have their default value, whatever they are called: $%s',
    async (name) => {
      const query = `query($${name}: Boolean = true) { commune(insee: "75056") { nom @include(if: $${name}) id } }`;
      for (const _time of [1, 2, 3, 4]) {
        const { data, errors } = await stack.send(query, { headers: { 'x-passerelle-trace': 'none' } });
        expect([Object.keys(data.commune), data.commune.nom, errors]).toEqual([['nom', 'id'], 'Paris', []]);
      }
    },
  );

  test.each(['toString', '__proto__'])('are not the size of a page either, where none is sent: $%s', async (name) => {
    const query = `query($${name}: Int) { missions(first: 10) { nodes { commune { missions(first: $${name}) { nodes { id } } } } } }`;
    const { price, errors } = await dryRun(query);
    expect(errors).toEqual([]);
    expect(price).toEqual((await dryRun(query.replaceAll(name, 'size'))).price);
  });
});
