import { afterEach, describe, expect, it } from 'vitest';
import { createSource, deduplicateRepresentations } from '../../gateway/remote/source.js';
import { createGatewayRequest } from '../../gateway/request/request.js';
import { CodedError } from '../../kernel/errors.js';
import { fromEachService } from '../../kernel/services.js';
import { mapSupergraph } from '../../kernel/supergraph.js';
import { GRAPH, type OpenedGateway, openGateway, recordingLog, SHAPES } from './support/open-gateway.js';

const silent = recordingLog([]);
const NO_CREDENTIALS = fromEachService(() => null);

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

describe('a subgraph that fails the whole list of its entities', () => {
  it('a subgraph that fails the whole list of its entities is one error for each field of each of them', async () => {
    const error = { message: 'No.', path: ['_entities'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } };
    const source = createSource(
      'work-study',
      { service: 'work-study', execute: () => ({ data: null, errors: [error] }) },
      mapSupergraph(GRAPH.supergraph),
      silent,
    );
    const gatewayRequest = createGatewayRequest({
      callerId: '',
      id: 'r',
      deadlineMs: 1_000,
      credentials: NO_CREDENTIALS,
      recordCalls: false,
    });
    const representations = ['a', 'b'].map((id) => ({ __typename: 'Mission', id }));
    const query =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Mission { x: commune { nom } } } }';
    const { data, errors } = await source.execute(
      { query, variables: { representations } },
      gatewayRequest,
      'missions.@',
    );
    gatewayRequest.finish();
    expect(data).toBeNull();
    expect(errors?.map(({ path }) => path)).toEqual([
      ['_entities', 0, 'x'],
      ['_entities', 1, 'x'],
    ]);
  });
});

describe('deduplication', () => {
  const mission = (city: string) => ({ __typename: 'Mission', id: 'm1', city });

  it('deduplication compares whole representations, never keys alone', async () => {
    expect(await deduplicateRepresentations([mission('Lyon'), mission('Brest')])).toBeNull();
    const deduplicated = await deduplicateRepresentations([mission('Lyon'), mission('Brest'), mission('Lyon')]);
    expect(deduplicated?.distinct).toEqual([mission('Lyon'), mission('Brest')]);
  });

  it('deduplication keeps the response of a failed whole as it is', async () => {
    const deduplicated = await deduplicateRepresentations([mission('Lyon'), mission('Lyon')]);
    const errors = [{ message: 'no', path: ['_entities', 0, 'commune'] }];
    expect(deduplicated?.expand({ data: null, errors })).toEqual({
      data: null,
      errors: [
        { message: 'no', path: ['_entities', 0, 'commune'] },
        { message: 'no', path: ['_entities', 1, 'commune'] },
      ],
    });
  });
});
