import { describe, expect, it } from 'vitest';
import type { CodedError } from '../../kernel/errors.js';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { volunteeringDialect } from '../../subgraphs/volunteering/dialect.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';

const MINUTE = 60_000;

function slow(words: string, parts: Partial<UpstreamRequest<unknown>> = {}): UpstreamRequest<unknown> {
  const route = { path: '/v0/organization', template: '/v0/organization' };
  return search({ ...route, query: [['q', words]], cache: 'slow', parse: () => null, ...parts });
}

function harness() {
  const made = createHarness({ dialect: volunteeringDialect });
  const call = (request: UpstreamRequest<unknown>, key: string | null = null) =>
    made.toolkit
      .call(request, createOperation({ credential: key === null ? null : createKey(key) }))
      .catch((error: CodedError) => error.code);
  const sent = () => made.transport.sent.map(({ request }) => request.url.search.replace(/^\?q=/, ''));
  return { ...made, call, sent };
}

describe('slow calls', () => {
  it('wait for one of two places, callers in turns, and hold nobody else', async () => {
    const { transport, call, sent } = harness();
    for (let n = 0; n < 40; n += 1) void call(slow(`many${n}`), 'many');
    await settle();
    void call(slow('few'), 'few');
    const quick = call(search({ path: '/v0/organization', template: '/v0/organization', query: [['rna', 'W1']] }));
    await settle();
    expect(sent()).toEqual(['many0', 'many1', '?rna=W1']);
    transport.sent[2]?.respond({ data: [] });
    expect(await quick).toEqual({ data: [] });
    for (const one of transport.sent.slice(0, 2)) one.respond({});
    await settle();
    expect(sent().slice(3)).toContain('few');
    expect(sent()).toHaveLength(5);
  });

  it('raise no doubt about the service, whatever becomes of them', async () => {
    const { transport, call, sent } = harness();
    transport.respond = ({ url }) => (url.search.startsWith('?q=') ? { body: '', status: 500 } : { body: {} });
    for (let n = 0; n < 20; n += 1) expect(await call(slow(`words${n}`))).toBe('UPSTREAM_UNAVAILABLE');
    expect(sent().filter((query) => query === '?limit=1')).toEqual([]);
    // Others do.
    for (let n = 0; n < 4; n += 1) await call(slow(`words${n}`, { cache: 'search', path: '/v0/organization' }));
    await settle();
    expect(sent().filter((query) => query === '?limit=1')).toHaveLength(1);
  });

  it('are answered for ten minutes, and then made again', async () => {
    const { transport, call, clock } = harness();
    transport.respond = () => ({ body: {} });
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await call(slow('rien'))).toBeNull();
      await clock.advance(MINUTE);
    }
    expect(transport.sent).toHaveLength(1);
    await clock.advance(5 * MINUTE);
    await call(slow('rien'));
    expect(transport.sent).toHaveLength(2);
  });
});
