import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { boundResponses, releaseConnections } from '../../runtime/http/server.js';

/** Guards that a closing server waits for no connection but those of requests that have arrived. */

it('closing a server cuts connections that never asked anything or only half, and answers the request that came', async () => {
  const server = fastify();
  releaseConnections(server, () => false);
  boundResponses(server, 10_000, { debug: unused, info: unused, warn: unused, error: unused });
  server.post('/', () => 'never');
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
  const begun = once(server.server, 'request');
  const half = connect(port, '127.0.0.1').resume();
  half.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{');
  await begun;
  const requested = fetch(url);
  await arrived;

  const cut = Promise.all([once(silent, 'close'), once(half, 'close')]);
  const closed = server.close();
  await cut;
  finish('the answer');
  expect(await (await requested).text()).toBe('the answer');
  await closed;
});

it('closing a server answers a request that was sent before, but not yet read', async () => {
  const server = fastify({ return503OnClosing: false });
  releaseConnections(server, () => false);
  boundResponses(server, 10_000, { debug: unused, info: unused, warn: unused, error: unused });
  server.get('/', () => 'the answer');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const accepted = once(server.server, 'connection');
  const silent = connect(port, '127.0.0.1');
  await accepted;
  silent.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  const closed = server.close();
  let said = '';
  for await (const chunk of silent) said += String(chunk);
  expect(said).toContain('the answer');
  await closed;
});

function unused(): void {}
