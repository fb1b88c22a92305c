import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../kernel/errors.js';
import type { FailureReading } from '../../subgraphs/rest/upstream.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

interface Sent {
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

const alice = createKey('alice');

async function failureOf(sent: Sent, operation = createOperation({ credential: alice })) {
  const { toolkit, transport, clock } = createHarness();
  transport.respond = () => sent;
  const failed = toolkit.call(search(), operation).then(
    () => null,
    (reason: unknown) => reason,
  );
  // Long enough for a retry.
  await clock.advance(2_000);
  const error: unknown = await failed;
  return error as { code: ErrorCode; message: string; extensions: Record<string, unknown>; cause?: unknown };
}

const HTML = '<!DOCTYPE html><html><body>Bad Gateway</body></html>';

describe('a failed response', () => {
  it.each<[string, ErrorCode, Sent]>([
    [
      'a validation error of work-study itself',
      'UPSTREAM_REFUSED_INPUT',
      { status: 400, body: { statusCode: 400, name: 'Bad Request', message: 'Request validation failed' } },
    ],
    [
      'a forwarded validation error',
      'UPSTREAM_REFUSED_INPUT',
      { status: 400, body: { statusCode: 400, error: 'Bad Request', message: 'querystring.latitude: required' } },
    ],
    [
      'an INVALID_QUERY whose message is an object',
      'UPSTREAM_REFUSED_INPUT',
      { status: 400, body: { ok: false, code: 'INVALID_QUERY', message: { issues: [], name: 'ZodError' } } },
    ],
    ['a plain-text 401 of a caller’s key', 'CREDENTIALS_REJECTED', { status: 401, body: 'Unauthorized' }],
    [
      'a JSON 401 of a caller’s key',
      'CREDENTIALS_REJECTED',
      { status: 401, body: { ok: false, code: 'UNAUTHORIZED' } },
    ],
    ['a proxy’s page with 401', 'UPSTREAM_UNAVAILABLE', { status: 401, body: `\n${HTML}` }],
    ['a 403', 'PERMISSION_DENIED', { status: 403, body: { statusCode: 403, name: 'Forbidden' } }],
    ['a firewall’s page with 403', 'PERMISSION_DENIED', { status: 403, body: HTML }],
    ['an HTML 404', 'UPSTREAM_UNAVAILABLE', { status: 404, body: HTML }],
    ['a 409', 'UPSTREAM_REFUSED_INPUT', { status: 409, body: {} }],
    ['an HTML 413', 'UPSTREAM_REFUSED_INPUT', { status: 413, body: HTML }],
    ['a 419', 'RATE_LIMITED', { status: 419, body: {} }],
    ['a 429', 'RATE_LIMITED', { status: 429, body: {} }],
    ['a plain-text 429', 'RATE_LIMITED', { status: 429, body: 'Quota de 1000 requêtes excédé' }],
    ['a masked 500', 'UPSTREAM_UNAVAILABLE', { status: 500, body: { statusCode: 500, name: 'Internal Server Error' } }],
    ['an HTML 502', 'UPSTREAM_UNAVAILABLE', { status: 502, body: HTML }],
    ['a 503 whose status is text', 'UPSTREAM_UNAVAILABLE', { status: 503, body: { statusCode: '503' } }],
    ['a 504', 'UPSTREAM_TIMEOUT', { status: 504, body: { statusCode: 504, name: 'Gateway Time-out' } }],
    ['a 408 in plain text', 'UPSTREAM_TIMEOUT', { status: 408, body: 'Request has timed out.' }],
    ['a 302', 'UPSTREAM_INVALID_RESPONSE', { status: 302, body: '' }],
    ['a 200 that is a page', 'UPSTREAM_INVALID_RESPONSE', { status: 200, body: HTML }],
    ['a 200 of plain text', 'UPSTREAM_INVALID_RESPONSE', { status: 200, body: 'Too Many Requests' }],
    ['a 200 whose JSON is cut', 'UPSTREAM_INVALID_RESPONSE', { status: 200, body: '[{"a":1},{"b"' }],
  ])('%s is %s', async (_what, code, sent) => {
    const { code: found, extensions } = await failureOf(sent);
    expect(found).toBe(code);
    expect(extensions).toMatchObject({ code, service: 'volunteering' });
  });

  it('of the operator’s key switches the source off and is no fault of the caller', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ status: 401, body: 'Unauthorized' });
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'SOURCE_OFF' });
    expect(toolkit.status()).toMatchObject({ state: 'OFF', detail: "it refuses the operator's key" });
    transport.respond = () => ({ body: {} });
    await toolkit.call(search(), createOperation());
    expect(toolkit.status()).toEqual({ state: 'UP', upstream: 'real' });
  });

  it('of the operator’s key switches nothing off where a proxy’s page says it', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ status: 401, body: HTML });
    await expect(toolkit.call(search(), createOperation())).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(toolkit.status()).toMatchObject({ state: 'DEGRADED', detail: 'its last call failed' });
  });

  it.each([
    [
      'the service’s own words',
      { message: 'querystring.latitude: required when longitude is provided.' },
      'volunteering refused the request: querystring.latitude: required when longitude is provided.',
    ],
    [
      'nothing of an address',
      { message: 'connect to https://internal.service/x failed' },
      'volunteering refused the request.',
    ],
    ['nothing of a host', { message: 'upstream api-3.service.internal is gone' }, 'volunteering refused the request.'],
    ['nothing of a numeric host', { message: 'no route to 10.0.0.7' }, 'volunteering refused the request.'],
    [
      'the beginning of what is long',
      { message: 'x'.repeat(201) },
      `volunteering refused the request: ${'x'.repeat(200)}…`,
    ],
    [
      'nothing of what names a host after its beginning',
      { message: `${'x'.repeat(300)} no route to 10.0.0.7` },
      'volunteering refused the request.',
    ],
    ['nothing that is not text', { message: { name: 'ZodError' } }, 'volunteering refused the request.'],
  ])('tells the caller %s', async (_what, body, message) => {
    expect((await failureOf({ status: 400, body })).message).toBe(message);
  });

  it.each<[string, Record<string, string>, number]>([
    ['retry-after', { 'retry-after': '17' }, 17],
    ['seconds left', { 'x-ratelimit-reset': '42' }, 42],
    ['the earlier of both', { 'retry-after': '60', 'x-ratelimit-reset': '12' }, 12],
    [
      'a moment, by the service’s own clock',
      { 'x-ratelimit-reset': '1700000030', date: 'Tue, 14 Nov 2023 22:13:20 GMT' },
      30,
    ],
    ['a second when nothing is told', {}, 1],
    ['a second when it is nonsense', { 'retry-after': 'soon', 'x-ratelimit-reset': '-5' }, 1],
    ['two minutes at most', { 'retry-after': '86400' }, 120],
  ])('with 429 says when to come back: %s', async (_what, headers, seconds) => {
    const { extensions } = await failureOf({ status: 429, body: {}, headers });
    expect(extensions['retryAfterSeconds']).toBe(seconds);
  });

  it('is read by the service’s dialect first', async () => {
    const readings: Record<number, FailureReading> = {
      403: 'unknown',
      429: { code: 'BUSINESS_QUOTA' },
      451: { code: 'PERMISSION_DENIED', message: 'Not in your country.' },
    };
    const dialect = {
      headers: () => ({}),
      readFailure: ({ status }: { status: number }) => readings[status],
    };
    const { toolkit, transport } = createHarness({ dialect });
    const send = (status: number) => {
      transport.respond = () => ({ status, body: { message: 'Maximum reached' } });
      return toolkit.call(search({ unknown: 'null', path: `/${status}` }), createOperation());
    };
    expect(await send(403)).toBeNull();
    await expect(send(429)).rejects.toMatchObject({ code: 'BUSINESS_QUOTA', message: /: Maximum reached\.$/ });
    await expect(send(451)).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: 'Not in your country.' });
    await expect(send(500)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('keeps its evidence for the log, out of what the caller sees', async () => {
    const error = await failureOf({ status: 500, body: { message: 'stack at /srv/app/index.js' } });
    expect(error.cause).toEqual({ status: 500, body: '{"message":"stack at /srv/app/index.js"}' });
    expect(JSON.stringify(error)).not.toContain('/srv/app');
  });
});

