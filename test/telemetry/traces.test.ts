import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHAPES, type Stack, startStack } from '../scenarios/stack.js';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from './support/otlp-receiver.js';

const MISSIONS = 'query Missions { missions(first: 2) { nodes { id commune { nom } } } }';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await openOtlpReceiver();
});
afterEach(() => receiver.close());

describe.each(SHAPES)('Traces, %s', (shape) => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await startStack({ shape, env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  });

  async function post(headers: Record<string, string> = {}): Promise<void> {
    const response = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: MISSIONS, operationName: 'Missions' }),
    });
    expect((await response.json()) as object).not.toHaveProperty('errors');
  }

  /** Ends the processes, so that they send what is left; returns all spans. */
  async function spans(): Promise<readonly ReceivedSpan[]> {
    await stack.close();
    return receiver.spans;
  }

  it('hold request, plan, fetches, resolvers and calls of one trace, across processes and into the services', async () => {
    await post({ traceparent: TRACEPARENT });
    const seen = stack.sandbox.volunteering.calls.map(({ traceparent }) => traceparent);
    const received = await spans();
    const ofTrace = received.filter(({ traceId }) => traceId === TRACE_ID);
    const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
    const parentOf = ({ parentSpanId }: ReceivedSpan) => byId.get(parentSpanId ?? '')?.name;
    const named = (name: string) => ofTrace.filter((span) => span.name === name);

    const [request] = named('request');
    expect(request).toMatchObject({
      service: 'passerelle',
      parentSpanId: 'b7ad6b7169203331',
      attributes: { 'graphql.operation.name': 'Missions', 'http.response.status_code': 200 },
    });
    expect(named('plan').map(parentOf)).toEqual(['request']);
    for (const service of ['volunteering', 'work-study']) {
      const fetches = named(`fetch ${service}`);
      expect(fetches.map(parentOf)).toContain('request');
      const calls = named(`call ${service}`);
      expect(new Set(calls.map(parentOf))).toEqual(new Set(['resolve']));
      for (const { attributes } of calls) expect(attributes).toHaveProperty(['passerelle.cache']);
    }
    const resolvers = named('resolve');
    const parents = shape === 'apart' ? ['subgraph'] : ['fetch volunteering', 'fetch work-study'];
    expect(new Set(resolvers.map(parentOf))).toEqual(new Set(parents));
    const groups = resolvers.map(({ attributes }) => attributes['passerelle.resolvers']);
    expect(groups).toEqual(expect.arrayContaining(['missions', 'Mission']));
    const [call] = named('call volunteering');
    expect(call?.attributes).toMatchObject({ 'passerelle.cache': 'MISS', 'http.response.status_code': 200 });
    expect(call?.attributes).toHaveProperty(['passerelle.queued_ms']);
    expect(seen).toEqual([`00-${TRACE_ID}-${call?.spanId}-01`]);
    for (const { startNs, endNs } of ofTrace) expect(endNs >= startNs).toBe(true);
    if (shape === 'apart') expect(new Set(ofTrace.map(({ service }) => service)).size).toBe(3);
  });

  it('begin here where the caller names none, and are those of the log', async () => {
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
    if (shape === 'in process')
      expect(received.map(({ attributes }) => attributes['passerelle.way'])).toContain('direct');
    for (const secret of [...secrets, 'a-session']) expect(receiver.text()).not.toContain(secret);
  });

  // Only the gateway that runs the subgraphs makes their calls ahead.
  if (shape === 'in process')
    it('hold the calls that were made ahead of an execution right below the request', async () => {
      await post();
      // For a caller with a key of their own, the missions are missing.
      await post({ traceparent: TRACEPARENT, 'x-volunteering-key': stack.sandbox.keys.volunteering.alice });
      const received = await spans();
      const ofTrace = received.filter(({ traceId }) => traceId === TRACE_ID);
      const [request] = ofTrace.filter(({ name }) => name === 'request');
      expect(request?.attributes).toMatchObject({ 'passerelle.way': 'fetched' });
      const below = ofTrace.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
      expect(new Set(below.map(({ name }) => name))).toEqual(new Set(['call volunteering', 'call work-study']));
      // There is no plan, and no fetch of one.
      expect(ofTrace).toHaveLength(below.length + 1);
    });

  it('tell what was only priced, and why rows were refused', async () => {
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

  it('of a caller who wants none are not sent', async () => {
    await post({ traceparent: TRACEPARENT.replace(/01$/, '00') });
    const received = await spans();
    expect(received.filter(({ traceId }) => traceId === TRACE_ID)).toEqual([]);
  });
});
