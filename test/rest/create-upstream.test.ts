import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKey, createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { createVirtualClock } from './support/virtual-clock.js';
import { json, startWireServer, type WireServer } from './support/wire-server.js';

let server: WireServer;
let toolkit: Toolkit;

beforeEach(async () => {
  server = await startWireServer(json({ total: 3 }));
  toolkit = createToolkit(`${server.url}/base/`);
});

afterEach(async () => {
  await toolkit.close();
  await server.close();
});

describe('a call', () => {
  it('a call goes out with the operator’s key and its query, and comes back as the client reads it', async () => {
    const request = search({
      query: [
        ['keywords', 'café & thé'],
        ['size', '2'],
      ],
      parse: ({ json: body }) => ({ body }),
    });
    const value = await toolkit.call(request, createOperation());
    expect(value).toEqual({ body: { total: 3 } });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/base/v0/mission?keywords=caf%C3%A9%20%26%20th%C3%A9&size=2',
    });
    expect(server.seen[0]?.headers).toMatchObject({ 'x-api-key': 'secret-of-operator', accept: 'application/json' });
  });

  it('a call prefers the caller’s own key', async () => {
    await toolkit.call(search(), createOperation({ credential: createKey('alice') }));
    expect(server.seen[0]?.headers['x-api-key']).toBe('secret-of-alice');
  });

  it('a call records its call', async () => {
    server.respond = json({}, 200, {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': '30',
    });
    const operation = createOperation();
    // A clock that stands still, so that a busy machine does not make the call look queued.
    const timeless = createToolkit(`${server.url}/base/`, {}, { clock: createVirtualClock() });
    await timeless.call(search({ template: '/v0/mission/{id}', path: '/v0/mission/7', entities: 4 }), operation);
    await timeless.close();
    expect(operation.rows).toEqual([
      {
        service: 'volunteering',
        method: 'GET',
        path: '/v0/mission/{id}',
        status: 200,
        startMs: 0,
        ms: 0,
        bytes: 2,
        cache: 'MISS',
        // A minute, less the tenth by which freshness may end early.
        freshMs: 54_000,
        entities: 4,
        retries: 0,
        sent: 1,
        quota: { limit: 60, remaining: 59, resetSeconds: 30 },
        planNode: 'missions.nodes.@',
      },
    ]);
  });
});
