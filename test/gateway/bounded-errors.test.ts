import { afterEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { type GraphqlResult, type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';
import type { Resolvers } from './support/test-graph.js';

const ROWS = 1_010;

const fail = (message: string) => () => {
  throw new CodedError('BAD_USER_INPUT', message);
};

const missions = (more: object = {}) =>
  Array.from({ length: ROWS }, (_, index) => ({ id: `m${index}`, title: `Mission ${index}`, city: 'Lyon', ...more }));

const omittedOf = ({ extensions }: GraphqlResult) =>
  (extensions as { errorsOmitted?: number } | undefined)?.errorsOmitted;

describe.each(SHAPES)('a response lists so many errors and no more, %s', (shape) => {
  let gateway: OpenedGateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function open(volunteering: Resolvers, workStudy: Resolvers = {}): Promise<OpenedGateway> {
    gateway = await openGateway({ shape, resolvers: { volunteering, 'work-study': workStudy } });
    return gateway;
  }

  it('fifty of variables, before anything is asked', async () => {
    const { send, subgraphs } = await open({ Query: { organization: () => null } });
    const representations = Array.from({ length: 2_000 }, () => 0);
    const response = await send('query ($f: Filter) { organization(filter: $f) { id } }', {
      variables: { f: { representations } },
    });
    expect(response.status).toBe(400);
    expect(response.errors).toHaveLength(50);
    expect(new Set(response.errors?.map(({ extensions }) => extensions['code']))).toEqual(new Set(['BAD_USER_INPUT']));
    expect(response.errors?.[0]?.locations).toEqual([{ line: 1, column: 8 }]);
    expect(subgraphs.volunteering.requested).toEqual([]);
  });

  it('a thousand of rows, and says how many more there were', async () => {
    const { send } = await open({ Query: { missions: () => missions() }, Mission: { title: fail('No title.') } });
    const response = await send('{ missions { id title } }');
    expect([response.errors?.length, omittedOf(response)]).toEqual([1_000, ROWS - 1_000]);
    expect(response.errors?.at(-1)?.path).toEqual(['missions', 999, 'title']);
    expect(response.data.missions.at(-1)).toEqual({ id: `m${ROWS - 1}`, title: null });
  });

  it('a thousand of joined fields, those of one entity in many rows among them', async () => {
    const { send } = await open(
      { Query: { missions: () => missions() }, Commune: { missions: fail('Not here.') } },
      { Mission: { commune: () => ({ code: { insee: '69123' } }) } },
    );
    const response = await send('{ missions { commune { a: missions { id } b: missions { id } } } }');
    expect([response.errors?.length, omittedOf(response)]).toEqual([1_000, 2 * ROWS - 1_000]);
    expect(response.data.missions.at(-1)).toEqual({ commune: { a: null, b: null } });
  });

  it('a thousand of a source that cannot be asked', async () => {
    const { send } = await open(
      { Query: { missions: () => missions() } },
      { Mission: { __resolveReference: fail('Nobody.') } },
    );
    const response = await send('{ missions { commune { nom } communeMatch { method } } }');
    // Each fails two fields. A subgraph apart lists a thousand failed entities, and the rest count once each.
    const failed = shape === 'in process' ? 2 * ROWS : 2 * 1_000 + ROWS - 1_000;
    expect([response.errors?.length, omittedOf(response)]).toEqual([1_000, failed - 1_000]);
  });

  it('and shows no value that was joined by what failed, also where the error is not listed', async () => {
    const { send } = await open(
      { Query: { missions: () => missions() }, Mission: { city: fail('Not a text.') } },
      { Mission: { commune: ({ postalCode }: { postalCode: string }) => ({ nom: `a guess by ${postalCode}` }) } },
    );
    const response = await send('{ missions { id place: commune { nom } } }');
    expect([response.errors?.length, omittedOf(response)]).toEqual([1_000, ROWS - 1_000]);
    expect(response.errors?.at(-1)?.path).toEqual(['missions', 999, 'place']);
    expect(response.data.missions.filter(({ place }: { place: unknown }) => place !== null)).toEqual([]);
  });

  it('and quotes no more of what was sent than helps', async () => {
    const { send } = await open({ Query: { echo: () => null } });
    const { errors } = await send('query ($f: Float) { half(of: $f) }', { variables: { f: 'x'.repeat(100_000) } });
    expect(errors?.[0]?.message.length).toBeLessThan(1_100);
  });
});