describe('a key', () => {
  it('that a service echoes reaches neither message, cause, recorded call nor error', async () => {
    const operation = createOperation({ credential: alice });
    const echo = { status: 400, body: { message: `The key ${alice.reveal()} is odd` } };
    const error = await failureOf(echo, operation);
    expect(error.message).toContain('The key [secret] is odd');
    expect(JSON.stringify([error, error.cause, operation.rows, error.extensions])).not.toContain(alice.reveal());
  });

  it.each([
    ['as JSON writes it', (key: string) => JSON.stringify(key).slice(1, -1)],
    ['percent-encoded', encodeURIComponent],
    ['percent-encoded in lower case', (key: string) => encodeURIComponent(key).toLowerCase()],
    ['with its slashes escaped', (key: string) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
    ['in numbers alone', (key: string) => key.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ])('a key is as absent where it is repeated %s', async (_form, write) => {
    const key = 'a"b\\c/d+e&f ~';
    const echo = { status: 400, body: `{"message":"The key ${write(key)} is odd"}` };
    const error = await failureOf(echo, createOperation({ credential: { ...alice, reveal: () => key } }));
    expect(error.message).toBe('volunteering refused the request.');
    expect(error.cause).toEqual({ status: 400, body: '' });
  });

  it.each(['as%41b', 'as\\u0041b', 'as\\U0041b', 'ends\\', '\\begins', 'é à', '😀 a', 'x"'.repeat(8000)])(
    'that looks like a form itself, or is long, is as absent: %#',
    async (key) => {
      const echo = { status: 400, body: { message: 'Odd', keys: [key, encodeURIComponent(key)] } };
      const error = await failureOf(echo, createOperation({ credential: { ...alice, reveal: () => key } }));
      expect(error.cause).toEqual({ status: 400, body: '' });
    },
  );

  it('stands in no address and in no header but its own', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search({ query: [['q', 'x']] }), createOperation({ credential: alice }));
    const request = transport.sent[0]?.request;
    expect(request?.url.href).not.toContain(alice.reveal());
    const carrying = Object.entries(request?.headers ?? {}).filter(([, value]) => value.includes(alice.reveal()));
    expect(carrying.map(([name]) => name)).toEqual(['x-api-key']);
  });
});

describe('a response that is confidential', () => {
  it.each<[string, Sent]>([
    ['is no JSON', { body: 'access_token=the-token&token_type=bearer' }],
    ['is refused', { status: 400, body: { message: 'the-token was not taken', error: 'invalid_request' } }],
    ['comes with an error of the service', { status: 500, body: 'the-token' }],
  ])('leaves nothing of its body in the error or in the evidence for the log when it %s', async (_how, sent) => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => sent;
    const exchange = search({ method: 'POST', cache: 'never', confidential: true });
    await expect(toolkit.call(exchange, createOperation({ credential: alice }))).rejects.toThrow();
    expect(toolkit.rows).toHaveLength(1);
    const [reported] = toolkit.rows;
    expect(
      inspect({ reported, message: reported?.error?.message, cause: reported?.error?.cause }, { depth: 9 }),
    ).not.toContain('the-token');
  });
});
