import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHAPES, type Shape, type Stack, startStack } from '../scenarios/stack.js';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';

const MISSIONS = 'query Missions { missions(first: 2) { nodes { id commune { nom } } } }';
/** Its text begins with a fragment. */
const WITH_FRAGMENT = `fragment F on Mission { id } ${MISSIONS.replace('{ id', '{ ...F')}`;
const PLACES = `{
  communesByName(name: "Rouen", first: 1) { nom }
  all: missions(first: 2) { nodes { id place: commune { nom } organization { title } } }
}`;
/** A small world starts sooner. */
const SMALL = { scale: 0.02 };
/** The library takes a span's start from a clock of milliseconds, and its end from its duration. */
const MILLISECOND_NS = 1_000_000n;
/** What traces hold in either shape is tested apart, where they cross more processes. */
const isAgain = (shape: Shape) => shape === 'in process';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
/** The trace of one test among those of its file. */
const traceOf = (test: string) => sha256(test).slice(0, 32);
const traceparentOf = (test: string) => ({ traceparent: `00-${traceOf(test)}-b7ad6b7169203331-01` });

let receiver: OtlpReceiver;
let stack: Stack;
/** What was received of one test. */
const spansOf = (test: string) => receiver.spans.filter(({ traceId }) => traceId === traceOf(test));
const requestsOf = (test: string) => spansOf(test).filter(({ name }) => name === 'request');

async function post(body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

async function missions(headers: Record<string, string> = {}, query = MISSIONS): Promise<void> {
  expect(await post({ query, operationName: 'Missions' }, headers)).not.toHaveProperty('errors');
}

/** Sends what the tests of a shape look at in its traces; the calls of `whole` are the first that are made. */
async function sendAll(shape: Shape): Promise<void> {
  const { alice } = stack.sandbox.keys.volunteering;
  if (isAgain(shape)) await post({ query: PLACES }, traceparentOf('places'));
  else {
    await missions(traceparentOf('whole'));
    await missions();
    await missions({ traceparent: traceparentOf('unwanted').traceparent.replace(/01$/, '00') });
    const dryRun = { 'x-passerelle-dry-run': '1', 'x-passerelle-trace': '1', ...traceparentOf('refused') };
    await missions(dryRun);
    await post({ query: '{ nothing }' }, dryRun);
    const rows = new URLSearchParams({ query: MISSIONS, format: 'csv', columns: 'nothing' });
    await fetch(`${stack.url}/graphql?${rows}`, { headers: traceparentOf('refused') });
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(WITH_FRAGMENT) } };
    for (const body of [
      { query: WITH_FRAGMENT, extensions },
      { extensions },
      ...Array(3).fill({ query: WITH_FRAGMENT }),
      { query: 'fragment F on Mission { id } mutation Wrong { nothing }' },
      { query: '{ departements { nom } }' },
    ])
      await post(body, traceparentOf('operations'));
  }
  for (const _ of [1, 2, 3, 4]) await missions(traceparentOf('cached'));
  await missions({ 'x-volunteering-key': alice, cookie: 'passerelle=a-session', ...traceparentOf('cached') });
}

