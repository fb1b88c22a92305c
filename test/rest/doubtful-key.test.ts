import { describe, expect, it } from 'vitest';
import { isRecord } from '../../kernel/text.js';
import { createKey, createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';

/** Guards against a service whose database of keys fails, and which then refuses good keys like revoked ones. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const TRIAL = 3 * SECOND;

const PERHAPS = { code: 'UPSTREAM_UNAVAILABLE', message: expect.stringContaining('perhaps an outage') };

/** A service that refuses the keys in `refused`, in words that an outage has too, or in others. */
function refusing(doubtsUnseenKeys = false) {
  const harness = createHarness({
    dialect: {
      doubtsUnseenKeys,
      headers: (secret) => ({ 'x-api-key': secret }),
      isAmbiguousRefusal: ({ status, json }) => status === 401 && isRecord(json) && json['message'] === 'no key',
    },
  });
  const refused = new Set<string>();
  const words = { message: 'no key' };
  harness.transport.respond = ({ headers }) =>
    refused.has((headers['x-api-key'] ?? '').replace('secret-of-', ''))
      ? { body: words, status: 401 }
      : { body: { good: true } };
  const send = (path: string, key: string | null = null, parts = {}) => {
    const operation = createOperation({ credential: key === null ? null : createKey(key) });
    return harness.toolkit.call(search({ path, ...parts }), operation).catch((error: unknown) => error);
  };
  return { ...harness, refused, words, send };
}

describe('a key that was accepted lately and is refused in ambiguous words', () => {
  it('is an outage: stale data are served, and the operator reads why', async () => {
    const { send, refused, clock, toolkit } = refusing();
    await send('/1');
    await clock.advance(2 * MINUTE);
    refused.add('operator');
    expect(await send('/1')).toEqual({ good: true });
    expect(await send('/2')).toMatchObject(PERHAPS);
    expect(toolkit.status()).toMatchObject({ state: 'DEGRADED', detail: expect.stringContaining('perhaps an outage') });
    refused.clear();
    await clock.advance(TRIAL);
    expect(await send('/2')).toEqual({ good: true });
    expect(toolkit.status()).toMatchObject({ state: 'UP' });
  });

  it('is sent every three seconds, and used again from the first call that is accepted', async () => {
    const { send, refused, clock, transport } = refusing();
    await send('/1', 'alice');
    refused.add('alice');
    for (let call = 0; call < 5; call += 1) expect(await send(`/a${call}`, 'alice')).toMatchObject(PERHAPS);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(TRIAL);
    for (let call = 0; call < 5; call += 1) await send(`/b${call}`, 'alice');
    expect(transport.sent).toHaveLength(3);
    refused.clear();
    await clock.advance(TRIAL);
    for (let call = 0; call < 5; call += 1) expect(await send(`/c${call}`, 'alice')).toEqual({ good: true });
  });

  it('stale data are refreshed by the first trial after the outage, however long it was', async () => {
    const { send, refused, clock, transport } = refusing();
    await send('/1');
    refused.add('operator');
    for (let second = 0; second < 5 * 60; second += 3) {
      await clock.advance(TRIAL);
      await send('/1');
    }
    refused.clear();
    transport.respond = () => ({ body: { good: 'again' } });
    await clock.advance(TRIAL);
    expect(await send('/1')).toEqual({ good: 'again' });
  });

  it('serves the caller’s own data for five minutes at most', async () => {
    const { send, refused, clock, transport } = refusing();
    await send('/1', 'alice');
    refused.add('alice');
    await clock.advance(5 * MINUTE - 1);
    expect(await send('/1', 'alice')).toEqual({ good: true });
    await clock.advance(1);
    expect(await send('/1', 'alice')).toMatchObject(PERHAPS);
    await clock.advance(TRIAL);
    expect(await send('/1', 'alice')).toMatchObject(PERHAPS);
    expect(transport.sent).toHaveLength(3);
  });

  it('says of a write that it did nothing, and that the service may be down', async () => {
    const { send, refused } = refusing();
    await send('/1', 'alice');
    refused.add('alice');
    const write = { method: 'POST', cache: 'never', key: 'caller', body: {} };
    const refusal = await send('/1', 'alice', write);
    expect(refusal).toMatchObject({ ...PERHAPS, extensions: { retryAfterSeconds: 3 } });
    expect(refusal).toMatchObject({ message: expect.stringContaining('did nothing') });
  });

  it('is at fault once another key is accepted meanwhile', async () => {
    const { send, refused, clock } = refusing();
    await send('/1', 'alice');
    await send('/1', 'bob');
    refused.add('alice');
    expect(await send('/2', 'alice')).toMatchObject(PERHAPS);
    await clock.advance(1);
    expect(await send('/2', 'bob')).toEqual({ good: true });
    await clock.advance(TRIAL);
    expect(await send('/2', 'alice')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
    expect(await send('/3', 'alice')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
  });

  it('is not at fault for a key that was accepted in a call from before', async () => {
    const { send, refused, clock, transport } = refusing();
    await send('/1', 'alice');
    const { respond } = transport;
    transport.respond = null;
    const early = send('/2', 'bob');
    await clock.advance(1);
    transport.respond = respond;
    refused.add('alice');
    await send('/2', 'alice');
    transport.sent.at(-2)?.respond({ good: true });
    expect(await early).toEqual({ good: true });
    await clock.advance(TRIAL);
    expect(await send('/2', 'alice')).toMatchObject(PERHAPS);
  });

  it('is not sent again because a call of its own from before is accepted', async () => {
    const { send, refused, clock, transport } = refusing();
    await send('/1', 'alice');
    const { respond } = transport;
    transport.respond = null;
    const early = send('/2', 'alice');
    await clock.advance(1);
    transport.respond = respond;
    refused.add('alice');
    expect(await send('/3', 'alice')).toMatchObject(PERHAPS);
    transport.sent.at(-2)?.respond({ good: true });
    expect(await early).toEqual({ good: true });
    expect(await send('/4', 'alice')).toMatchObject(PERHAPS);
    expect(transport.sent).toHaveLength(3);
  });

  it('is at fault after ten minutes', async () => {
    const { send, refused, clock } = refusing();
    await send('/1');
    refused.add('operator');
    expect(await send('/2')).toMatchObject(PERHAPS);
    await clock.advance(10 * MINUTE - 1);
    expect(await send('/2')).toMatchObject(PERHAPS);
    await clock.advance(TRIAL);
    expect(await send('/2')).toMatchObject({ code: 'SOURCE_OFF' });
  });
});

describe('the key of the operator', () => {
  it('is sent for a minute more once it is at fault, however long it was doubtful', async () => {
    const { send, refused, clock } = refusing();
    await send('/1');
    refused.add('operator');
    await send('/2');
    for (let ms = 0; ms < 2 * MINUTE; ms += TRIAL) {
      await clock.advance(TRIAL);
      expect(await send('/2')).toMatchObject(PERHAPS);
    }
    await send('/8', 'alice');
    await clock.advance(TRIAL);
    expect(await send('/2')).toMatchObject({ code: 'SOURCE_OFF' });
    refused.clear();
    expect(await send('/2')).toEqual({ good: true });
  });
});

describe('a key is at fault at once', () => {
  it('when it was last accepted more than fifteen minutes ago', async () => {
    const { send, refused, clock } = refusing();
    await send('/1', 'alice');
    refused.add('alice');
    await clock.advance(15 * MINUTE + 1);
    expect(await send('/2', 'alice')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
  });

  it('when it was never accepted, or the words say what is wrong with it', async () => {
    const { send, refused, words } = refusing();
    refused.add('alice').add('bob');
    expect(await send('/1', 'alice')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
    refused.delete('bob');
    await send('/1', 'bob');
    refused.add('bob');
    words.message = 'expired';
    expect(await send('/2', 'bob')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
  });
});

describe('a key of a service that hardly ever refuses in those words', () => {
  it('is doubtful also if it was accepted by another process, or hours ago', async () => {
    const { send, refused, clock, transport } = refusing(true);
    refused.add('unseen').add('alice');
    expect(await send('/1', 'unseen')).toMatchObject(PERHAPS);
    refused.delete('alice');
    await send('/1', 'alice');
    await clock.advance(60 * MINUTE);
    refused.add('alice');
    expect(await send('/2', 'alice')).toMatchObject(PERHAPS);
    refused.delete('alice');
    await clock.advance(TRIAL);
    expect(await send('/2', 'alice')).toEqual({ good: true });
    expect(transport.sent).toHaveLength(4);
  });

  it('is at fault once another is accepted meanwhile, and stays so', async () => {
    const { send, refused, clock } = refusing(true);
    refused.add('revoked');
    expect(await send('/1', 'revoked')).toMatchObject(PERHAPS);
    await clock.advance(TRIAL);
    expect(await send('/1', 'alice')).toEqual({ good: true });
    expect(await send('/2', 'revoked')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
    await clock.advance(2 * MINUTE);
    expect(await send('/3', 'revoked')).toMatchObject({ code: 'CREDENTIALS_REJECTED' });
  });
});
