import { createHash } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseSafelist } from '../../gateway/limits/safelist.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { type OpenedGateway, openGateway, post } from './support/open-gateway.js';

const resolvers = {
  volunteering: { Query: { echo: (_: unknown, { text }: { text: string }) => text, mission: () => null } },
};

describe('limits', () => {
  let gateway: OpenedGateway;
  beforeAll(async () => {
    gateway = await openGateway({ resolvers });
  });
  afterAll(() => gateway.close());

  const nested = (levels: number) => `{ mission(id: "1") ${'{ related '.repeat(levels)}{ id }${' }'.repeat(levels)} }`;
  const wide = (fields: number) =>
    `{ ${Array.from({ length: fields }, (_, index) => `f${index}: echo(text: "a")`).join(' ')} }`;

  async function messageOf(query: string): Promise<string | undefined> {
    const { status, errors } = await gateway.send(query);
    expect(status).toBe(errors === undefined ? 200 : 400);
    return errors?.[0]?.message;
  }

  it('let a query of fifteen levels pass and refuse sixteen', async () => {
    expect(await messageOf(nested(13))).toBeUndefined();
    expect(await messageOf(nested(14))).toContain('16 levels deep; at most 15');
  });

  it('refuse what nests deeper than any parser goes, in clear words: documents and variables', async () => {
    const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    for (const query of [`{ echo(text: ${lists(3000)}) }`, nested(3000), `query ($a: ${lists(3000)}) { echo }`]) {
      const { status, errors } = await gateway.send(query);
      expect([status, errors?.[0]?.extensions?.['code']]).toEqual([400, 'GRAPHQL_PARSE_FAILED']);
      expect(errors?.[0]?.message).toBe('The document is nested more than 200 deep.');
    }
    const body = `{"query":"query ($a: String) { echo(text: $a) }","variables":{"a":${lists(100_000)}}}`;
    const { status, errors } = await post(`${gateway.url}/graphql`, body);
    expect([status, errors?.[0]?.message]).toEqual([400, 'The body is nested more than 200 deep.']);
  });

  it('let a hundred operations and fragments pass and refuse one more before anything is parsed', async () => {
    const operations = (count: number) => Array.from({ length: count }, (_, at) => `query O${at} { ...F }`).join(' ');
    const send = (count: number) =>
      gateway.send(`${operations(count)} fragment F on Query { __typename }`, { operationName: 'O7' });
    expect((await send(99)).data).toEqual({ __typename: 'Query' });
    const { status, errors } = await send(3_000);
    expect([status, errors]).toMatchObject([
      400,
      [
        {
          message: 'The document has 3001 operations and fragments; at most 100 are allowed.',
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        },
      ],
    ]);
  });

  it('let ten thousand tokens pass and refuse more', async () => {
    const tokens = (count: number) => `query ($a: [Int] = [${'1 '.repeat(count - 15)}]) { __typename }`;
    expect(await messageOf(tokens(10_000))).toBe('Variable "$a" is never used.');
    expect(await messageOf(tokens(10_001))).toContain('10000 tokens');
  });

  it('list at most a hundred of a pile of unknown directives', async () => {
    const pile = Array.from({ length: 3_000 }, (_, at) => `@no${at}`).join(' ');
    for (const query of [`{ __typename ${pile} }`, `query ${pile} { __typename }`]) {
      const { status, errors } = await gateway.send(query);
      expect([status, errors?.length]).toEqual([400, 101]);
      expect(errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
    }
  });

  it('let values of eight lists in each other pass and refuse nine, as defaults too', async () => {
    const value = (levels: number) => `${'['.repeat(levels)}"a"${']'.repeat(levels)}`;
    const isTooDeep = async (query: string) =>
      (await gateway.send(query)).errors?.some(({ message }) => message.includes('more than 8 lists and objects deep'));
    for (const document of [
      (of: string) => `{ echo(text: ${of}) }`,
      (of: string) => `query ($a: String = ${of}) { echo(text: $a) }`,
    ]) {
      expect(await isTooDeep(document(value(8)))).toBe(false);
      expect(await isTooDeep(document(value(9)))).toBe(true);
      expect(await isTooDeep(document(`{ a: [${value(7)}, ${value(7)}] }`))).toBe(true);
      expect(await isTooDeep(document(`[${`${value(7)} `.repeat(9)}]`))).toBe(false);
    }
  });

  it('let thirty root fields pass and refuse thirty-one, in fragments too', async () => {
    expect(await messageOf(wide(30))).toBeUndefined();
    expect(await messageOf(wide(31))).toContain('31 root fields');
    expect(await messageOf(`{ ...A b: echo } fragment A on Query ${wide(30)}`)).toContain('31 root fields');
  });

  it('let no field be called what no plain object can have as a key', async () => {
    expect(await messageOf('{ __proto__: echo(text: "a") }')).toBe('An alias cannot be __proto__.');
  });

  it('take a field that is written many times for one field, with or without an alias', async () => {
    const often = (text: string) => Array.from({ length: 101 }, () => text).join(' ');
    expect(await messageOf(`{ ${often('e: echo(text: "a")')} }`)).toBeUndefined();
    expect(
      await messageOf(
        `{ mission(id: "1") { ${often('...F')} ${often('t: title')} } } fragment F on Mission { t: title }`,
      ),
    ).toBeUndefined();
    const many = Array.from({ length: 101 }, (_, index) => `t${index}: title`).join(' ');
    expect(await messageOf(`{ mission(id: "1") { ${often('... on Mission { t: title }')} ${many} } }`)).toContain(
      '102 aliases',
    );
  });

  it('say so when equal fields are too many to be compared', async () => {
    const equal = Array.from({ length: 1_900 }, () => '... { title }').join(' ');
    expect(await messageOf(`{ mission(id: "1") { ${equal} } }`)).toBe(
      'Too many fields with the same response key: write each of them once.',
    );
  });

  it('count the items of a page that is written twice once', async () => {
    const page = (first: number) => `near(first: ${first}) { nodes { id } }`;
    expect(
      await messageOf(`{ mission(id: "1") { ${page(2_000)} ${`a: ${page(8_000)} `.repeat(4)} } }`),
    ).toBeUndefined();
    expect(await messageOf(`{ mission(id: "1") { ${`${page(10_000)} `.repeat(6)} } }`)).toBeUndefined();
  });

  it('give up measuring what fragments multiply', async () => {
    const fragments = Array.from(
      { length: 11 },
      (_, index) => `fragment F${index} on Mission { related { ...F${index + 1} } r: related { ...F${index + 1} } }`,
    );
    const { errors } = await gateway.send(
      `{ mission(id: "1") { ...F0 } } ${fragments.join(' ')} fragment F11 on Mission { id }`,
    );
    expect(errors?.map(({ message }) => message).join()).toContain('at least 5001 fields long');
  });

  it('count a fragment as often as it is spread, without writing it out', async () => {
    const fragments = Array.from(
      { length: 20 },
      (_, index) => `fragment F${index} on Mission { ...F${index + 1} related { ...F${index + 1} } }`,
    );
    expect(
      await messageOf(`{ mission(id: "1") { ...F0 } } ${fragments.join(' ')} fragment F20 on Mission { id }`),
    ).toContain('at least 20001 selections long');
  });

  it('are those of all operations of a document together, whichever runs', async () => {
    const fields = Array.from({ length: 30 }, (_, index) => `a${index}: related { ...M }`).join(' ');
    const operations = (count: number) =>
      Array.from({ length: count }, (_, index) => `query Q${index} { mission(id: "1") { ${fields} } }`).join(' ');
    const leaves = 'id '.repeat(60);
    const refused = `${operations(11)} fragment M on Mission { ${leaves} }`;
    expect((await gateway.send(refused, { operationName: 'Q0' })).errors?.map(({ message }) => message)).toEqual([
      'The operations of this document are together at least 20001 selections long; at most 20000 are allowed.',
    ]);
    const { errors } = await gateway.send(`${operations(10)} fragment M on Mission { ${leaves} }`, {
      operationName: 'Q0',
    });
    expect(errors).toBeUndefined();
  });

  it('do not stumble over a fragment that spreads itself', async () => {
    expect(await messageOf('{ mission(id: "1") { ...F } } fragment F on Mission { related { ...F } }')).toContain(
      'Cannot spread fragment "F" within itself',
    );
  });

  it('let pages within pages pass while their items stay countable, and refuse them before a call when not', async () => {
    const near = (levels: number, first = '') =>
      `${`{ near${first} { nodes `.repeat(levels)}{ id }${' } }'.repeat(levels)}`;
    expect(await messageOf(`{ mission(id: "1") ${near(2)} }`)).toBeUndefined();
    const refusal = 'requests up to 406900 items';
    expect(await messageOf(`{ mission(id: "1") ${near(4)} }`)).toContain(refusal);
    expect(await messageOf(`{ mission(id: "1") { ...A } } fragment A on Mission ${near(4)}`)).toContain(refusal);
    const written = [`mission(id: "1") ${near(4)}`, 'mission(id: "1") { id }'];
    for (const twice of [written, written.toReversed()])
      expect(await messageOf(`{ ${twice.join(' ')} }`)).toContain(refusal);
    expect(await messageOf(`{ mission(id: "1") ${near(4, '(first: 2)')} }`)).toBeUndefined();
    const byVariable = `query ($n: Int = 300) { mission(id: "1") ${near(2, '(first: $n)')} }`;
    expect(await messageOf(byVariable)).toContain('90300 items');
    const { status, errors } = await gateway.send(byVariable, { variables: { n: 99 } });
    expect([status, errors]).toEqual([200, undefined]);
  });

  it('let the introspection of every tool pass', async () => {
    expect(await messageOf(getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }))).toBeUndefined();
  });
});

describe('introspection', () => {
  it('is refused when it is off, and so are hints of what the schema holds', async () => {
    const gateway = await openGateway({ resolvers, gateway: { introspection: false } });
    const introspected = await gateway.send('{ __schema { queryType { name } } }');
    const guessed = await gateway.send('{ ech }');
    await gateway.close();
    expect(introspected.status).toBe(400);
    expect(guessed.errors?.[0]?.message).not.toContain('echo');
  });
});

describe('the safelist', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const allowed = '{ echo(text: "allowed") }';
  const operations = parseSafelist(JSON.stringify({ operations: { [sha256(allowed)]: allowed } }));
  const byHash = { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(allowed) } } };

  let gateway: OpenedGateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  it('lets only its operations pass, by text or by hash', async () => {
    gateway = await openGateway({ resolvers, gateway: { safelist: { operations, hash: '', mode: 'enforce' } } });
    const graphql = `${gateway.url}/graphql`;
    expect((await gateway.send(allowed)).data).toEqual({ echo: 'allowed' });
    expect((await post(graphql, byHash)).data).toEqual({ echo: 'allowed' });
    for (const refused of ['{ echo(text: "other") }', `${allowed} `, '{ __typename }']) {
      const { status, data, errors } = await gateway.send(refused);
      expect([status, data, errors?.[0]?.extensions['code']]).toEqual([403, undefined, 'PERMISSION_DENIED']);
    }
  });

  it.each([
    ['by the name that is sent', 'query A { __typename } query B { __typename }', 'B', 'B'],
    ['by the name with which the text begins', ' # of the map\nquery Map($a: Int) { __typename }', undefined, 'Map'],
    ['of so many letters', `query ${'M'.repeat(500)} { __typename }`, undefined, 'M'.repeat(100)],
    ['without a name', '{ echo(text: "query Map") }', undefined, undefined],
    ['of comments', `${'#'.repeat(100_000)}`, undefined, undefined],
  ])('names what it refuses or only logs, %s, in the response and the log', async (_how, query, sent, operation) => {
    const named = { ...(operation !== undefined && { operation }), operationHash: sha256(query) };
    gateway = await openGateway({ resolvers, gateway: { safelist: { operations, hash: '', mode: 'enforce' } } });
    const more = { headers: { 'x-request-id': 'of-this-request' }, ...(sent !== undefined && { operationName: sent }) };
    const { errors } = await gateway.send(query, more);
    const extensions = { code: 'PERMISSION_DENIED', requestId: 'of-this-request', ...named };
    expect(errors?.map((error) => error.extensions)).toEqual([extensions]);
    const refused = gateway.log.filter(({ message }) => message === 'request refused');
    expect(refused.map(({ fields }) => fields)).toMatchObject([{ requestId: 'of-this-request', ...named }]);
    await gateway.close();
    gateway = await openGateway({ resolvers, gateway: { safelist: { operations, hash: '', mode: 'log' } } });
    await gateway.send(query, more);
    const logged = gateway.log.filter(({ message }) => message.includes('safelist'));
    expect(logged.map(({ fields }) => JSON.parse(JSON.stringify(fields)))).toEqual([
      { requestId: 'of-this-request', ...named },
    ]);
  });

  it('names a hash that nobody knows', async () => {
    gateway = await openGateway({ resolvers, gateway: { safelist: { operations, hash: '', mode: 'enforce' } } });
    const unknown = { extensions: { persistedQuery: { version: 1, sha256Hash: sha256('unknown') } } };
    const { errors } = await post(`${gateway.url}/graphql`, { ...unknown, operationName: 'Map' });
    expect(errors?.[0]?.extensions).toMatchObject({ operation: 'Map', operationHash: sha256('unknown') });
  });

  it('runs the others too where it only logs, and says so', async () => {
    gateway = await openGateway({ resolvers, gateway: { safelist: { operations, hash: '', mode: 'log' } } });
    expect((await gateway.send('{ echo(text: "other") }')).data).toEqual({ echo: 'other' });
    expect(gateway.log.filter(({ message }) => message.includes('safelist'))).toHaveLength(1);
    expect((await gateway.send(allowed)).data).toEqual({ echo: 'allowed' });
    expect(gateway.log.filter(({ message }) => message.includes('safelist'))).toHaveLength(1);
  });

  it('is read from each form of a manifest, and every mistake in one is told', () => {
    const list = { format: 'apollo-persisted-query-manifest', operations: [{ id: sha256(allowed), body: allowed }] };
    expect(parseSafelist(JSON.stringify(list))).toEqual(operations);
    expect(parseSafelist(JSON.stringify({ [`sha256:${sha256(allowed)}`]: allowed }))).toEqual(operations);
    expect(parseSafelist(`\uFEFF${JSON.stringify(list)}`)).toEqual(operations);
    expect(() => parseSafelist('{"name":"shop"}')).toThrow('no manifest of operations: its keys are no SHA-256');
    expect(() => parseSafelist(JSON.stringify({ ['c'.repeat(32)]: allowed }))).toThrow('"algorithm": "SHA256"');
    expect(() => parseSafelist(JSON.stringify({ operations: { [sha256('x')]: allowed } }))).toThrow('another hash');
    expect(() => parseSafelist(JSON.stringify({ operations: [{ id: 'x' }] }))).toThrow('lacks id or body');
  });
});

