import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { volunteeringKeys } from '../../sandbox/volunteering/index.js';
import { mission, world } from '../sandbox/volunteering/small-world.js';
import { startHarness } from './support/harness.js';

const TITLES = ['100 % bio', '100 personnes', 'fichier a_b', 'fichier aXb', 'chemin C:\\temp', 'Fête'];

const harness = await startHarness(
  world({ missions: TITLES.map((title, index) => mission(`m${index}`, { title, description: '' })) }),
);
const { service, send } = harness;

let keyCount = 0;
const freshKey = () => ({ fingerprint: `wildcards ${keyCount++}`, reveal: () => volunteeringKeys.operator });

beforeEach(() => service.reset());
afterAll(() => harness.close());

const QUERY = `query ($text: String) {
  missions(keywords: $text) { nodes { title } }
  missionSearch(text: $text) { nodes { title } }
  missionCounts(by: DOMAIN, text: $text) { total }
}`;

describe('The wildcards of the service (volunteering 2.1)', () => {
  it.each([
    ['%', ['100 % bio']],
    ['0 %', ['100 % bio']],
    ['0%', []],
    ['a_B', ['fichier a_b']],
    ['\\', ['chemin C:\\temp']],
    ['C:\\t', ['chemin C:\\temp']],
    ['fête', ['Fête']],
  ])('mean themselves: %j', async (text, expected) => {
    const { data, errors } = await send(QUERY, { key: freshKey(), variables: { text } });
    expect(errors).toEqual([]);
    const titles = ({ nodes }: { nodes: { title: string }[] }) => nodes.map(({ title }) => title);
    expect([titles(data.missions), titles(data.missionSearch)]).toEqual([expected, expected]);
    expect(data.missionCounts.total).toBe(expected.length);
    expect(service.calls).toHaveLength(3);
  });

  it('are refused where the service does not know how to escape them', async () => {
    service.era = 'seed';
    const { errors, messages } = await send(QUERY, { key: freshKey(), variables: { text: '0%' } });
    expect([...errors].sort()).toEqual([
      'UPSTREAM_REFUSED_INPUT missionCounts',
      'UPSTREAM_REFUSED_INPUT missionSearch',
      'UPSTREAM_REFUSED_INPUT missions',
    ]);
    expect(messages[0]).toContain('cannot search for a text with %, _ or \\');
    expect(service.calls).toHaveLength(3);
  });

  it('do not keep other texts from being searched for there', async () => {
    service.era = 'seed';
    const { errors } = await send(QUERY, { key: freshKey(), variables: { text: 'bio' } });
    expect(errors).toEqual([]);
  });
});
