import { afterEach, describe, expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { type OpenedGateway, openGateway, reported } from '../support/open-gateway.js';
import type { Resolvers } from '../support/test-graph.js';

/** Guards what leaves an execution in one process: its errors, and no more than the largest response. */

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

describe('errors', () => {
  const ROWS = 1_500;
  const rows = () => Array.from({ length: ROWS }, (_, index) => mission(`m${index}`));
  const errorsIn = ({ log }: OpenedGateway) => log.filter(({ level }) => level === 'error');

  it('of one cause are logged once, however many places they stand at', async () => {
    const opened = await open(
      { Query: { missions: () => rows().map((row) => ({ ...row, ...mission('same') })) } },
      {
        Mission: {
          commune() {
            throw new Error('secret of the house');
          },
        },
      },
    );
    const response = await opened.send('{ missions { commune { nom } } }');
    expect(response.errors).toHaveLength(1_000);
    expect(response.extensions).toMatchObject({ errorsOmitted: ROWS - 1_000 });
    expect(errorsIn(opened)).toHaveLength(1);
  });

  it.each<[string, Resolvers, string, string[]]>([
    [
      'thrown',
      {
        Query: {
          missions() {
            throw new Error('secret of the house');
          },
        },
      },
      '{ missions { id } }',
      ['INTERNAL missions'],
    ],
    [
      'rejected',
      { Query: { missions: async () => Promise.reject(new Error('secret of the house')) } },
      '{ missions { id } }',
      ['INTERNAL missions'],
    ],
    [
      'no error at all',
      { Query: { missions: () => Promise.reject('secret of the house') } },
      '{ missions { id } }',
      ['INTERNAL missions'],
    ],
    [
      'of an item',
      { Query: { missions: () => [new Error('secret of the house')] } },
      '{ missions { id } }',
      ['INTERNAL missions.0'],
    ],
    [
      'of a value',
      { Query: { missions: () => [mission('a', { title: { secret: 'of the house' } })] } },
      '{ missions { title } }',
      ['INTERNAL missions.0.title'],
    ],
    [
      'of what is no list',
      { Query: { missions: () => 'secret of the house' } },
      '{ missions { id } }',
      ['INTERNAL missions'],
    ],
    [
      'of an object without its type',
      { Query: { missions: () => [mission('a', { places: [{ __typename: 'secret of the house' }, {}] })] } },
      '{ missions { places { name } } }',
      ['INTERNAL missions.0.places.0', 'INTERNAL missions.0.places.1'],
    ],
    [
      'of what cannot be represented',
      { Query: { missions: () => [mission('a', { location: 'secret of the house' })] } },
      '{ missions { commune { nom } } }',
      ['INTERNAL missions.0.commune'],
    ],
  ])(
    'that are internal and %s say nothing but their place, and are logged once each',
    async (...[, resolvers, query, expected]) => {
      const opened = await open(resolvers, { Mission: { commune: () => null } });
      const response = await opened.send(query, { headers: { 'x-request-id': 'internal' } });
      expect(response.status).toBe(200);
      expect(reported(response)).toEqual(expected);
      expect(new Set(response.errors?.map(({ message }) => message))).toEqual(
        new Set(['Internal error. The log has it under the requestId of this error.']),
      );
      expect(response.errors?.every(({ extensions }) => extensions['requestId'] === 'internal')).toBe(true);
      expect(JSON.stringify(response)).not.toMatch(/secret|of the house|resolver|serialize|represent|stack/i);
      expect(errorsIn(opened).map(({ fields }) => fields['requestId'])).toEqual(expected.map(() => 'internal'));
    },
  );
});

describe('a response that is too large', () => {
  const MAX_BYTES = 200_000;
  const NAME = 'x'.repeat(100);
  const ANSWER_TOO_LARGE = { status: 400, errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }] };

  it('because joins there and back multiply a list ends while it is built', async () => {
    let read = 0;
    const workplace = {
      siret: '1',
      get name() {
        read += 1;
        return NAME;
      },
    };
    const workplaces = Array.from({ length: 20 }, () => workplace);
    const { send } = await open(
      {
        Query: { organization: () => ({ id: 'o', siret: '1' }) },
        Workplace: { organization: () => ({ id: 'o', siret: '1' }) },
      },
      { Organization: { workplaces: () => workplaces } },
      { maxResponseBytes: MAX_BYTES },
    );
    const below = (depth: number): string =>
      `workplaces { name ${depth === 0 ? '' : `organization { ${below(depth - 1)} }`} }`;
    const fits = await send(`{ organization { ${below(1)} } }`);
    expect(fits.errors).toBeUndefined();
    expect(fits.data.organization.workplaces[19].organization.workplaces[19]).toEqual({ name: NAME });
    read = 0;
    // 20^5 rows, of more than a hundred bytes each.
    expect(await send(`{ organization { ${below(4)} } }`)).toMatchObject(ANSWER_TOO_LARGE);
    expect(read).toBeLessThan((1.5 * MAX_BYTES) / NAME.length);
  });

  it('because of many errors before it has that error alone', async () => {
    const title = () => {
      throw new CodedError('BAD_USER_INPUT', 'No.');
    };
    const { send } = await open(
      {
        Query: {
          missions: () => Array.from({ length: 3_000 }, (_, index) => mission(`m${index}`)),
          echo: () => 'x'.repeat(MAX_BYTES),
        },
        Mission: { title },
      },
      {},
      { maxResponseBytes: MAX_BYTES },
    );
    const response = await send('{ missions { title } echo }');
    expect(response).toMatchObject(ANSWER_TOO_LARGE);
    expect(response.errors).toHaveLength(1);
  });

  it('makes no further call', async () => {
    let times = 0;
    const { send } = await open(
      { Query: { missions: () => Array.from({ length: 5_000 }, (_, index) => mission(`m${index}`, { title: NAME })) } },
      { Mission: { commune: async () => ({ nom: String(++times) }) } },
      { maxResponseBytes: MAX_BYTES },
    );
    expect(await send('{ missions { title commune { nom } } }')).toMatchObject(ANSWER_TOO_LARGE);
    expect(times).toBeLessThan((1.5 * MAX_BYTES) / NAME.length);
  });
});
