import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpExecutor, createPool } from '../../gateway/remote/http-subgraph.js';
import type { SubgraphExecutor } from '../../gateway/remote/source.js';
import { createSubgraphResponses } from '../../gateway/remote/subgraph-responses.js';
import { createRemoteState, type Pool } from '../../gateway/remote/subgraph-state.js';
import { createGatewayRequest, type GatewayRequest } from '../../gateway/request/request.js';
import { unwatched } from '../../kernel/caches.js';
import type { Credential } from '../../kernel/operation.js';
import { fromEachService, type ServiceName } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { createCredentialMinter, createRootKeys } from '../../runtime/credentials/credentials.js';
import { Secret } from '../../runtime/credentials/secret.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

const MISSIONS: SubgraphRequest = { query: '{ missions { id } }', variables: { first: 2 } };
const KEY = createCredentialMinter(createRootKeys([]))('key-of-alice');

/** The trace row of a call that the subgraph had cached, fresh for a minute. */
const HIT: UpstreamCall = {
  ...{ service: 'volunteering', method: 'GET', path: '/v0/mission', planNode: 'ofTheSubgraph' },
  ...{ status: null, startMs: 3, ms: 2, bytes: 0, cache: 'HIT', entities: 2, retries: 0, sent: 0, freshMs: 60_000 },
};
const MISS: UpstreamCall = { ...HIT, status: 200, bytes: 99, cache: 'MISS', sent: 1 };

