import { afterEach, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { type OpenedGateway, openGateway } from './support/open-gateway.js';

const MAX_RESPONSE_BYTES = 1_000_000;
/** Estimated at more than half of the maximum response size. */
const LARGE = '{ mission(id: "1") { near(first: 9000) { nodes { id title city } } } }';
const SMALL = '{ mission(id: "1") { near(first: 10) { nodes { id title city } } } }';
const KEYS = ['first', 'second', 'third'].map((name) => ({ 'x-work-study-key': `${name}-key-of-a-caller` }));

describe('Large operations', () => {
  let gateway: OpenedGateway;
  afterEach(() => gateway.close());

  /** A gateway whose source waits until it is told to respond. */
  async function open(requestDeadlineMs = 60_000) {
    const waiting: (() => void)[] = [];
    const found = { id: '1', near: { nodes: [] } };
    let waits = true;
    const mission = () => (waits ? new Promise((resolve) => waiting.push(() => resolve(found))) : found);
    const resolvers = { volunteering: { Query: { mission } } };
    const options = { maxResponseBytes: MAX_RESPONSE_BYTES, requestDeadlineMs };
    gateway = await openGateway({ resolvers, gateway: options });
    const requested = (count: number) => vi.waitFor(() => expect(waiting).toHaveLength(count), POLLING);
    const respondAtOnce = () => {
      waits = false;
      for (const respond of waiting.splice(0)) respond();
    };
    return { waiting, requested, respondAtOnce };
  }

  test('of one caller wait for each other, those of others and small ones for nobody', async () => {
    const { waiting, requested } = await open();
    const [first, second] = KEYS;
    const own = [1, 2, 3].map(() => gateway.send(LARGE, { headers: { ...first } }));
    await requested(1);
    const others = [gateway.send(LARGE, { headers: { ...second } }), gateway.send(SMALL, { headers: { ...first } })];
    await requested(3);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    await Promise.all(others);
    for (const _ of [2, 3]) {
      await requested(1);
      waiting.shift()?.();
    }
    for (const { errors } of await Promise.all(own)) expect(errors).toBeUndefined();
  });

  test('wait a hundred for one caller, whose next one is refused at once; that of another is not', async () => {
    const { requested, respondAtOnce } = await open();
    const [first, second] = KEYS;
    const own = Array.from({ length: 102 }, () => gateway.send(LARGE, { headers: { ...first } }));
    const refused = await Promise.race(own);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.errors).toMatchObject([{ extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 } }]);
    const other = gateway.send(LARGE, { headers: { ...second } });
    await requested(2);
    respondAtOnce();
    const responses = await Promise.all([...own, other]);
    expect(responses.filter(({ errors }) => errors !== undefined)).toEqual([refused]);
  });

  test('that wait too long are told so, and those behind them are not held up', async () => {
    const { waiting, requested } = await open(1_000);
    const responses = await Promise.all([gateway.send(LARGE), gateway.send(LARGE)]);
    for (const { errors } of responses) {
      expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['DEADLINE_EXCEEDED']);
    }
    expect(waiting).toHaveLength(1);
    waiting.splice(0);
    const after = gateway.send(LARGE);
    await requested(1);
    waiting.shift()?.();
    expect((await after).errors).toBeUndefined();
  });
});
