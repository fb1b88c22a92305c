import { afterEach, describe, expect, it } from 'vitest';
import { createDataSource } from '../../gateway/remote/data-source.js';
import { Failure, failed, MergedData } from '../../gateway/remote/merged-data.js';
import type { SubgraphFetcher } from '../../gateway/remote/subgraphs.js';
import { GatewayRequest } from '../../gateway/request/request.js';
import { CodedError } from '../../kernel/errors.js';
import { fromEachService } from '../../kernel/services.js';
import { mapSupergraph } from '../../kernel/supergraph.js';
import { createOmissions } from '../../runtime/errors.js';
import { GRAPH, type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe.each(SHAPES)('equal representations, %s', (shape) => {
  const jobs = ['111', '222', '111', '111', null].map((siret, index) => ({ siret, name: `Job ${index}` }));

  it('are resolved once and answered everywhere', async () => {
    const resolved: unknown[] = [];
    gateway = await openGateway({
      shape,
      resolvers: {
        'work-study': {
          Query: { jobs: () => jobs },
          Organization: { workplaces: ({ siret }: { siret: string }) => [{ siret, name: `at ${siret}` }] },
        },
        volunteering: {
          Workplace: {
            organization: ({ siret }: { siret: string | null }) => {
              resolved.push(siret);
              return siret === null ? null : { id: `o${siret}`, title: `Org ${siret}`, siret };
            },
          },
        },
      },
    });
    const { data, errors } = await gateway.send('{ jobs { name organization { title workplaces { name } } } }');
    expect(errors).toBeUndefined();
    expect(resolved).toEqual(['111', '222', null]);
    const organization = (siret: string) => ({ title: `Org ${siret}`, workplaces: [{ name: `at ${siret}` }] });
    expect(data.jobs).toEqual([
      { name: 'Job 0', organization: organization('111') },
      { name: 'Job 1', organization: organization('222') },
      { name: 'Job 2', organization: organization('111') },
      { name: 'Job 3', organization: organization('111') },
      { name: 'Job 4', organization: null },
    ]);
  });

  it('spread their error to every place', async () => {
    gateway = await openGateway({
      shape,
      resolvers: {
        'work-study': { Query: { jobs: () => jobs.slice(0, 4) } },
        volunteering: {
          Workplace: {
            organization: ({ siret }: { siret: string }) => {
              if (siret === '111') throw new CodedError('UPSTREAM_TIMEOUT', 'Slow.', { service: 'volunteering' });
              return { id: siret, title: siret };
            },
          },
        },
      },
    });
    const { data, errors } = await gateway.send('{ jobs { who: organization { title } } }');
    expect(data.jobs[1]).toEqual({ who: { title: '222' } });
    expect(errors?.map(({ path }) => path)).toEqual([0, 2, 3].map((index) => ['jobs', index, 'who']));
  });

  it('leave what a reference resolver keeps as it was, frozen or not', async () => {
    const organization = Object.freeze({ id: 'o1', title: 'One', siret: '111' });
    gateway = await openGateway({
      shape,
      resolvers: {
        'work-study': { Query: { jobs: () => jobs.slice(0, 1) }, Organization: { workplaces: () => [] } },
        volunteering: {
          Workplace: { __resolveReference: () => Object.freeze({ siret: '111' }), organization: () => organization },
        },
      },
    });
    const { data, errors } = await gateway.send('{ jobs { organization { title workplaces { name } } } }');
    expect(errors).toBeUndefined();
    expect(data.jobs).toEqual([{ organization: { title: 'One', workplaces: [] } }]);
    expect(organization).toEqual({ id: 'o1', title: 'One', siret: '111' });
  });
});

describe.each(SHAPES)('a list with holes, %s', (shape) => {
  it('keeps each error at the place of its own entity', async () => {
    gateway = await openGateway({
      shape,
      resolvers: {
        volunteering: { Query: { missions: () => [null, { id: 'm1', city: 'A' }, null, { id: 'm2', city: 'B' }] } },
        'work-study': {
          Mission: {
            commune: ({ city }: { city: string }) => {
              if (city === 'B') throw new CodedError('UPSTREAM_TIMEOUT', 'Slow.', { service: 'work-study' });
              return { nom: city };
            },
          },
        },
      },
    });
    const { data, errors } = await gateway.send('{ missions { commune { nom } } }');
    expect(data.missions).toEqual([null, { commune: { nom: 'A' } }, null, { commune: null }]);
    expect(errors?.map(({ path }) => path)).toEqual([['missions', 3, 'commune']]);
  });
});

describe('a fetch of entities', () => {
  const QUERY =
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Mission { x: commune { nom } } } }';
  const mission = (city: unknown) => ({ __typename: 'Mission', id: 'm1', city });

  /** What the library gets for these representations from a subgraph that answers so. */
  async function fetchEntities(answer: Awaited<ReturnType<SubgraphFetcher>>, ...representations: readonly unknown[]) {
    const sent: unknown[] = [];
    const source: SubgraphFetcher = async ({ variables }) => {
      sent.push(variables?.['representations']);
      return answer;
    };
    const map = mapSupergraph(GRAPH.supergraph);
    const dataSource = createDataSource(source, map);
    const gatewayRequest = new GatewayRequest({
      callerId: '',
      id: 'r',
      deadlineMs: 1_000,
      credentials: fromEachService(() => null),
      recordCalls: false,
    });
    const { data } = await dataSource.process({
      request: { query: QUERY, variables: { representations } },
      incomingRequestContext: {},
      context: { gatewayRequest, omissions: createOmissions(), merged: new MergedData(1_000_000) },
    } as never);
    gatewayRequest.finish();
    return { entities: data?.['_entities'] as readonly { readonly x: unknown }[], sent };
  }

  it('that fails as a whole is a failure of each field of each of them', async () => {
    const error = { message: 'No.', extensions: { code: 'UPSTREAM_UNAVAILABLE' } };
    const { entities } = await fetchEntities({ data: null, errors: [error] }, mission('Lyon'), mission('Brest'));
    const codes = entities.map(({ x }) => x instanceof Failure && x.error?.extensions['code']);
    expect(codes).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
  });

  it('compares whole representations, never keys alone', async () => {
    const entities = [{ x: { nom: 'Lyon' } }, { x: { nom: 'Brest' } }];
    const answered = await fetchEntities({ data: { _entities: entities } }, ...['Lyon', 'Brest', 'Lyon'].map(mission));
    expect(answered.sent).toEqual([[mission('Lyon'), mission('Brest')]]);
    expect(answered.entities).toEqual([entities[0], entities[1], entities[0]]);
  });

  it('does not send what requires a value that failed: it fails for the same reason', async () => {
    const failure = failed(new CodedError('UPSTREAM_TIMEOUT', 'Slow.'));
    const answered = await fetchEntities({ data: { _entities: [{ x: null }] } }, mission(failure), mission('Brest'));
    expect(answered.sent).toEqual([[mission('Brest')]]);
    expect(answered.entities).toEqual([{ x: failure }, { x: null }]);
    expect(await fetchEntities({ data: null }, mission([failure]))).toMatchObject({ sent: [] });
  });
});
