import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SHAPES, type Shape, type Stack, startStack } from '../scenarios/stack.js';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';

const MISSIONS = 'query Missions { missions(first: 2) { nodes { id commune { nom } } } }';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
/** The library takes a span's start from a clock of milliseconds, and its end from its duration. */
const MILLISECOND_NS = 1_000_000n;
/** What traces hold in either shape is tested apart, where they cross more processes. */
const isAgain = (shape: Shape) => shape === 'in process';

let receiver: OtlpReceiver;
let stack: Stack;

async function start(shape: Shape): Promise<void> {
  receiver = await openOtlpReceiver();
  stack = await startStack({ shape, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
}

async function post(headers: Record<string, string> = {}, query = MISSIONS): Promise<void> {
  const response = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, operationName: 'Missions' }),
  });
  expect((await response.json()) as object).not.toHaveProperty('errors');
}

describe.each(SHAPES)('Traces, %s', (shape) => {
  beforeEach(() => start(shape));
  afterEach(() => receiver.close());

  /** Ends the processes, so that they send what is left; returns all spans. */
  async function spans(): Promise<readonly ReceivedSpan[]> {
    await stack.close();
    return receiver.spans;
  }

  it.skipIf(isAgain(shape))(
    'hold request, fields or fetches, and calls of one trace, across processes and into the services',
    async () => {
      await post({ traceparent: TRACEPARENT });
      const seen = stack.sandbox.volunteering.calls.map(({ traceparent, tracestate }) => [traceparent, tracestate]);
      const received = await spans();
      const ofTrace = received.filter(({ traceId }) => traceId === TRACE_ID);
      const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
      const parentOf = ({ parentSpanId }: ReceivedSpan) => byId.get(parentSpanId ?? '')?.name;
      const named = (name: string) => ofTrace.filter((span) => span.name === name);

      const [request] = named('request');
      expect(request).toMatchObject({
        service: 'passerelle',
        parentSpanId: 'b7ad6b7169203331',
        attributes: {
          'graphql.operation.name': 'Missions',
          'graphql.operation.type': 'query',
          'graphql.document.hash': `sha256:${createHash('sha256').update(MISSIONS).digest('hex')}`,
          'http.response.status_code': 200,
        },
      });
      const isLocal = shape === 'in process';
      for (const service of ['volunteering', 'work-study']) {
        const name = `${isLocal ? 'field' : 'fetch'} ${service}`;
        expect(named(name).map(parentOf)).toEqual(['request']);
        const calls = named(`call ${service}`);
        expect(new Set(calls.map(parentOf))).toEqual(new Set([isLocal ? name : 'subgraph']));
        for (const { attributes } of calls) expect(attributes).toHaveProperty(['passerelle.cache']);
      }
      const [call] = named('call volunteering');
      expect(call?.attributes).toMatchObject({ 'passerelle.cache': 'MISS', 'http.response.status_code': 200 });
      expect(call?.attributes).toHaveProperty(['passerelle.queued_ms']);
      expect(seen).toEqual([[`00-${TRACE_ID}-${call?.spanId}-01`, null]]);
      for (const { startNs, endNs } of ofTrace) expect(endNs >= startNs).toBe(true);
      if (isLocal) return;
      expect(named('plan').map(parentOf)).toEqual(['request']);
      expect(new Set(named('subgraph').map(parentOf))).toEqual(new Set(['fetch volunteering', 'fetch work-study']));
      expect(new Set(ofTrace.map(({ service }) => service)).size).toBe(3);
    },
  );

  it.skipIf(isAgain(shape))('begin here where the caller names none, and are those of the log', async () => {
    await post();
    const line = stack.log.lines.find(({ message }) => message === 'request answered');
    const received = await spans();
    const [request] = received.filter(({ name }) => name === 'request');
    expect(request?.parentSpanId).toBeUndefined();
    expect(line?.fields).toMatchObject({ traceId: request?.traceId, requestId: expect.any(String) });
  });

  it('tell what was answered from the cache, and what was not sent, but no secret', async () => {
    const { keys } = stack.sandbox;
    const secrets = [keys.volunteering.alice, keys.volunteering.operator, keys.workStudy.operator];
    for (const _ of [1, 2, 3, 4]) await post();
    await post({ 'x-volunteering-key': keys.volunteering.alice, cookie: 'passerelle=a-session' });
    const received = await spans();
    expect(received.filter(({ name }) => name === 'request')).toHaveLength(5);
    const ways = received.map(({ attributes }) => attributes['passerelle.way']);
    expect(ways).toEqual(expect.arrayContaining(shape === 'in process' ? ['schema', 'whole response'] : ['remote']));
    for (const secret of [...secrets, 'a-session']) expect(receiver.text()).not.toContain(secret);
  });

  if (shape === 'in process')
    it('hold each field or join that made calls, by its place, from its first call to its last, and no other', async () => {
      const query = `{
        communesByName(name: "Rouen", first: 1) { nom }
        all: missions(first: 2) { nodes { id place: commune { nom } organization { title } } }
      }`;
      const body = JSON.stringify({ query });
      const headers = { 'content-type': 'application/json', traceparent: TRACEPARENT };
      await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body });
      const received = await spans();
      const fields = received.filter(({ name }) => name.startsWith('field '));
      const places = fields.map(({ name, attributes }) => `${name} ${attributes['passerelle.place']}`);
      expect(new Set(places)).toEqual(
        new Set([
          'field volunteering all',
          'field work-study all.nodes.@.place',
          'field volunteering all.nodes.@.organization',
        ]),
      );
      for (const { spanId, startNs, endNs } of fields) {
        const calls = received.filter(({ parentSpanId }) => parentSpanId === spanId);
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) expect(call.startNs >= startNs && call.endNs <= endNs + MILLISECOND_NS).toBe(true);
      }
    });

  it.skipIf(isAgain(shape))('tell what was only priced, and why rows were refused', async () => {
    const dryRun = { 'x-passerelle-dry-run': '1', 'x-passerelle-trace': '1' };
    await post(dryRun);
    const unknown = { method: 'POST', body: JSON.stringify({ query: '{ nothing }' }) };
    const json = { 'content-type': 'application/json' };
    expect((await fetch(`${stack.url}/graphql`, { ...unknown, headers: { ...json, ...dryRun } })).status).toBe(400);
    const query = new URLSearchParams({ query: MISSIONS, format: 'csv', columns: 'nothing' });
    expect((await fetch(`${stack.url}/graphql?${query}`)).status).toBe(400);
    const received = await spans();
    const requests = received.filter(({ name }) => name === 'request');
    const attributes = { 'passerelle.way': 'dry-run' };
    expect(requests).toMatchObject([
      { attributes },
      { attributes, error: 'GRAPHQL_VALIDATION_FAILED' },
      { error: 'BAD_USER_INPUT' },
    ]);
    expect(requests[0]?.error).toBeUndefined();
  });

  it.skipIf(isAgain(shape))(
    'have name, type and hash of an operation, though its text begins with a fragment or was not sent',
    async () => {
      const query = `fragment F on Mission { id } ${MISSIONS.replace('{ id', '{ ...F')}`;
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      const extensions = { persistedQuery: { version: 1, sha256Hash } };
      const headers = { 'content-type': 'application/json' };
      const refused = 'fragment F on Mission { id } mutation Wrong { nothing }';
      for (const body of [
        { query, extensions },
        { extensions },
        { query },
        { query },
        { query },
        { query: refused },
        { query: '{ departements { nom } }' },
      ])
        await fetch(`${stack.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
      const received = await spans();
      const facts = received
        .filter(({ name }) => name === 'request')
        .map(({ attributes }) => ['name', 'type'].map((fact) => attributes[`graphql.operation.${fact}`]));
      expect(facts).toEqual([...Array(5).fill(['Missions', 'query']), ['Wrong', undefined], [undefined, 'query']]);
      const hashes = received.flatMap(({ attributes }) => attributes['graphql.document.hash'] ?? []);
      expect(hashes.slice(0, 5)).toEqual(Array(5).fill(`sha256:${sha256Hash}`));
    },
  );

  it.skipIf(isAgain(shape))('of a caller who wants none are not sent', async () => {
    await post({ traceparent: TRACEPARENT.replace(/01$/, '00') });
    const received = await spans();
    expect(received.filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
  });
});

describe.each(SHAPES.filter((shape) => !isAgain(shape)))('Traces of others, %s', (shape) => {
  beforeAll(() => start(shape));
  afterAll(async () => {
    await stack.close();
    receiver.close();
  });

  let asked = 0;
  /** Asks what nobody has asked; returns the calls that it takes. */
  async function calls(headers: Record<string, string>) {
    asked += 1;
    stack.forgetCalls();
    await post(headers, MISSIONS.replace('first: 2', `first: 2, keywords: "${asked}"`));
    return stack.sandbox.volunteering.calls;
  }

  it.each([
    ['ours=1,tenant@theirs= a b', 'ours=1,tenant@theirs= a b', 'as it came'],
    ['ours=1, ,  theirs=2 ', 'ours=1,theirs=2', 'without what is empty'],
    ['ours=1,theirs=é,both=2', 'ours=1,both=2', 'without what is no ASCII'],
    ['ours=1,theirs=2,ours=3', 'theirs=2,ours=1', 'each key once'],
    ['ours=1,Not=2,b=c=d,theirs=3', 'ours=1,theirs=3', 'without what is malformed'],
    ['nothing', null, 'not at all'],
  ])('hold what other tracers have added, into the services: %s', async (tracestate, passedOn, _how) => {
    const [called] = await calls({ traceparent: TRACEPARENT, tracestate });
    expect(called?.traceparent).toContain(TRACE_ID);
    expect(called?.tracestate).toBe(passedOn);
  });

  it('hold nothing of what comes without a trace, or with a malformed one', async () => {
    for (const headers of [{}, { traceparent: `${TRACEPARENT}-more` }]) {
      const seen = (await calls({ tracestate: 'ours=1', ...headers })).map(({ tracestate }) => tracestate);
      expect(new Set(seen)).toEqual(new Set([null]));
    }
  });
});
