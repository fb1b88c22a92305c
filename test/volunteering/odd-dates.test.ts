import { afterAll, beforeEach, expect, test } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const ODD = {
  mistyped: '+020025-01-01T00:00:00.000Z',
  february: '2026-02-30T10:00:00.000Z',
  american: '01/09/2026',
  spoken: '9 January 2026',
};

const { service, send, drifts, close } = await startHarness(
  world({
    missions: [
      mission('usual', { startAt: '2026-02-01T00:00:00.000Z' }),
      ...Object.entries(ODD).map(([id, startAt]) => mission(id, { startAt })),
      mission('earlier', { startAt: '2026-01-01T00:00:00.000Z' }),
    ],
  }),
);

let keyCount = 0;
const freshKey = () => ({ fingerprint: `odd dates ${keyCount++}`, reveal: () => volunteeringKeys.operator });

beforeEach(() => service.reset());
afterAll(() => close());

test.each(['0000-01-01', '0000-12-31T12:00:00Z', '0001-01-01T00:00:00+02:00', '9999-12-31T23:30:00-01:00'])(
  '%s is refused without a call: the database of the service has no such year',
  async (moment) => {
    const query = `query ($moment: DateTime) {
      list: missions(createdAt: { after: $moment }) { totalCount }
      search: missionSearch(startAt: { before: $moment }) { totalCount }
      counts: missionCounts(by: DOMAIN, startAt: { after: $moment, before: "2026-01-01" }) { total }
    }`;
    const { errors, messages } = await send(query, { key: freshKey(), variables: { moment } });
    expect([...errors].sort()).toEqual(['BAD_USER_INPUT counts', 'BAD_USER_INPUT list', 'BAD_USER_INPUT search']);
    expect(messages[0]).toContain('in the years 1 to 9999');
    expect(service.calls).toEqual([]);
  },
);

test('the service fails on a year 0, and answers the years around it', async () => {
  const status = async (createdAt: string) =>
    (
      await fetch(`${service.url}/v0/mission?createdAt=${createdAt}`, {
        headers: { apikey: volunteeringKeys.operator },
      })
    ).status;
  expect(await status('gt:0000-06-01')).toBe(500);
  expect(await status('gt:0001-01-01')).toBe(200);
});

test('a mission of the year 20025 has no start, which is no error, and is found by a start after 9999', async () => {
  const query = '{ missions(startAt: { after: "9999-01-01" }) { nodes { id startAt } } }';
  const { data, errors } = await send(query, { key: freshKey() });
  expect([errors, data.missions.nodes]).toEqual([[], [{ id: 'mistyped', startAt: null }]]);
});

test('a date that does not exist or is of a year above 9999 is null with an error, counts as drift, and is in no range', async () => {
  drifts.length = 0;
  // Today's service sends none for such a year: this is another one's.
  service.fault({
    kind: 'wrong-type',
    change(body) {
      const { data } = body as { data: { _id: string; startAt: unknown }[] };
      for (const row of data) if (row._id === 'mistyped') row.startAt = ODD.mistyped;
    },
  });
  const range = '{ after: "2025-01-01", before: "9999-01-01" }';
  const query = `{ all: missions { nodes { id startAt } } some: missions(startAt: ${range}) { nodes { id startAt } } }`;
  const { data, errors } = await send(query, { key: freshKey() });
  const usual = { id: 'usual', startAt: '2026-02-01T00:00:00.000Z' };
  const earlier = { id: 'earlier', startAt: '2026-01-01T00:00:00.000Z' };
  const none = Object.keys(ODD).map((id) => ({ id, startAt: null }));
  expect(data.all.nodes).toEqual(expect.arrayContaining([...none, usual, earlier]));
  expect(errors).toHaveLength(none.length);
  expect(new Set(errors.map((error) => error.replace(/\d/, '0')))).toEqual(
    new Set(['UPSTREAM_INVALID_RESPONSE all.nodes.0.startAt']),
  );
  expect(data.some.nodes).toEqual([usual, earlier]);
  expect(new Set(drifts)).toEqual(new Set(['Mission.startAt']));
});
