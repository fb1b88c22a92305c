import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectAll } from '../../scripts/drift.js';
import type { Stack } from '../scenarios/stack.js';
import { alertNamed } from './support/rules.js';
import { type ScrapedStack, startScrapedStack } from './support/scraped-stack.js';

/** Guards that the alert for drift means a new form: malformed codes and new words are in public data every day. */

const { expr } = alertNamed('PasserelleDrift');
const [, wanted = ''] = /passerelle_drift_total(?:\{([^}]*)\})?/.exec(expr) ?? [];

const api = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
/** Fields that need calls for each object, apart from the joins that are requested by name. */
const SKIPS = new Set(['Organization.workplaces', 'Mission.communeMatch', 'Company.workplaces']);

/** All of a type's own fields, without joins. */
function ownFields(name: string): string {
  const type = getNamedType(api.getType(name));
  return isObjectType(type) ? selectAll(type, SKIPS, ['Mission', 'Organization', 'Workplace']) : name;
}

const SEARCHES = [44, 47, 50].map((latitude) => `jobSearch(latitude: ${latitude}, longitude: 2.35, radius: 200)`);

describe('The alert of drift', () => {
  let stack: Stack;
  let scrape: ScrapedStack['scrape'];
  beforeAll(async () => {
    ({ stack, scrape } = await startScrapedStack());
  });
  afterAll(() => stack.close());

  /** The labels of every series of the drift metric. */
  async function drifts(): Promise<string[]> {
    const text = await scrape();
    return [...text.matchAll(/^passerelle_drift_total\{(.*)\} \d+$/gm)].map(([, labels = '']) => labels);
  }

  const firing = async () => (await drifts()).filter((labels) => labels.includes(wanted));

  /** Reads every page of a list. */
  async function readAll(list: string, type: string, size: number): Promise<void> {
    let after = '';
    do {
      const query = `{ ${list}(first: ${size}${after}) { nodes ${ownFields(type)} pageInfo { hasNextPage endCursor } } }`;
      const { data, errors } = await stack.send(query);
      expect(errors, list).toEqual([]);
      const { hasNextPage, endCursor } = data[list].pageInfo;
      after = hasNextPage ? `, after: ${JSON.stringify(endCursor)}` : '';
    } while (after !== '');
  }

  test('does not fire on what the sources send on any day', async () => {
    await readAll('missions', 'Mission', 500);
    await readAll('organizations', 'Organization', 100);
    for (const search of SEARCHES) {
      const { errors } = await stack.send(`{ ${search} ${ownFields('JobSearchResult')} }`);
      expect(errors).toEqual([]);
    }
    await stack.send(`{ missionsLocales(latitude: 48.85, longitude: 2.35, radius: 200) { organization { id } } }`);
    const kinds = (await drifts()).flatMap((labels) => /kind="(\w+)"/.exec(labels)?.[1] ?? []);
    expect([...new Set(kinds)].sort()).toEqual(['code', 'word']);
    expect(await firing()).toEqual([]);
  });

  test('fires on a value of another form', async () => {
    stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      set: { '/data/0/title': { fr: 'a text' } },
    });
    await stack.send('{ missions(first: 7) { nodes { title } } }');
    expect(await firing()).toEqual([expect.stringContaining('place="Mission.title"')]);
  });
});
