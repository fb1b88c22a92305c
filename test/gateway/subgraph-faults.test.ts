import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromEachService } from '../../kernel/services.js';
import { type GraphqlResult, type OpenedGateway, openGateway } from './support/open-gateway.js';
import { createTestSubgraph } from './support/test-graph.js';

/** Guards what callers get when a subgraph in another process responds in unusual ways. */

interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

const ENTITIES = [3, 4, 5].map((number) => ({ organization: { title: `Org ${number}` } }));
const jobsAt = (...sirets: string[]): Reply => ({
  body: { data: { jobs: sirets.map((siret) => ({ __typename: 'Workplace', siret })) } },
});
const QUERY = '{ jobs { siret organization { title } } }';

const usual = () => ({ jobs: jobsAt('111', '222', '333'), organizations: { body: { data: { _entities: ENTITIES } } } });

let server: Server;
let gateway: OpenedGateway;
let replies: { jobs: Reply; organizations: Reply } = usual();

beforeAll(async () => {
  server = createServer((request, response) => {
    const { status = 200, body } = replies[request.url === '/jobs' ? 'jobs' : 'organizations'];
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await openGateway({
    gateway: {
      subgraphs: {
        ...fromEachService((name) => createTestSubgraph(name)),
        'work-study': { url: `${url}/jobs`, token: null },
        volunteering: { url: `${url}/organizations`, token: null },
      },
    },
  });
});
beforeEach(() => {
  replies = usual();
});
afterAll(async () => {
  await gateway.close();
  server.close();
  server.closeAllConnections();
});

/** Code and path of each error: `RATE_LIMITED jobs.0.organization`. */
const reported = ({ errors = [] }: GraphqlResult) =>
  errors.map(({ path = [], extensions }) => `${extensions['code']} ${path.join('.')}`);

describe('errors that are none', () => {
  it.each([
    ['null', null],
    ['an empty list', []],
  ])('beside data, %s takes nothing away', async (_what, errors) => {
    replies.jobs = { body: { data: { jobs: [{ siret: '111' }] }, errors } };
    const response = await gateway.send('{ jobs { siret } }');
    expect(response.errors).toBeUndefined();
    expect(response.data).toEqual({ jobs: [{ siret: '111' }] });
  });

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('without data, %s is no response', async (_what, errors) => {
    replies.jobs = { body: { errors } };
    expect(reported(await gateway.send('{ jobs { siret } }'))).toEqual(['UPSTREAM_UNAVAILABLE jobs']);
  });
});

describe('entities that do not match what was requested', () => {
  const message = 'A subgraph did not respond with the requested entities.';
  const failed = (...indexes: number[]) =>
    indexes.map((index) => `UPSTREAM_INVALID_RESPONSE jobs.${index}.organization`);
  const sirets = ['111', '222', '111', '333'];
  const extensions = { code: 'RATE_LIMITED' };

  it.each<[string, unknown]>([
    ['cut to the first', { _entities: ENTITIES.slice(0, 1) }],
    ['empty', { _entities: [] }],
    ['too long', { _entities: [...ENTITIES, { organization: null }] }],
    ['null', { _entities: null }],
    ['an object', { _entities: {} }],
    ['not there', {}],
    ['not there, nor data', null],
  ])('are an error for each of them where the list is %s, equal ones or not', async (_what, data) => {
    for (const [requested, indexes] of [
      [sirets, [0, 1, 2, 3]],
      [
        ['111', '222'],
        [0, 1],
      ],
    ] as const) {
      replies = { jobs: jobsAt(...requested), organizations: { body: { data } } };
      const before = gateway.log.length;
      const response = await gateway.send(QUERY);
      expect(response.data.jobs).toEqual(requested.map((siret) => ({ siret, organization: null })));
      expect(reported(response).sort()).toEqual(failed(...indexes));
      expect(response.errors?.[0]?.message).toBe(message);
      const lines = gateway.log.slice(before).filter(({ level }) => level === 'warn');
      expect(lines).toMatchObject([{ fields: { subgraph: 'volunteering', code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    }
  });

  it.each<[string, unknown]>([
    ['a text', 'x'],
    ['a list', [ENTITIES[0]]],
  ])('are an error at the places of one that is %s', async (_what, odd) => {
    const body = { data: { _entities: [odd, null, ENTITIES[2]] } };
    replies = { jobs: jobsAt(...sirets), organizations: { body } };
    const response = await gateway.send(QUERY);
    const expected = sirets.map((siret) => ({ siret, organization: siret === '333' ? { title: 'Org 5' } : null }));
    expect(response.data.jobs).toEqual(expected);
    expect(reported(response).sort()).toEqual(failed(0, 2));
    expect(response.errors?.[0]?.message).toBe(message);
  });

  it.each<[string, object]>([
    ['no list', { data: { _entities: null } }],
    ['an empty list', { data: { _entities: [] } }],
    ['no data', { data: null }],
  ])('have the subgraph’s own error where there is one beside %s', async (_what, body) => {
    const error = { message: 'Full.', path: ['_entities'], extensions };
    replies = { jobs: jobsAt('111'), organizations: { body: { ...body, errors: [error] } } };
    const response = await gateway.send(QUERY);
    expect(response.data.jobs).toEqual([{ siret: '111', organization: null }]);
    expect(reported(response)).toEqual(['RATE_LIMITED jobs.0.organization']);
  });

  it('have each its own error beside no data', async () => {
    const errors = ['A.', 'B.'].map((message, index) => ({ message, path: ['_entities', index], extensions }));
    replies = { jobs: jobsAt('111', '222'), organizations: { body: { data: null, errors } } };
    expect((await gateway.send(QUERY)).errors?.map((error) => error.message)).toEqual(['A.', 'B.']);
  });
});
