import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';

const ROWS = 500;
const TEXT = 'é'.repeat(100);
const MISSIONS = Array.from({ length: ROWS }, (_, index) => ({ id: `m${index}`, title: TEXT, city: 'Lyon' }));

const resolvers = {
  volunteering: { Query: { missions: () => MISSIONS, mission: () => null } },
  'work-study': { Mission: { commune: ({ city }: { city: string }) => ({ code: { insee: city }, nom: city }) } },
};

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

describe.each(SHAPES)('a large response, %s', (shape) => {
  let gateway: OpenedGateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    gateway = undefined;
  });

  async function open(maxResponseBytes = 33_554_432): Promise<OpenedGateway> {
    gateway = await openGateway({ shape, resolvers, gateway: { maxResponseBytes } });
    return gateway;
  }

  it.each(['identity', 'gzip', 'br'])('is whole, joins and aliases included, in %s', async (encoding) => {
    const { send } = await open();
    const query = `{ missions { city: id ${aliases(4, 'title')} commune { nom } } }`;
    const { data, errors, headers } = await send(query, { headers: { 'accept-encoding': encoding } });
    expect(errors).toBeUndefined();
    expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
    const row = { city: '', a0: TEXT, a1: TEXT, a2: TEXT, a3: TEXT, commune: { nom: 'Lyon' } };
    // One assertion for all rows, because `toEqual` takes ten times as long as the response.
    const wrong = data.missions.find((mission: object, index: number) => {
      return !isDeepStrictEqual(mission, { ...row, city: `m${index}` });
    });
    expect([data.missions.length, wrong]).toEqual([ROWS, undefined]);
  });

  it('is refused before anything is asked when its cost already exceeds the limit', async () => {
    const { send, subgraphs } = await open(2_000_000);
    const pages = aliases(
      4,
      `near(first: 2500) { nodes { id title city postalCode places { name } ${aliases(20, 'title')} } }`,
    );
    const response = await send(`{ mission(id: "1") { ${pages} } }`);
    expect([response.status, response.errors?.[0]?.extensions['code']]).toEqual([400, 'ANSWER_TOO_LARGE']);
    expect(response.errors?.[0]?.message).toMatch(
      /^The response would have up to \d+(\.\d)? MB; at most 1.9 MB are sent\. Request fewer items with `first`, or fewer fields\.$/,
    );
    expect(subgraphs.volunteering.requested).toEqual([]);
  });

  it('is cut off with a coded error where its values are longer than its cost says', async () => {
    const { send } = await open(2_000_000);
    const response = await send(`{ missions { ${aliases(25, 'title')} } }`);
    expect([response.status, response.data, response.errors?.map(({ extensions }) => extensions['code'])]).toEqual([
      400,
      undefined,
      ['ANSWER_TOO_LARGE'],
    ]);
    expect(response.errors?.[0]?.message).toMatch(/(more than [\d.]+ MB|is too large)\. Request fewer items/);
  });

  it('is as large as the configuration says', async () => {
    const { send } = await open(100_000);
    expect((await send('{ missions { title } }')).errors?.[0]?.extensions['code']).toBe('ANSWER_TOO_LARGE');
    expect((await send('{ missions { n: __typename } }')).errors?.[0]?.extensions['code']).toBeUndefined();
  });
});
