import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { createUndiciTransport } from '../../subgraphs/rest/ports/transport.js';

/** Guards that services can be called where a proxy is the only way out. */

let service: Server;
let proxy: Server;
const tunnels: string[] = [];
const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  service = createServer((request, response) => void response.end(`served ${request.url}`)).listen(0, '127.0.0.1');
  proxy = createServer();
  // Leads every name to the service, as a proxy's own resolver would.
  proxy.on('connect', ({ url = '', headers }, socket) => {
    tunnels.push(`${url} ${headers['proxy-authorization'] ?? 'by nobody'}`);
    const target = connect(portOf(service), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await Promise.all([once(service, 'listening'), once(proxy, 'listening')]);
});

afterAll(() => {
  service.close();
  proxy.close();
});

it('services are called through the proxy with its user, others directly', async () => {
  const httpProxy = `http://user:word@127.0.0.1:${portOf(proxy)}`;
  const proxies = { httpProxy, httpsProxy: '', noProxy: 'localhost,127.0.0.1,[::1]' };
  const transport = createUndiciTransport({ connections: 1, proxies });
  const get = async (url: string) => {
    const request = { method: 'GET' as const, url: new URL(url), headers: {}, maxBytes: 1000 };
    const { status, body } = await transport.send(request, new AbortController().signal);
    return `${status} ${Buffer.from(body).toString()}`;
  };
  expect(await get('http://service.example/a')).toBe('200 served /a');
  expect(await get('http://service.example/b')).toBe('200 served /b');
  expect(await get(`http://127.0.0.1:${portOf(service)}/c`)).toBe('200 served /c');
  expect(tunnels).toEqual([`service.example:80 Basic ${Buffer.from('user:word').toString('base64')}`]);
  await transport.close();
});

it('proxies are read from both spellings, never for this machine, and a mistake is named without the password', () => {
  const noProxy = 'localhost,127.0.0.1,[::1],.intern.example';
  const lower = { https_proxy: 'http://proxy.example:3128', no_proxy: '.intern.example' };
  expect(readConfiguration('all', {}).outgoingProxies).toBeNull();
  expect(readConfiguration('all', lower).outgoingProxies).toEqual({
    httpsProxy: 'http://proxy.example:3128',
    httpProxy: '',
    noProxy,
  });
  expect(() => readConfiguration('all', { HTTPS_PROXY: 'user:hidden@proxy.example' })).toThrow(
    /HTTPS_PROXY must be an address such as (?!.*hidden)/,
  );
});
