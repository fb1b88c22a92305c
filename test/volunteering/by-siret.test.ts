import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { MAX_SCANS } from '../../subgraphs/volunteering/organizations/loaders.js';
import { organization, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

/** SIRETs with right check digits, of one unit or of others. */
function siret(siren: number, establishment: number): string {
  const digits = `${String(siren).padStart(9, '0')}${String(establishment).padStart(4, '0')}`;
  const isValid = (code: string) =>
    [...code].reduce((sum, digit, index) => {
      const twice = index % 2 === 0 ? 2 * Number(digit) : Number(digit);
      return sum + (twice > 9 ? twice - 9 : twice);
    }, 0) %
      10 ===
    0;
  return Array.from({ length: 10 }, (_, last) => `${digits}${last}`).find(isValid) ?? '';
}

const UNIT = 301_000_000;
const SEAT = siret(UNIT, 1);
const BRANCH = siret(UNIT, 2);
const CLOSED = siret(UNIT, 3);
const OLD = siret(302_000_000, 1);
const absent = (count: number) => Array.from({ length: count }, (_, index) => siret(400_000_000 + index, 1));

const harness = await startHarness(
  world({
    organizations: [
      organization('unit', { siren: String(UNIT), siret: SEAT, sirets: [SEAT, BRANCH] }),
      // Old records have no SIREN.
      organization('old', { siren: null, siret: OLD, sirets: [OLD] }),
    ],
  }),
);
const { service, send } = harness;

let keyCount = 0;
const newKey = () => ({ fingerprint: `siret ${keyCount++}`, reveal: () => volunteeringKeys.operator });

/** The organization of each workplace, and why nobody has looked. */
async function organizationsOf(
  sirets: readonly string[],
  key = newKey(),
  selection = 'organization { id } organizationUnknown',
  forbidCaching = () => {},
) {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Workplace { ${selection} } } }`;
  const r = sirets.map((one) => ({ __typename: 'Workplace', siret: one }));
  const { data, errors } = await send(query, { variables: { r }, key, forbidCaching });
  expect(errors).toEqual([]);
  return data._entities.map((one: { organization: { id: string } | null; organizationUnknown: string | null }) => [
    one.organization?.id ?? null,
    one.organizationUnknown,
  ]);
}

const sent = (parameter: string) => service.calls.filter(({ url }) => url.includes(`?${parameter}=`)).length;

beforeEach(() => {
  service.reset();
  service.era = 'today';
});
afterAll(() => harness.close());

describe('organizations of establishments', () => {
  it('share the look-up of their legal unit, and a SIRET that its record does not list has none', async () => {
    expect(await organizationsOf([SEAT, BRANCH, CLOSED])).toEqual([
      ['unit', null],
      ['unit', null],
      [null, null],
    ]);
    expect(service.callLines()).toEqual([`GET /v0/organization?q=${UNIT}&limit=100 operator`]);
  });

  it('are searched for by SIRET where the register does not know the SIREN, one after the other', async () => {
    const key = newKey();
    const sirets = [OLD, ...absent(MAX_SCANS - 1)];
    service.fault({ kind: 'latency', path: '/v0/organization', ms: 5 });
    let [atOnce, most] = [0, 0];
    const watch = setInterval(() => {
      atOnce = service.calls.filter(({ url, status }) => url.includes('?siret=') && status === null).length;
      most = Math.max(most, atOnce);
    }, 1);
    const found = await organizationsOf(sirets, key);
    clearInterval(watch);
    expect(found).toEqual([['old', null], ...absent(MAX_SCANS - 1).map(() => [null, null])]);
    expect([sent('q'), sent('siret'), most]).toEqual([MAX_SCANS, MAX_SCANS, 1]);
    service.clearCalls();
    expect(await organizationsOf(sirets, key)).toEqual(found);
    expect(service.calls, 'that there is none is remembered too').toEqual([]);
  });

  it('are not searched for by SIRET where that took more than ten searches, which is said and not remembered', async () => {
    const key = newKey();
    const many = absent(MAX_SCANS + 1);
    const forbidCaching = vi.fn();
    const found = await organizationsOf([SEAT, ...many, '', '123'], key, undefined, forbidCaching);
    expect(forbidCaching).toHaveBeenCalled();
    expect(found).toEqual([
      ['unit', null],
      ...many.map(() => [null, 'TOO_MANY']),
      [null, 'NO_SIRET'],
      [null, 'MALFORMED_SIRET'],
    ]);
    expect([sent('q'), sent('siret')]).toEqual([MAX_SCANS + 2, 0]);

    service.clearCalls();
    const { data } = await send(`{ organization(siret: "${many[0]}") { id } }`, { key });
    expect(data.organization).toBeNull();
    expect([sent('q'), sent('siret')]).toEqual([0, 1]);
    // One is known now, so that ten are left.
    expect(await organizationsOf(many, key)).toEqual(many.map(() => [null, null]));
    expect([sent('q'), sent('siret')]).toEqual([0, MAX_SCANS + 1]);
  });

  it('say why nobody has looked without a call of their own', async () => {
    expect(await organizationsOf(absent(20), newKey(), 'organizationUnknown')).toEqual(
      absent(20).map(() => [null, null]),
    );
    expect(service.calls).toEqual([]);
  });

  it('are looked up by SIRET in the documented era, however many they are', async () => {
    service.era = 'seed';
    const many = absent(2 * MAX_SCANS);
    await organizationsOf(many.slice(0, 1));
    service.clearCalls();
    expect(await organizationsOf([OLD, ...many])).toEqual([['old', null], ...many.map(() => [null, null])]);
    expect([sent('q'), sent('siret')]).toEqual([0, 1 + many.length]);
  });
});
