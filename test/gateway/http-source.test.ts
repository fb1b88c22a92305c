import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpSubgraph } from '../../gateway/remote/http-subgraph.js';
import { GatewayRequest } from '../../gateway/request/request.js';
import type { CodedError } from '../../kernel/errors.js';
import { type CallAllowance, createCallAllowance } from '../../kernel/operation.js';
import { fromEachService, SERVICES } from '../../kernel/services.js';
import { Secret } from '../../runtime/credentials/secret.js';
import type { SubgraphRequest } from '../../runtime/subgraph-execution.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { openGateway } from './support/open-gateway.js';

/** A subgraph in another process, or a proxy in front of it, that responds badly. */
let server: Server;
let url: string;
let respond: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((incoming, response) => {
    incoming.resume();
    if (incoming.method === 'GET') json(REPORT)(response);
    else if (incoming.headers['content-length'] === '2') json({}, 400)(response);
    else respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
});
afterAll(() => server.close());

const NOBODY = fromEachService(() => null);
const json =
  (body: unknown, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');

const MISSIONS: SubgraphRequest = { query: '{ missions { id } }' };
const APPLY: SubgraphRequest = { query: 'mutation Apply__0($id:ID!){apply(id:$id)}', variables: { id: '1' } };

const REPORT = { sources: [{ name: 'volunteering', state: 'UP', upstream: 'real' }] };

/** The response to one operation; or why it failed, and whether the subgraph counts as reached since. */
async function send(
  deadlineMs = 10_000,
  request: SubgraphRequest = MISSIONS,
  more: { token?: Secret | null; maxResponseBytes?: number; allowance?: CallAllowance } = {},
) {
  const { token = null, maxResponseBytes = 33_554_432, allowance = null } = more;
  const address = { service: 'volunteering', url, token } as const;
  const subgraph = createHttpSubgraph(address, { maxResponseBytes, log: createMemoryLog() });
  await subgraph.findFigures();
  const own = { id: 'r', callerId: '', deadlineMs, credentials: NOBODY, recordCalls: true, allowance };
  const gatewayRequest = new GatewayRequest(own);
  try {
    return await subgraph.execute(request, gatewayRequest.operationOf('volunteering', 'missions'), gatewayRequest);
  } catch (error) {
    return { failed: error, isReached: subgraph.status().state === 'UP' };
  } finally {
    gatewayRequest.finish();
    await subgraph.close();
  }
}

const LOST = 'The subgraph volunteering cannot be reached.';
const ODD = 'The subgraph volunteering did not respond with GraphQL.';

describe('a subgraph over HTTP', () => {
  it('is cut off when its response has more bytes than a response of ours is made of', async () => {
    respond = json({ data: { missions: 'x'.repeat(5_000_000) } });
    expect(await send(10_000, MISSIONS, { maxResponseBytes: 1 })).toMatchObject({
      failed: { code: 'ANSWER_TOO_LARGE' },
      isReached: true,
    });
  });

  it.each<[string, typeof respond, string]>([
    ['closes the connection', (response) => response.socket?.destroy(), LOST],
    ['resets the connection', (response) => response.socket?.resetAndDestroy(), LOST],
    [
      'cuts its answer',
      (response) => response.writeHead(200, { 'content-length': 99 }).write('{"da', () => response.destroy()),
      LOST,
    ],
    ['is hidden by the 502 of a proxy', page(502), ODD],
    ['is hidden by a page that says 200', page(200), ODD],
    ['answers with JSON that is no GraphQL', json({ status: 'fine' }), ODD],
    ['answers with a list', json([]), ODD],
    ['answers with data that are a list', json({ data: [] }), ODD],
    ['answers with errors that are none', json({ data: null, errors: [] }), ODD],
    [
      'nests its answer deeper than it could be written again',
      (response) => response.end(`{"data":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
      ODD,
    ],
  ])('that %s is unavailable, and nothing of its words is told', async (_what, badly, message) => {
    respond = badly;
    expect(await send()).toMatchObject({
      failed: { message, extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'volunteering' } },
      isReached: message === ODD,
    });
    respond = json({ data: { missions: [] } });
    expect(await send()).toEqual({ data: { missions: [] } });
  });

  it('that takes the token for a wrong one is unavailable, and says why', async () => {
    respond = json({ errors: [{ message: 'No.' }] }, 401);
    const message = 'The subgraph volunteering refuses the token of the gateway.';
    expect(await send(10_000, MISSIONS, { token: new Secret('wrong') })).toMatchObject({
      failed: { message, extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'volunteering' } },
    });
  });

  it.each<[string, typeof respond]>([
    ['is lost', (response) => response.socket?.destroy()],
    ['is cut', (response) => response.writeHead(200, { 'content-length': 99 }).write('{"da', () => response.destroy())],
    ['is hidden by the 502 of a proxy', page(502)],
  ])('whose response to a mutation %s does not say whether it was done', async (_what, badly) => {
    respond = badly;
    const message =
      'The subgraph volunteering did not confirm this write, which may have been done: check before you repeat it.';
    const failed = { message, extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'volunteering' } };
    expect(await send(10_000, APPLY)).toMatchObject({ failed });
  });

  it('that tells of calls in the words of another version has made them all the same', async () => {
    const allowance = createCallAllowance(10);
    const passerelleCalls = [{ service: 'volunteering', sent: 2, weight: 3 }, 'a call'];
    respond = json({ data: { missions: [] }, extensions: { passerelleCalls } });
    expect(await send(10_000, MISSIONS, { allowance })).toEqual({ data: { missions: [] } });
    expect(allowance.left()).toBe(3);
  });

  it('that refuses the connection was sent no mutation', async () => {
    const there = url;
    url = 'http://127.0.0.1:1/graphql';
    const { failed } = (await send(10_000, APPLY)) as { failed: unknown };
    url = there;
    expect(failed).toMatchObject({ message: LOST });
  });

  it('that responds with fewer entities than were requested is told by a code, and the log has how many', async () => {
    respond = json({ data: { _entities: [{ nom: 'Rouen' }] } });
    const representations = ['76540', '76541'].map((insee) => ({ __typename: 'Commune', insee }));
    const query = 'query($representations:[_Any!]!){_entities(representations:$representations){...on Commune{nom}}}';
    const { failed } = (await send(10_000, { query, variables: { representations } })) as { failed: CodedError };
    expect(failed).toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(failed.cause).toMatchObject({ message: 'volunteering responded with 1 entities to 2 representations.' });
  });

  it.each<[string, typeof respond]>([
    ['says nothing', () => {}],
    ['never ends', (response) => response.write('{"data":')],
  ])('that %s is left when the time is over', async (_what, badly) => {
    const left = new Promise((resolve) => {
      respond = (response) => {
        response.once('close', resolve);
        badly(response);
      };
    });
    expect(await send(20)).toMatchObject({ failed: { code: 'DEADLINE_EXCEEDED' } });
    await left;
  });

  it('that is left when the time is over does not say whether a mutation was done', async () => {
    respond = () => {};
    const message =
      'The subgraph volunteering did not confirm this write, which may have been done: check before you repeat it.';
    const failed = { message, extensions: { code: 'DEADLINE_EXCEEDED', service: 'volunteering' } };
    expect(await send(20, APPLY)).toMatchObject({ failed });
  });
});

describe('A gateway whose subgraphs refuse its token', () => {
  it.each([
    ['has another', new Secret('another token')],
    ['has none', null],
  ])('because it %s says so to callers and balancers, and once in its log, with the variable', async (_why, token) => {
    const apart = await openGateway({ shape: 'apart' });
    const connections = SERVICES.map((name, index) => [name, { url: apart.listeners[index]?.url ?? '', token }]);
    const gateway = await openGateway({ gateway: { subgraphs: Object.fromEntries(connections) } });
    const inLog = () => gateway.log.filter(({ level }) => level === 'error').map(({ message }) => message);
    const remedies = SERVICES.map(
      (name) => `the subgraph ${name} refuses this gateway: give both the same SUBGRAPH_TOKEN`,
    );
    expect(inLog().sort()).toEqual([...remedies].sort());
    for (let time = 0; time < 2; time += 1) {
      const { data, errors } = await gateway.send('{ missions { id } }');
      expect(data).toEqual({ missions: null });
      expect(errors).toMatchObject([
        {
          message: 'The subgraph volunteering refuses the token of the gateway.',
          extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'volunteering' },
        },
      ]);
      const ready = await fetch(`${gateway.url}/readyz`);
      const { sources } = (await ready.json()) as { sources: { state: string; detail: string }[] };
      expect(sources.map(({ state, detail }) => `${state}: ${detail}`)).toEqual(
        SERVICES.map(() => 'DOWN: its subgraph refuses the token of the gateway'),
      );
    }
    expect(inLog()).toHaveLength(SERVICES.length);
    await gateway.close();
    await apart.close();
  });
});

describe('A join below an alias that is longer than all headers may be', () => {
  it.each(['in process', 'apart'] as const)('is answered, %s', async (shape) => {
    const gateway = await openGateway({
      shape,
      resolvers: {
        volunteering: { Query: { missions: () => [{ id: '1', city: 'Rouen' }] } },
        'work-study': { Mission: { commune: () => ({ nom: 'Rouen' }) } },
      },
    });
    const alias = 'a'.repeat(20_000);
    const { data, errors } = await gateway.send(`{ ${alias}: missions { commune { nom } } }`);
    expect(errors?.map(({ message }) => message)).toBeUndefined();
    expect(data[alias]).toEqual([{ commune: { nom: 'Rouen' } }]);
    await gateway.close();
  });
});
