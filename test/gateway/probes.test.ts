import { once, setMaxListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SERVICES } from '../../kernel/services.js';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { Secret } from '../../runtime/credentials/secret.js';
import { POLLING } from '../polling.js';
import { type OpenedGateway, type OpenOptions, openGateway } from './support/open-gateway.js';

/** Guards readiness, and one caller from another, where a subgraph in another process lets many wait. */

interface Report {
  readonly status: string;
  readonly sources: readonly { readonly name: string; readonly state: string; readonly detail?: string }[];
}

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function open(options: OpenOptions): Promise<OpenedGateway> {
  const gateway = await openGateway(options);
  opened.push(gateway);
  return gateway;
}

/** A server in the place of a subgraph; returns its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const readiness = async ({ url }: OpenedGateway, headers = {}) => {
  const response = await fetch(`${url}/readyz`, { headers });
  return { status: response.status, age: response.headers.get('age'), body: (await response.json()) as Report };
};
const volunteering = ({ sources }: Report) => sources.find(({ name }) => name === 'volunteering');
const UP = { name: 'volunteering', state: 'UP', upstream: 'real', ...NO_FIGURES };
const STATE_HEADERS = new Map([
  ['x-passerelle-state', 'UP'],
  ['x-passerelle-upstreams', 'real'],
]);
const report = (name = 'volunteering', version: string | undefined = VERSION) =>
  JSON.stringify({ version, sources: [{ ...UP, name }] });
const at = (url: string) => ({ connections: { volunteering: { url, token: null } } });

describe('Callers who all wait for one subgraph', () => {
  /** A subgraph whose field `slow` waits, until the test ends. */
  async function openSlow(requestDeadlineMs: number) {
    const waiting: (() => void)[] = [];
    const slow = () => new Promise<string>((resolve) => waiting.push(() => resolve('at last')));
    const gateway = await open({
      shape: 'apart',
      resolvers: { volunteering: { Query: { slow, echo: (_: unknown, { text }: { text: string }) => text } } },
      gateway: { trustedProxies: ['127.0.0.0/8'], requestDeadlineMs },
    });
    let ended = 0;
    // A thousand requests by `fetch` would be most of the work.
    const dispatcher = new Agent();
    opened.push({ close: () => dispatcher.destroy() });
    const begin = (count: number, address: string, signal?: AbortSignal) =>
      Array.from({ length: count }, async () => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
        const options = {
          dispatcher,
          method: 'POST',
          headers,
          body: '{"query":"{ slow }"}',
          ...(signal && { signal }),
        };
        const text = await (await request(`${gateway.url}/graphql`, options)).body.text();
        ended += 1;
        return text;
      });
    const echo = (address: string) =>
      gateway.send('{ echo(text: "at once") }', { headers: { 'x-forwarded-for': address } });
    /** Lets all that wait end, and those whose turn comes then; returns their texts. */
    const untilEnded = async (all: readonly Promise<string>[]) => {
      let isOver = false;
      const texts = Promise.all(all).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const end of waiting.splice(0)) end();
        await new Promise(setImmediate);
      }
      return texts;
    };
    return { gateway, waiting, begin, echo, untilEnded, ended: () => ended };
  }
  const untilWaiting = (waiting: readonly unknown[], count: number) =>
    vi.waitFor(() => expect(waiting.length).toBe(count), POLLING);

  test('take no probe its connection, and their subgraph is up', async () => {
    const { gateway, begin, waiting, ended, untilEnded } = await openSlow(60_000);
    const all = ['192.0.2.1', '192.0.2.2'].flatMap((address) => begin(70, address));
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThanOrEqual(128), POLLING);
    const { status, body } = await readiness(gateway);
    expect([status, volunteering(body)?.state, ended()]).toEqual([200, 'UP', 0]);
    await untilEnded(all);
  });

  test('leave the queue when they leave: their calls are never sent', async () => {
    const { gateway, begin, waiting, echo, untilEnded } = await openSlow(60_000);
    const first = begin(128, '192.0.2.1');
    await untilWaiting(waiting, 128);
    const leave = new AbortController();
    setMaxListeners(0, leave.signal);
    const others = begin(20, '192.0.2.1', leave.signal);
    await echo('192.0.2.2');
    leave.abort();
    await Promise.allSettled(others);
    await echo('192.0.2.2');
    await untilEnded(first);
    expect((await echo('192.0.2.1')).data).toEqual({ echo: 'at once' });
    expect(gateway.subgraphs.volunteering.requested).toHaveLength(128 + 3);
  });
});

