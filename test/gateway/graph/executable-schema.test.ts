import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, reported } from '../support/open-gateway.js';
import type { Resolvers } from '../support/test-graph.js';

/** Guards what one executable schema adds to graphql-js: owners, joins, contexts and time. */

const HANGS = new Promise<never>(() => {});
/** Long enough for a busy machine to answer what does not hang. */
const DEADLINE_MS = 400;

const mission = (id: string, more: object = {}) => ({ id, title: `Mission ${id}`, city: `City ${id}`, ...more });

let gateway: OpenedGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function open(volunteering: Resolvers, workStudy: Resolvers = {}, more = {}): Promise<OpenedGateway> {
  gateway = await openGateway({ resolvers: { volunteering, 'work-study': workStudy }, gateway: more });
  return gateway;
}

describe('what hangs holds nothing else, and is cut off at the deadline:', () => {
  const deadline = { requestDeadlineMs: DEADLINE_MS };

  it('a join of one row', async () => {
    const { send } = await open(
      { Query: { missions: () => [mission('a'), mission('b')], echo: () => 'in time' } },
      { Mission: { commune: ({ id }: { id: string }) => (id === 'a' ? HANGS : { nom: 'Brest' }) } },
      deadline,
    );
    const response = await send('{ missions { title commune { nom } } echo }');
    expect(response.data).toEqual({
      missions: [
        { title: 'Mission a', commune: null },
        { title: 'Mission b', commune: { nom: 'Brest' } },
      ],
      echo: 'in time',
    });
    expect(reported(response)).toEqual(['DEADLINE_EXCEEDED missions.0.commune']);
  });

  it('a reference', async () => {
    const { send } = await open(
      { Query: { missions: () => [mission('a')], echo: () => 'in time' } },
      { Mission: { __resolveReference: () => HANGS, commune: () => ({ nom: 'Brest' }) } },
      deadline,
    );
    const response = await send('{ missions { commune { nom } } echo }');
    expect(response.data).toEqual({ missions: [{ commune: null }], echo: 'in time' });
    expect(reported(response)).toEqual(['DEADLINE_EXCEEDED missions.0.commune']);
  });

  it.each<[string, unknown]>([
    ['a list', [mission('a'), HANGS]],
    ['a list that was waited for', Promise.resolve([mission('a'), HANGS])],
  ])('an item of %s', async (_what, missions) => {
    const { send } = await open({ Query: { missions: () => missions, echo: () => 'in time' } }, {}, deadline);
    const response = await send('{ missions { id } echo }');
    expect(response.data).toEqual({ missions: [{ id: 'a' }, null], echo: 'in time' });
    expect(reported(response)).toEqual(['DEADLINE_EXCEEDED missions.1']);
  });

  it('a property, and the join that requires it', async () => {
    const { send } = await open(
      { Query: { missions: () => [mission('a', { title: HANGS, city: HANGS })] } },
      { Mission: { commune: ({ city }: { city: string }) => ({ nom: city }) } },
      deadline,
    );
    const response = await send('{ missions { id title commune { nom } } }');
    expect(response.data).toEqual({ missions: [{ id: 'a', title: null, commune: null }] });
    expect(reported(response).sort()).toEqual([
      'DEADLINE_EXCEEDED missions.0.commune',
      'DEADLINE_EXCEEDED missions.0.title',
    ]);
  });
});

describe('a resolver', () => {
  it('has the place of its field, with aliases, and `@` for the items of each list', async () => {
    const { send, subgraphs } = await open(
      {
        Query: { missions: () => [mission('a'), mission('b')] },
        Mission: { related: (_parent: unknown, _args: unknown) => [mission('c')] },
      },
      { Mission: { commune: () => ({ code: { insee: '1' } }) } },
    );
    await send('{ all: missions { title related { place: commune { code { insee } missions { id } } } } }');
    const places = [...subgraphs.volunteering.requested, ...subgraphs['work-study'].requested];
    expect(places.map(({ planNode }) => planNode)).toEqual([
      'all',
      'all.@.related',
      'all.@.related.@.place.missions',
      'all.@.related.@.place',
    ]);
  });
});

describe('equal representations', () => {
  it('are those of objects that the owner cannot tell apart: their titles may differ', async () => {
    let times = 0;
    const { send } = await open(
      { Query: { missions: () => [mission('a'), mission('a', { title: 'Another' })] } },
      { Mission: { commune: () => ({ nom: String(++times) }) } },
    );
    const { data } = await send('{ missions { title commune { nom } } }');
    expect(data.missions.map(({ commune }: { commune: object }) => commune)).toEqual([{ nom: '1' }, { nom: '1' }]);
  });
});

describe('a field that a subgraph declares', () => {
  it('to read its parent alone is read without a context', async () => {
    const given: number[] = [];
    const city = (...all: unknown[]) => {
      given.push(all.filter((one) => one !== undefined).length);
      return 'from its object';
    };
    const { send } = await open({ Query: { missions: () => [mission('a')] }, Mission: { city } });
    expect((await send('{ missions { city } }')).data).toEqual({ missions: [{ city: 'from its object' }] });
    // The object, and no arguments.
    expect(given).toEqual([2]);
  });
});