describe('the trace', () => {
  const call = {
    service: 'volunteering',
    method: 'GET',
    path: '/v0/mission/{id}',
    ...{ status: 200, startMs: 1.23456, ms: 2, bytes: 10, cache: 'MISS', entities: 1, retries: 0, sent: 1 },
    planNode: '',
  } as const;

  it('shows at most five hundred calls and counts them all', async () => {
    const gateway = await openGateway({
      resolvers: {
        volunteering: {
          Query: {
            echo: (
              _: unknown,
              __: unknown,
              { operation }: { operation: { recorder: { record(row: object): void } } },
            ) => {
              for (let index = 0; index < 503; index += 1) operation.recorder.record(call);
            },
          },
        },
      },
    });
    const { extensions } = await gateway.send('{ echo }', { headers: { 'x-passerelle-trace': '1' } });
    await gateway.close();
    expect(extensions?.passerelle?.calls).toHaveLength(500);
    expect(extensions?.passerelle?.callsOmitted).toBe(3);
    expect(extensions?.passerelle?.totals.callsMade).toBe(503);
  });

  it.each([
    ['on', '1', true],
    ['on', '0', false],
    ['off', '1', false],
    [new Secret('sixteen characters'), '1', false],
    [new Secret('sixteen characters'), 'sixteen characters', true],
    [new Secret('sixteen characters'), 'sixteen character', false],
  ] as const)('under the policy %s is given for %s: %s', async (trace, header, given) => {
    const gateway = await openGateway({ resolvers, gateway: { trace } });
    const { extensions } = await gateway.send('{ echo }', { headers: { 'x-passerelle-trace': header } });
    await gateway.close();
    expect(extensions?.passerelle !== undefined).toBe(given);
  });
});