describe('Readiness', () => {
  test('is probed once a second, however many ask, and says how old it is', async () => {
    let probes = 0;
    const url = await serve((_, response) => {
      probes += 1;
      response.end(report());
    });
    const gateway = await open(at(`${url}/graphql`));
    const before = probes;
    const startedMs = performance.now();
    const all = await Promise.all(Array.from({ length: 50 }, () => readiness(gateway)));
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(new Set(all.map(({ body, age }) => `${volunteering(body)?.state} ${age}`))).toEqual(new Set(['UP 0']));
    expect(probes - before).toBeLessThanOrEqual(1 + seconds);
  });

  test('is found once a second in one process too, and written once for all', async () => {
    const gateway = await open({});
    let found = 0;
    gateway.subgraphs.volunteering.figures = () => {
      found += 1;
      return { ...NO_FIGURES, drift: found };
    };
    const startedMs = performance.now();
    const all = await Promise.all(Array.from({ length: 50 }, () => readiness(gateway)));
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(all.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(found).toBeLessThanOrEqual(1 + seconds);
    await vi.waitFor(async () => {
      const { body } = await readiness(gateway);
      expect(volunteering(body)).toMatchObject({ drift: found });
      expect(found).toBeGreaterThan(0);
    }, POLLING);
  });

  test('says nothing new of a subgraph if the gateway was too busy to hear it', async () => {
    const url = await serve((_, response) => {
      // All of this process stands still, as under work that cannot be interrupted.
      if (isBusy) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      response.end(report());
    });
    let isBusy = false;
    const gateway = await open(at(`${url}/graphql`));
    isBusy = true;
    await vi.waitFor(async () => expect((await readiness(gateway)).age).not.toBe('0'), POLLING);
    expect(volunteering((await readiness(gateway)).body)).toEqual(UP);
  });

  test.each([
    ['0.0.9', 'version 0.0.9'],
    [undefined, 'another version'],
    ['<a page>', 'another version'],
  ])('has a detail and no other state while the version of a subgraph is %s', async (version, named) => {
    const url = await serve((_, response) =>
      response.end(JSON.stringify({ version, sources: [{ ...UP, detail: 'loading: 3 of 4' }] })),
    );
    const gateway = await open(at(`${url}/graphql`));
    const detail = `loading: 3 of 4; its subgraph has ${named}, this gateway version ${VERSION}`;
    expect(volunteering((await readiness(gateway)).body)).toEqual({ ...UP, detail });
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('lacks only those figures of a subgraph that it sends in another form', async () => {
    const sources = [{ ...UP, detail: 5, quotas: 5, drift: 7 }];
    const url = await serve((_, response) => response.end(JSON.stringify({ version: VERSION, sources })));
    const gateway = await open(at(`${url}/graphql`));
    expect(volunteering((await readiness(gateway)).body)).toEqual({ ...UP, drift: 7 });
  });

  test('is known of a subgraph by its latest response, or soon by its silence, even if nobody asks for it', async () => {
    const gateway = await open({ shape: 'apart', resolvers: { volunteering: { Query: { echo: () => 'x' } } } });
    const traced = async () => {
      const { extensions } = await gateway.send('{ echo }', { headers: { 'x-passerelle-trace': '1' } });
      return extensions?.passerelle?.sources.find(({ name }) => name === 'volunteering')?.state;
    };
    expect(await traced()).toBe('UP');
    gateway.subgraphs.volunteering.state = 'DEGRADED';
    expect(await traced()).toBe('DEGRADED');
    await gateway.listeners[SERVICES.indexOf('volunteering')]?.close();
    await vi.waitFor(async () => expect(await traced()).toBe('DOWN'), POLLING);
  });

  test('says of the own version of a subgraph nothing', async () => {
    const gateway = await open({ shape: 'apart' });
    const { body } = await readiness(gateway);
    expect(body.sources.map(({ state, detail }) => [state, detail])).toEqual(SERVICES.map(() => ['UP', undefined]));
  });

  test.each<[string, (url: string) => string, RequestListener, string]>([
    [
      'by https where http is spoken',
      (url) => `${url.replace('http:', 'https:')}/graphql`,
      (_, response) => response.end(report()),
      'begins with https:, but what answers there speaks http',
    ],
    [
      'of another subgraph',
      (url) => `${url}/graphql`,
      (_, response) => response.setHeaders(STATE_HEADERS).end(report('work-study')),
      'is the address of another subgraph: work-study',
    ],
    [
      'of a web page',
      (url) => `${url}/graphql`,
      (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>'),
      'is not the address of a subgraph',
    ],
    [
      'without its path',
      (url) => url,
      ({ url }, response) => (url === '/readyz' ? response.end(report()) : response.writeHead(404).end('{}')),
      'is not the GraphQL endpoint, which ends with /graphql',
    ],
  ])(
    'names the variable of an address %s, and no response of it makes it up',
    async (_what, addressOf, answer, why) => {
      const url = await serve(answer);
      const gateway = await open(at(addressOf(url)));
      const detail = `SUBGRAPH_VOLUNTEERING_URL ${why}`;
      for (let time = 0; time < 2; time += 1) {
        expect(volunteering((await readiness(gateway)).body)).toMatchObject({ state: 'DOWN', detail });
        expect((await gateway.send('{ missions { id } }')).data).toEqual({ missions: null });
      }
      expect(gateway.log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([detail]);
    },
  );
});

describe('Readiness in production', () => {
  const SECRET = 'a secret of the operator';
  const openProduction = (callerRequestsPerMinute = 0) =>
    open({ gateway: { production: true, trace: new Secret(SECRET), callerRequestsPerMinute } });

  test('tells strangers the states, and whoever has the secret everything', async () => {
    const gateway = await openProduction();
    const states = SERVICES.map((name) => ({ name, state: 'UP' }));
    const { body } = await readiness(gateway);
    expect(body).toEqual({ status: 'ready', upstreams: 'sandbox', sources: states });
    expect((await readiness(gateway, { 'x-passerelle-trace': 'a guess' })).body).toEqual(body);
    const { sources } = (await readiness(gateway, { 'x-passerelle-trace': SECRET })).body;
    expect(sources).toEqual(states.map((one) => ({ ...one, upstream: 'sandbox', ...NO_FIGURES })));
  });

  test('counts against the caller, and is never refused', async () => {
    const gateway = await openProduction(5);
    expect(await (await fetch(`${gateway.url}/healthz`)).json()).toEqual({ status: 'ok', version: VERSION });
    for (let time = 0; time < 4; time += 1)
      expect((await readiness(gateway)).body.sources).toHaveLength(SERVICES.length);
    expect((await gateway.send('{ __typename }')).status).toBe(429);
    expect((await readiness(gateway)).status).toBe(200);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });
});
