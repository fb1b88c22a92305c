import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOperation } from './support/operation.js';
import { createToolkit, search, type Toolkit } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';
import { json, startWireServer, type WireServer } from './support/wire-server.js';

let server: WireServer;
let toolkit: Toolkit;

beforeEach(async () => {
  server = await startWireServer();
  toolkit = createToolkit(server.url);
});

afterEach(async () => {
  await toolkit.close();
  await server.close();
});

const send = (operation = createOperation(), more: Parameters<typeof search>[0] = {}) =>
  toolkit.call(search({ cache: 'never', ...more }), operation);

describe('a reset before a byte of the response', () => {
  it.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closed', (socket: Socket) => socket.destroy()],
  ])('a query by POST is sent again on a new connection when its idle one is %s', async (_how, end) => {
    const posted = { method: 'POST', write: false, cache: 'never', body: {} } as const;
    let calls = 0;
    server.respond = (request, response, incoming) => {
      calls += 1;
      if (calls === 2) end(incoming.socket);
      else json({ calls })(request, response, incoming);
    };
    await send();
    await settle();
    expect(await send(createOperation(), posted)).toEqual({ calls: 3 });
  });

  it('a query by POST is sent once when a new connection is reset, and a write in any case', async () => {
    let calls = 0;
    server.respond = (request, response, incoming) => {
      calls += 1;
      if (calls === 2) json({})(request, response, incoming);
      else incoming.socket.resetAndDestroy();
    };
    await expect(send(createOperation(), { method: 'POST', write: false, cache: 'never', body: {} })).rejects.toThrow();
    await send();
    await settle();
    await expect(send(createOperation(), { method: 'POST', cache: 'never', body: {} })).rejects.toThrow();
    expect(calls).toBe(3);
  });
});
