import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import type { UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search, type Toolkit } from './support/toolkit.js';

const MINUTE = 60_000;

/** What is read without waiting; undefined where a call would be made. */
function peek(toolkit: Toolkit, request: UpstreamRequest<unknown>, operation: OperationContext): unknown {
  return toolkit.recall(request, operation)?.isFresh === true ? toolkit.read(request, operation) : undefined;
}

describe('a look without waiting', () => {
  it('a look without waiting gives the value of a fresh entry, and records the hit as any other', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: { number: 1 } });
    const operation = createOperation();
    expect(peek(toolkit, search(), operation)).toBeUndefined();
    const value = await toolkit.call(search(), operation);
    const request = search();
    await toolkit.call(request, operation);
    expect(peek(toolkit, request, operation)).toEqual(value);
    expect(operation.rows.map(({ cache }) => cache)).toEqual(['MISS', 'HIT', 'HIT']);
    expect(transport.sent).toHaveLength(1);
  });

  it('a look without waiting finds nothing of another key, nothing that is never cached, and nothing for who has left', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {} });
    await toolkit.call(search(), createOperation({ credential: createKey('alice') }));
    expect(peek(toolkit, search(), createOperation({ credential: createKey('bob') }))).toBeUndefined();
    await toolkit.call(search({ cache: 'never' }), createOperation());
    expect(peek(toolkit, search({ cache: 'never' }), createOperation())).toBeUndefined();
    await toolkit.call(search(), createOperation());
    expect(peek(toolkit, search(), createOperation({ remainingMs: () => 0 }))).toBeUndefined();
  });

  it('a look without waiting finds nothing that is too old, or followed by a write of its key', async () => {
    const { toolkit, transport, clock } = createHarness();
    transport.respond = () => ({ body: { number: 1 } });
    await toolkit.call(search(), createOperation());
    expect(peek(toolkit, search(), createOperation())).toBeDefined();
    await toolkit.call(search({ method: 'POST', cache: 'never' }), createOperation());
    expect(peek(toolkit, search(), createOperation())).toBeUndefined();
    await toolkit.call(search(), createOperation());
    await clock.advance(2 * MINUTE);
    expect(peek(toolkit, search(), createOperation())).toBeUndefined();
  });
});

describe('the version of a service for a key', () => {
  it('the version of a service for a key changes with its writes, and with no other key’s', async () => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: {} });
    const [alice, bob] = [createKey('alice'), createKey('bob')];
    const versions = () => [alice, bob, null].map((key) => toolkit.version(key));
    const before = versions();
    await toolkit.call(
      search({ method: 'POST', cache: 'never', key: 'caller' }),
      createOperation({ credential: alice }),
    );
    const after = versions();
    expect(after[0]).not.toBe(before[0]);
    expect(after.slice(1)).toEqual(before.slice(1));
  });
});
