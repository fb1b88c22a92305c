import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { boundResponses } from '../../runtime/http/bound-responses.js';
import { releaseConnections } from '../../runtime/http/release-connections.js';

/** Guards that a closing server waits for no idle connection. */

it('closing a server cuts a connection that never asked anything, and answers the request that came', async () => {
  const server = fastify();
  releaseConnections(server, () => false);
  boundResponses(server, 10_000, { debug: unused, info: unused, warn: unused, error: unused });
  let finish = (_text: string) => {};
  const arrived = new Promise<void>((resolve) => {
    server.get('/', () => {
      resolve();
      return new Promise((response) => {
        finish = response;
      });
    });
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;

  const accepted = once(server.server, 'connection');
  const silent = connect(port, '127.0.0.1').resume();
  await accepted;
  const requested = fetch(url);
  await arrived;

  const cut = once(silent, 'close');
  const closed = server.close();
  await cut;
  finish('the answer');
  expect(await (await requested).text()).toBe('the answer');
  await closed;
});

function unused(): void {}