/** A subgraph that numbers its responses and reports the calls that they needed. */
let server: Server;
let pool: Pool;
let bodies: string[];
let respond: (number: number) => unknown;
beforeAll(async () => {
  pool = createPool(33_554_432);
  server = createServer(async (incoming, response) => {
    bodies.push(await text(incoming));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(respond(bodies.length)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  await pool.destroy();
  server.close();
});

let subgraphs: Record<'volunteering' | 'work-study', SubgraphExecutor>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  bodies = [];
  respond = (number) => numbered(number, [HIT]);
  const responses = createSubgraphResponses(unwatched);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const token = new Secret('token');
  const open = (service: ServiceName) => {
    const state = createRemoteState({ service, url, token }, pool, createMemoryLog());
    return createHttpExecutor({ service, url, token, dispatcher: pool, state, responses });
  };
  subgraphs = { volunteering: open('volunteering'), 'work-study': open('work-study') };
});
afterEach(() => void vi.useRealTimers());

const numbered = (number: number, passerelleCalls: readonly UpstreamCall[], more: object = {}) => ({
  data: { missions: [{ id: `m${number}` }] },
  extensions: { passerelleCalls, ...more },
});
const missionsOf = ({ data }: SubgraphResponse) => (data as { missions: { id: string }[] }).missions;

interface Sent {
  readonly request?: SubgraphRequest;
  readonly key?: Credential | null;
  readonly service?: 'volunteering' | 'work-study';
  readonly dryRun?: boolean;
  /** Whether the gateway itself sends the operation. */
  readonly internal?: boolean;
}

/** The response, and the gateway request for which it was executed. */
async function send(sent: Sent = {}): Promise<{ response: SubgraphResponse; gatewayRequest: GatewayRequest }> {
  const { request = MISSIONS, key = null, service = 'volunteering', dryRun = false, internal = false } = sent;
  const gatewayRequest = createGatewayRequest({
    ...{ id: 'r', callerId: '', deadlineMs: 10_000, recordCalls: true, internal },
    credentials: { ...fromEachService(() => null), volunteering: key },
  });
  try {
    const operation = { ...gatewayRequest.operationOf(service, 'missions'), ...(dryRun && { dryRun }) };
    return { response: await subgraphs[service].execute(request, operation, gatewayRequest), gatewayRequest };
  } finally {
    gatewayRequest.finish();
  }
}

describe('What a gateway stores of responses of a subgraph over HTTP', () => {
  it('What a gateway stores of responses of a subgraph over HTTP is a response whose calls the subgraph had cached: its data, and its rows with what is left of freshness', async () => {
    await send();
    vi.setSystemTime(Date.now() + 20_000);
    const { response, gatewayRequest } = await send();
    expect(response).toEqual({ data: { missions: [{ id: 'm1' }] } });
    const { calls, isCacheable, services } = gatewayRequest.recorder;
    const { startMs, ...row } = { ...HIT, ms: 0, freshMs: 40_000, planNode: 'missions' };
    expect(calls).toEqual([{ ...row, startMs: expect.any(Number) }]);
    expect({ isCacheable, services: [...services] }).toEqual({ isCacheable: true, services: ['volunteering'] });
    expect(gatewayRequest.recorder.totals()).toEqual({ callsMade: 0, savedByCache: 1, savedBySharing: 0 });
    expect(gatewayRequest.recorder.freshUntilMs()).toBe(Date.now() + 40_000);
    expect(bodies).toHaveLength(1);
  });

  it('What a gateway stores of responses of a subgraph over HTTP ends with the freshness of its first call, and is of no use once the clock was set back', async () => {
    respond = (number) => numbered(number, [HIT, { ...HIT, freshMs: 1_000 }]);
    const atMs = Date.now();
    for (const [passedMs, id] of [
      [0, 'm1'],
      [999, 'm1'],
      [1_000, 'm2'],
      [-1, 'm3'],
    ] as const) {
      vi.setSystemTime(atMs + passedMs);
      expect(missionsOf((await send()).response), `after ${passedMs} ms`).toEqual([{ id }]);
    }
  });

  it.each([
    ['however long its calls are fresh', [{ ...HIT, freshMs: 3_600_000 }]],
    ['where it needed none', []],
  ])(
    'What a gateway stores of responses of a subgraph over HTTP is answered again for a minute at most, %s',
    async (_what, calls) => {
      respond = (number) => numbered(number, calls);
      const atMs = Date.now();
      for (const [passedMs, id] of [
        [0, 'm1'],
        [59_999, 'm1'],
        [60_000, 'm2'],
      ] as const) {
        vi.setSystemTime(atMs + passedMs);
        expect(missionsOf((await send()).response), `after ${passedMs} ms`).toEqual([{ id }]);
      }
    },
  );

  it('What a gateway stores of responses of a subgraph over HTTP is a copy for each request, which may change it', async () => {
    for (const _time of [1, 2, 3]) {
      const missions = missionsOf((await send()).response);
      expect(missions).toEqual([{ id: 'm1' }]);
      missions.push({ id: 'changed' });
    }
  });

  it('What a gateway stores of responses of a subgraph over HTTP belongs to the operation, its variables and its service', async () => {
    await send();
    await send({ request: { ...MISSIONS, variables: { first: 3 } } });
    await send({ request: { ...MISSIONS, query: '{ missions { title } }' } });
    await send({ service: 'work-study' });
    expect(bodies).toHaveLength(4);
    await send();
    expect(bodies).toHaveLength(4);
  });

  it('What a gateway stores of responses of a subgraph over HTTP is neither given to a caller with a key for the service nor made for one', async () => {
    for (const id of ['m1', 'm2']) expect(missionsOf((await send({ key: KEY })).response)).toEqual([{ id }]);
    for (const _time of [1, 2]) expect(missionsOf((await send()).response)).toEqual([{ id: 'm3' }]);
    expect(missionsOf((await send({ key: KEY })).response)).toEqual([{ id: 'm4' }]);
    const other = await send({ key: KEY, service: 'work-study' });
    expect(missionsOf(other.response), 'a key of another service has no part in it').toEqual([{ id: 'm5' }]);
    expect(missionsOf((await send({ service: 'work-study' })).response)).toEqual([{ id: 'm5' }]);
  });

  it.each<[string, (number: number) => unknown, Sent?]>([
    ['that had to make a call', (number) => numbered(number, [HIT, MISS])],
    ['that waited for a call of somebody else', (number) => numbered(number, [{ ...HIT, cache: 'COALESCED' }])],
    ['that nobody may cache', (number) => numbered(number, [HIT], { passerelleUncacheable: true })],
    ['with a call that has no freshness', (number) => numbered(number, [{ ...HIT, freshMs: undefined } as never])],
    ['with a call that is fresh for ever', (number) => numbered(number, [{ ...HIT, freshMs: 1e300 }])],
    ['with a row that is none', (number) => numbered(number, [HIT, {} as never])],
    ['that says nothing of its calls', (number) => ({ data: { missions: [{ id: `m${number}` }] } })],
    ['with an error', (number) => ({ ...numbered(number, [HIT]), errors: [{ message: 'No.', path: ['missions'] }] })],
    ['to a dry run', (number) => numbered(number, [HIT]), { dryRun: true }],
    ['to an operation of the gateway’s own', (number) => numbered(number, [HIT]), { internal: true }],
    ['to a mutation', (number) => numbered(number, [HIT]), { request: { query: ' mutation { missions { id } }' } }],
    ['that is large', (number) => ({ ...numbered(number, [HIT]), data: { missions: ['x'.repeat(270_000)] } })],
  ])('What a gateway stores of responses of a subgraph over HTTP is no response %s', async (_which, how, sent = {}) => {
    respond = how;
    for (const time of [1, 2, 3]) {
      const { gatewayRequest } = await send(sent);
      expect(gatewayRequest.recorder.freshUntilMs() ?? 0).toBeLessThan(Date.now() + 7 * 86_400_000);
      expect(bodies).toHaveLength(time);
    }
  });
});
