import { describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { Metrics } from '../../runtime/process/metrics.js';
import { listenMetrics } from '../../runtime/process/metrics-listener.js';
import { createUpstreamObserver } from '../../runtime/process/upstream-observer.js';
import { recordingLog } from '../gateway/support/open-gateway.js';
import { createLines } from './support/lines.js';

const ROW: UpstreamCall = {
  service: 'volunteering',
  method: 'GET',
  path: '/v0/mission/{id}',
  status: 200,
  startMs: 0,
  ms: 120,
  bytes: 10,
  cache: 'MISS',
  entities: 1,
  retries: 0,
  sent: 1,
  planNode: '',
};

describe('the metrics of a safelist', () => {
  it('name it by its hash, and count what it refused', async () => {
    const metrics = new Metrics();
    metrics.safelist({ hash: 'abc', mode: 'enforce', operations: 3 });
    metrics.safelisted('refused');
    metrics.safelisted('allowed');
    const text = await metrics.text();
    expect(text).toContain('passerelle_safelist_operations{hash="abc",mode="enforce"} 3');
    expect(text).toContain('passerelle_safelist_decisions_total{outcome="refused"} 1');
  });
});

it('a metric names the version of the program, the role of the process and the version of Node', async () => {
  const text = await new Metrics('volunteering').text();
  expect(text).toContain(`passerelle_build_info{version="${VERSION}",role="volunteering",node="${process.version}"} 1`);
});

describe('the log', () => {
  it('is one JSON line per event, with time and level in words', () => {
    const lines = createLines();
    lines.log.info({ port: 4000 }, 'listening');
    expect(lines.read()).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), port: 4000, msg: 'listening' },
    ]);
  });

  it('hides credentials should a header slip in', () => {
    const lines = createLines();
    const headers = { authorization: 'Bearer hidden', cookie: 'hidden', 'x-api-key': 'hidden', accept: 'shown' };
    lines.log.info({ headers, request: { headers } }, 'request');
    expect(lines.text()).not.toContain('hidden');
    expect(lines.text()).toContain('shown');
  });

  it('tells the evidence of a failure with all its causes', () => {
    const lines = createLines();
    const cause = new Error('below', { cause: new Error('ECONNREFUSED') });
    const error = new CodedError('UPSTREAM_UNAVAILABLE', 'volunteering cannot be reached.', { cause });
    createUpstreamObserver(lines.log, null).onCall({ ...ROW, error: error.code }, error);
    expect(lines.read()).toMatchObject([
      { level: 'warn', msg: 'upstream call failed', call: { path: '/v0/mission/{id}' } },
    ]);
    expect(lines.text()).toContain('ECONNREFUSED');
  });

  it('raises an alarm when the operator’s key is refused, and none for a source that is off', () => {
    const lines = createLines('info');
    const observer = createUpstreamObserver(lines.log, null);
    const off = new CodedError('SOURCE_OFF', 'off');
    observer.onCall({ ...ROW, sent: 0, error: off.code }, off);
    expect(lines.read()).toEqual([]);
    observer.onCall({ ...ROW, status: 401, error: off.code }, off);
    expect(lines.read()).toMatchObject([{ level: 'error' }]);
  });

  it('tells of a trial that fails only what is news: the service is down, but it may refuse the key now', () => {
    const lines = createLines('info');
    const observer = createUpstreamObserver(lines.log, null);
    const [down, off] = [new CodedError('UPSTREAM_TIMEOUT', 'down'), new CodedError('SOURCE_OFF', 'off')];
    observer.onCall({ ...ROW, error: down.code }, down, undefined, true);
    expect(lines.read()).toEqual([]);
    observer.onCall({ ...ROW, status: 401, error: off.code }, off, undefined, true);
    expect(lines.read()).toMatchObject([{ level: 'error' }]);
  });

  it('tells each place of drift once', () => {
    const lines = createLines();
    const observer = createUpstreamObserver(lines.log, null);
    for (let time = 0; time < 3; time += 1) observer.onDrift('volunteering', 'Mission.title', 'form');
    expect(lines.read()).toMatchObject([{ level: 'warn', place: 'Mission.title', kind: 'form' }]);
  });

  it('tells when a quota is counted without the other replicas, and when it is shared again', () => {
    const lines = createLines('info');
    const observer = createUpstreamObserver(lines.log, null);
    const [service, reason] = ['work-study', 'Redis is away.'] as const;
    observer.onQuotaFallback(service, reason);
    observer.onQuotaFallback(service, null);
    expect(lines.read()).toMatchObject([
      { level: 'warn', service, reason, msg: 'the quota is on its local fallback' },
      { level: 'info', service, msg: 'the quota is shared again' },
    ]);
  });

  it('tells when routes are found down, and when they are back', () => {
    const lines = createLines('info');
    const observer = createUpstreamObserver(lines.log, null);
    const [service, routes] = ['volunteering', '/v0/mission'] as const;
    observer.onOutage(service, routes, true);
    observer.onOutage(service, routes, false);
    expect(lines.read()).toMatchObject([
      { level: 'warn', service, routes, msg: 'the circuit is open: only trials are sent' },
      { level: 'info', service, routes, msg: 'the circuit is half-open: the service answers again' },
    ]);
  });
});

describe('the metrics', () => {
  it('count calls, requests that went out, drift and the process', async () => {
    const metrics = new Metrics();
    const observer = createUpstreamObserver(createLines().log, metrics);
    observer.onCall(ROW, null);
    observer.onCall({ ...ROW, cache: 'HIT', sent: 0, status: null }, null);
    observer.onCall({ ...ROW, sent: 2, retries: 1, status: 503, error: 'UPSTREAM_UNAVAILABLE' }, null);
    observer.onDrift('volunteering', 'Mission.title', 'form');
    metrics.request({ status: 200, ms: 12 });
    const text = await metrics.text();
    expect(text).toContain(
      'passerelle_upstream_calls_total{service="volunteering",method="GET",path="/v0/mission/{id}",outcome="HIT",status="none",error="none"} 1',
    );
    expect(text).toContain('passerelle_upstream_requests_total{service="volunteering"} 3');
    expect(text).toContain('passerelle_upstream_duration_seconds_count{service="volunteering",outcome="MISS"} 2');
    expect(text).toContain('passerelle_drift_total{service="volunteering",place="Mission.title",kind="form"} 1');
    expect(text).toContain('passerelle_request_duration_seconds_count{status="200"} 1');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('have a listener of their own, which knows their path, and that of the sources if there are any', async () => {
    const metrics = new Metrics();
    const listener = await listenMetrics({
      metrics,
      host: '127.0.0.1',
      port: 0,
      log: recordingLog([]),
    });
    const send = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
    const response = await send('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toContain('passerelle_upstream_calls_total');
    const elsewhere = await send('/');
    expect([elsewhere.status, (await send('/sources')).status]).toEqual([404, 404]);
    metrics.sources = async () => ({ ageMs: 0, sources: [] });
    expect(await (await send('/sources')).json()).toEqual({ ageMs: 0, sources: [] });
    metrics.sources = () => Promise.reject(new Error('redis://user:secret@host refuses'));
    const failing = await send('/sources');
    expect([failing.status, await failing.text()]).toEqual([500, '']);
    for (const { headers } of [response, elsewhere]) expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect((await send('/metrics', 'POST')).status).toBe(404);
    await listener.close();
    await expect(send('/metrics')).rejects.toThrow();
  });
});
