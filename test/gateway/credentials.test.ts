import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readSupergraph } from '../../gateway/execution/supergraph-file.js';
import { temporaryFolder } from '../temporary-folder.js';
import { type OpenedGateway, openGateway, SHAPES, SUPERGRAPH } from './support/open-gateway.js';
import { composeTestGraph } from './support/test-graph.js';

const SENT = {
  'x-work-study-key': 'key-of-work-study',
  'x-volunteering-key': 'key-of-volunteering',
  authorization: 'bearer token-of-waste',
  cookie: 'passerelle=session',
};
const SECRETS = /key-of-|token-of-|session/;

const resolvers = {
  volunteering: { Query: { echo: () => 'v' } },
  'work-study': { Query: { commune: () => ({ nom: 'w' }) } },
  'waste-identity': { Query: { viewer: () => ({ name: 'i' }) } },
};

const ALL_THREE = '{ echo commune(insee: "1") { nom } viewer { name } }';

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe.each(SHAPES)('the credentials of a caller, %s', (shape) => {
  it('go to their own service and to no other', async () => {
    gateway = await openGateway({ shape, resolvers });
    expect((await gateway.send(ALL_THREE, { headers: SENT })).errors).toBeUndefined();
    const { subgraphs } = gateway;
    const secretOf = (name: keyof typeof subgraphs) =>
      subgraphs[name].requested.map(({ credential }) => credential?.reveal());
    expect(secretOf('work-study')).toEqual(['key-of-work-study']);
    expect(secretOf('volunteering')).toEqual(['key-of-volunteering']);
    expect(secretOf('waste-identity')).toEqual(['token-of-waste']);
  });

  it('are absent when none was sent, or nothing of their form', async () => {
    gateway = await openGateway({ shape, resolvers });
    await gateway.send(ALL_THREE);
    await gateway.send(ALL_THREE, { headers: { authorization: 'Basic dXNlcjpwYXNz', 'x-work-study-key': ' ' } });
    for (const { requested } of Object.values(gateway.subgraphs)) {
      expect(requested.map(({ credential }) => credential)).toEqual([null, null]);
    }
  });

  it('have equal fingerprints when they are equal, and show themselves nowhere', async () => {
    gateway = await openGateway({ shape, resolvers });
    const responses = [];
    for (const headers of [SENT, SENT, { ...SENT, 'x-work-study-key': 'another' }]) {
      responses.push(await gateway.send(ALL_THREE, { headers: { ...headers, 'x-passerelle-trace': '1' } }));
    }
    const prints = gateway.subgraphs['work-study'].requested.map(({ credential }) => credential?.fingerprint);
    expect(prints[0]).toBe(prints[1]);
    expect(prints[0]).not.toBe(prints[2]);
    expect(JSON.stringify([responses, gateway.log, prints])).not.toMatch(SECRETS);
  });

  it('come with the request id, the time left and the plan’s fetch', async () => {
    gateway = await openGateway({ shape, resolvers, gateway: { requestDeadlineMs: 5_000 } });
    await gateway.send(ALL_THREE, { headers: { 'x-request-id': 'r1' } });
    const [operation] = gateway.subgraphs.volunteering.requested;
    expect(operation).toMatchObject({ requestId: 'r1', planNode: '' });
    expect(operation?.deadline.remainingMs()).toBeGreaterThan(0);
    expect(operation?.deadline.remainingMs()).toBeLessThanOrEqual(5_000);
  });
});

describe('a foreign supergraph', () => {
  /** A subgraph that is not ours; it records the headers of every request. */
  async function openForeign(result: object): Promise<{ url: string; seen: IncomingHttpHeaders[]; server: Server }> {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      request
        .resume()
        .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(result)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, seen, server };
  }

  it('is asked at the addresses that it names, without credential, cookie, key or header of ours', async () => {
    const foreign = await openForeign({ data: { echo: 'from afar' } });
    const sdl = composeTestGraph({ volunteering: foreign.url });
    gateway = await openGateway({ resolvers, gateway: { supergraph: { sdl, ours: false } } });
    const result = await gateway.send('{ echo }', { headers: { ...SENT, 'x-passerelle-trace': '1' } });
    foreign.server.close();
    expect(result.data).toEqual({ echo: 'from afar' });
    expect(result.headers.get('x-passerelle-upstreams')).toBe('foreign');
    expect(gateway.subgraphs.volunteering.requested).toEqual([]);
    const names = foreign.seen.flatMap((headers) => Object.keys(headers));
    expect(names.sort()).toEqual(['accept', 'connection', 'content-length', 'content-type', 'host']);
    expect(JSON.stringify(foreign.seen)).not.toMatch(SECRETS);
  });

  it('keeps the words of its uncoded errors to itself', async () => {
    const foreign = await openForeign({
      data: { echo: null },
      errors: [
        { message: 'at /srv/app.js:1', path: ['echo'], extensions: { stacktrace: ['at /srv/app.js:1'] } },
        { message: 'Not today.', path: ['echo'], extensions: { code: 'CLOSED', exception: { stack: '/srv' } } },
      ],
    });
    gateway = await openGateway({
      gateway: { supergraph: { sdl: composeTestGraph({ volunteering: foreign.url }), ours: false } },
    });
    const { errors } = await gateway.send('{ echo }');
    foreign.server.close();
    expect(errors?.map(({ message, extensions }) => [message, extensions['code']])).toEqual([
      ['A subgraph failed to respond.', 'DOWNSTREAM_SERVICE_ERROR'],
      ['Not today.', 'CLOSED'],
    ]);
    expect(JSON.stringify(errors)).not.toContain('/srv');
  });

  it('is every file but the one of this build, to the byte', async () => {
    const { sdl, ours } = await readSupergraph();
    expect(ours).toBe(true);
    const folder = temporaryFolder();
    const file = join(folder, 'supergraph.graphql');
    await writeFile(file, sdl);
    expect((await readSupergraph(file)).ours).toBe(true);
    await writeFile(file, `${sdl}\n`);
    expect((await readSupergraph(file)).ours).toBe(false);
    await writeFile(file, SUPERGRAPH);
    expect(await readSupergraph(file)).toEqual({ sdl: SUPERGRAPH, ours: false });
  });
});
