import { afterAll, expect, test } from 'vitest';
import { plainMissions, the } from '../scenarios/samples.js';
import { ONE_SHAPE, startStack } from '../scenarios/stack.js';

const stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.1 } });
afterAll(() => stack.close());

const { volunteering } = stack.sandbox;
const searches = () => volunteering.calls.filter(({ url }) => url.includes('?q=')).length;
const search = (q: string, signal?: AbortSignal) =>
  stack.send('query ($q: String) { organizations(q: $q) { totalCount nodes { id } } }', {
    variables: { q },
    ...(signal && { signal }),
  });

test('forty searches that find nothing delay nobody who looks up a number', async () => {
  const { rna } = the(plainMissions(stack.sandbox.world)[0]);
  volunteering.fault({ kind: 'latency', path: '/v0/organization', ms: 3_600_000, times: 2 });
  const impatient = new AbortController();
  const many = Array.from({ length: 40 }, (_, n) => search(`introuvable${n}`, impatient.signal).catch(() => 'left'));
  await volunteering.seen(() => searches() === 2);
  for (const key of ['', stack.sandbox.keys.volunteering.alice]) {
    const headers = key === '' ? {} : { 'x-volunteering-key': key };
    const { data, errors } = await stack.send(`{ organization(rna: "${rna}") { rna } }`, { headers });
    expect([data, errors]).toEqual([{ organization: { rna } }, []]);
  }
  expect(searches()).toBe(2);
  impatient.abort();
  expect(new Set(await Promise.all(many))).toEqual(new Set(['left']));
  volunteering.clearFaults();
});

test('a search that found nothing is not made again when it is sent again', async () => {
  stack.forgetCalls();
  for (let n = 0; n < 3; n += 1) {
    const { data, errors } = await search('introuvable');
    expect([data, errors]).toEqual([{ organizations: { totalCount: 0, nodes: [] } }, []]);
  }
  expect(searches()).toBe(1);
});

test.each(['un', 'l’a b', 'É. D.'])(
  'a search for %j alone is refused without a call, and made beside another condition',
  async (q) => {
    stack.forgetCalls();
    const { errors } = await search(q);
    expect(errors).toMatchObject([
      { path: ['organizations'], extensions: { code: 'BAD_USER_INPUT', argument: ['q'] } },
    ]);
    expect(errors[0]?.message).toMatch(/three letters.*`rna`/);
    expect(stack.calls()).toEqual([]);
    const query = 'query ($q: String) { organizations(q: $q, rna: "W751206979") { nodes { id } } }';
    expect((await stack.send(query, { variables: { q } })).errors).toEqual([]);
    expect(searches()).toBe(1);
  },
);