describe.each(SHAPES)('Traces, %s', (shape) => {
  let called: (string | null | undefined)[][];

  // Processes send what is left when they end: one start for all tests.
  beforeAll(async () => {
    receiver = await openOtlpReceiver();
    stack = await startStack({ shape, sandbox: SMALL, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    await sendAll(shape);
    called = stack.sandbox.volunteering.calls.map(({ traceparent, tracestate }) => [traceparent, tracestate]);
    await stack.close();
  });
  afterAll(() => receiver.close());

  it.skipIf(isAgain(shape))(
    'hold request, fields or fetches, and calls of one trace, across processes and into the services',
    () => {
      const ofTrace = spansOf('whole');
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
          'graphql.document.hash': `sha256:${sha256(MISSIONS)}`,
          'http.response.status_code': 200,
        },
      });
      const isLocal = shape === 'in process';
      for (const service of ['volunteering', 'work-study']) {
        const name = `${isLocal ? 'field' : 'fetch'} ${service}`;
        expect(named(name).map(parentOf)).toEqual(['request']);
        const calls = named(`call ${service}`);
        expect(new Set(calls.map(parentOf))).toEqual(new Set([isLocal ? name : 'resolve']));
        for (const { attributes } of calls) expect(attributes).toHaveProperty(['passerelle.cache']);
      }
      const [call] = named('call volunteering');
      expect(call?.attributes).toMatchObject({ 'passerelle.cache': 'MISS', 'http.response.status_code': 200 });
      expect(call?.attributes).toHaveProperty(['passerelle.queued_ms']);
      expect(called[0]).toEqual([`00-${traceOf('whole')}-${call?.spanId}-01`, null]);
      for (const { startNs, endNs } of ofTrace) expect(endNs >= startNs).toBe(true);
      if (isLocal) return;
      expect(named('plan').map(parentOf)).toEqual(['request']);
      const resolvers = named('resolve');
      expect(new Set(resolvers.map(parentOf))).toEqual(new Set(['subgraph']));
      const groups = resolvers.map(({ attributes }) => attributes['passerelle.resolvers']);
      expect(groups).toEqual(expect.arrayContaining(['missions', 'Mission']));
      expect(new Set(ofTrace.map(({ service }) => service)).size).toBe(3);
    },
  );

  it.skipIf(isAgain(shape))('begin here where the caller names none, and are those of the log', () => {
    const [, line] = stack.log.lines.filter(({ message }) => message === 'request answered');
    const { traceId } = { ...line?.fields } as { traceId?: string };
    const [request] = receiver.spans.filter((span) => span.name === 'request' && span.traceId === traceId);
    expect(request).toMatchObject({ parentSpanId: undefined, attributes: { 'graphql.operation.name': 'Missions' } });
    expect(line?.fields).toMatchObject({ requestId: expect.any(String) });
  });

  it('tell what was answered from the cache, and what was not sent, but no secret', () => {
    const { keys } = stack.sandbox;
    const secrets = [keys.volunteering.alice, keys.volunteering.operator, keys.workStudy.operator];
    expect(requestsOf('cached')).toHaveLength(5);
    const ways = spansOf('cached').map(({ attributes }) => attributes['passerelle.way']);
    expect(ways).toEqual(expect.arrayContaining(shape === 'in process' ? ['schema', 'whole response'] : ['remote']));
    for (const secret of [...secrets, 'a-session']) expect(receiver.text()).not.toContain(secret);
  });

  it.skipIf(shape !== 'in process')(
    'hold each field or join that made calls, by its place, from its first call to its last, and no other',
    () => {
      const fields = spansOf('places').filter(({ name }) => name.startsWith('field '));
      const places = fields.map(({ name, attributes }) => `${name} ${attributes['passerelle.place']}`);
      expect(new Set(places)).toEqual(
        new Set([
          'field volunteering all',
          'field work-study all.nodes.@.place',
          'field volunteering all.nodes.@.organization',
        ]),
      );
      for (const { spanId, startNs, endNs } of fields) {
        const calls = spansOf('places').filter(({ parentSpanId }) => parentSpanId === spanId);
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) expect(call.startNs >= startNs && call.endNs <= endNs + MILLISECOND_NS).toBe(true);
      }
    },
  );

  it.skipIf(isAgain(shape))('tell what was only priced, and why rows were refused', () => {
    const requests = requestsOf('refused');
    const attributes = { 'passerelle.way': 'dry-run' };
    expect(requests).toMatchObject([
      { attributes, error: undefined },
      { attributes, error: 'GRAPHQL_VALIDATION_FAILED' },
      { error: 'BAD_USER_INPUT' },
    ]);
  });

  it.skipIf(isAgain(shape))(
    'have name, type and hash of an operation, though its text begins with a fragment or was not sent',
    () => {
      const requests = requestsOf('operations').map(({ attributes }) => attributes);
      const facts = requests.map((of) => ['name', 'type'].map((fact) => of[`graphql.operation.${fact}`]));
      expect(facts).toEqual([...Array(5).fill(['Missions', 'query']), ['Wrong', undefined], [undefined, 'query']]);
      const hashes = requests.flatMap((of) => of['graphql.document.hash'] ?? []);
      expect(hashes.slice(0, 5)).toEqual(Array(5).fill(`sha256:${sha256(WITH_FRAGMENT)}`));
    },
  );

  it.skipIf(isAgain(shape))('of a caller who wants none are not sent', () => {
    expect(spansOf('unwanted')).toEqual([]);
  });
});

describe.each(SHAPES.filter((shape) => !isAgain(shape)))('Traces of others, %s', (shape) => {
  beforeAll(async () => {
    receiver = await openOtlpReceiver();
    stack = await startStack({ shape, sandbox: SMALL, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  });
  afterAll(async () => {
    await stack.close();
    receiver.close();
  });

  let asked = 0;
  /** Asks what nobody has asked; returns the calls that it takes. */
  async function calls(headers: Record<string, string>) {
    asked += 1;
    stack.forgetCalls();
    await missions(headers, MISSIONS.replace('first: 2', `first: 2, keywords: "${asked}"`));
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
    const [called] = await calls({ ...traceparentOf('others'), tracestate });
    expect(called?.traceparent).toContain(traceOf('others'));
    expect(called?.tracestate).toBe(passedOn);
  });

  it('hold nothing of what comes without a trace, or with a malformed one', async () => {
    for (const headers of [{}, { traceparent: `${traceparentOf('others').traceparent}-more` }]) {
      const seen = (await calls({ tracestate: 'ours=1', ...headers })).map(({ tracestate }) => tracestate);
      expect(new Set(seen)).toEqual(new Set([null]));
    }
  });
});
