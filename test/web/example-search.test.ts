import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import { createExampleSearch, type ExampleSearch } from '../../analyst/page/examples/search-examples.js';
import { plainName } from '../../analyst/page/variables/options.js';
import { readExamples } from '../../gateway/pages/home.js';
import { IS_LONG } from '../runs.js';
import phrases from './search-phrases.json' with { type: 'json' };

interface Commune {
  readonly type: string;
  readonly code: string;
  readonly nom: string;
  readonly departement: string;
  readonly codesPostaux?: readonly string[];
  readonly population?: number;
}

/** The official list by name or postal code, the largest first, as the gateway has it. */
const communes: readonly Commune[] = createRequire(import.meta.url)(
  '@etalab/decoupage-administratif/data/communes.json',
);
const byText = new Map<string, Commune[]>();
for (const commune of communes) {
  if (commune.type !== 'commune-actuelle') continue;
  for (const text of [plainName(commune.nom), ...(commune.codesPostaux ?? [])]) {
    const known = byText.get(text);
    if (known === undefined) byText.set(text, [commune]);
    else known.push(commune);
  }
}

async function communesOf(text: string) {
  return (byText.get(plainName(text.replace(/\(.*\)/, ''))) ?? [])
    .filter(({ departement }) => !text.includes('(') || text.includes(`(${departement})`))
    .sort((one, other) => (other.population ?? 0) - (one.population ?? 0))
    .map(({ code, nom }) => ({ code, label: nom, note: '' }));
}

let search: ExampleSearch;
beforeAll(async () => {
  search = await createExampleSearch(await readExamples(), communesOf);
});

async function searched(text: string) {
  const { found, unknown } = await search(text, new AbortController().signal);
  const variables = Object.fromEntries(found.map((one) => [one.example.name, one.variables]));
  const leftOut = Object.fromEntries(found.map((one) => [one.example.name, one.leftOut]));
  return { top: found.slice(0, 3).map(({ example }) => example.name), variables, leftOut, unknown };
}

/** How many phrases have a right question among the first three, and the values that these lack. */
async function tally(chosen: typeof phrases) {
  const results = await Promise.all(
    chosen.map(async ({ text, right, values }) => {
      const { top, variables } = await searched(text);
      const hit = top.find((name) => right.includes(name)) ?? null;
      const filled = hit === null ? {} : variables[hit];
      const lacks = Object.entries(values).filter(
        ([name, value]) => ![filled?.[name]].flat().map(String).includes(value),
      );
      return { text, hit, lacks };
    }),
  );
  return {
    missed: results.filter(({ hit }) => hit === null).map(({ text }) => text),
    lacking: results.filter(({ hit, lacks }) => hit !== null && lacks.length > 0).map(({ text }) => text),
  };
}

describe('A search of examples', () => {
  test('has the right question among the first three for nine of ten phrases that it was not made with', async () => {
    const held = phrases.filter((phrase) => phrase.held);
    expect(held.length).toBeGreaterThanOrEqual(30);
    const { missed, lacking } = await tally(held);
    expect(missed.length, missed.join()).toBeLessThanOrEqual(held.length / 10);
    expect(lacking.length, lacking.join()).toBeLessThanOrEqual(held.length / 10);
  });

  test.runIf(IS_LONG)('has it, with what the phrase names filled in, for those that it was made with', async () => {
    expect(await tally(phrases.filter(({ held }) => !held))).toEqual({ missed: [], lacking: [] });
  });

  test('never finds nothing, and says which words it does not know', async () => {
    const { top, variables, unknown } = await searched('bénévolat grenobel');
    expect(unknown).toBe('grenobel');
    expect(top[0]).toMatch(/^mission/);
    expect(variables['missions-near-a-commune']).toMatchObject({ insee: '76540' });
    expect((await searched('zzzz')).top).toHaveLength(3);
  });

  test('reads places: a département, a région, a small commune, one of several of a name, a postal code', async () => {
    const of = async (text: string, name: string) => (await searched(text)).variables[name];
    expect(await of('missions 93', 'missions-of-a-department')).toMatchObject({ department: ['93'] });
    const normandie = { department: ['14', '27', '50', '61', '76'] };
    expect(await of('missions en Normandie', 'missions-of-a-department')).toMatchObject(normandie);
    expect(await of('missions à Rots', 'missions-near-a-commune')).toMatchObject({ insee: '14543' });
    expect(await of('missions Saint-Denis (93)', 'missions-near-a-commune')).toMatchObject({ insee: '93066' });
    expect(await of('bénévoles 76000', 'missions-near-a-commune')).toMatchObject({ insee: '76540' });
    expect(await of('mission locale Rouen', 'missions-locales')).toMatchObject({ latitude: expect.closeTo(49.44, 1) });
    expect(await of('missions Le Mans', 'missions-near-a-commune')).toMatchObject({ insee: '72181' });
  });

  test('reads ages as no département, and bénévolat as what all missions are, not as a domain', async () => {
    expect((await searched('moins de 18 ans')).variables['missions-of-a-department']).toEqual({ first: 100 });
    const near = (await searched('bénévolat grenoble')).variables['missions-of-a-domain-near-a-commune'];
    expect(near).toEqual({ insee: '38185' });
  });

  test.each([
    ['All offers in Guadeloupe', 'all-offers-of-a-trade', { department: ['971'] }],
    ['toutes les offres', 'all-offers-of-a-trade', {}],
    ['missions in Bordeaux', 'missions-of-a-domain-near-a-commune', { insee: '33063' }],
    ['associations', 'associations-by-name', { first: 25 }],
    ['certifications niveau 6', 'certifications-by-level-and-trade', { level: 'LEVEL_6', active: true }],
    ['offres Bordeaux', 'offers-of-an-occupation', { insee: '33063' }],
    ['missions locales', 'missions-locales', {}],
    // Without them, it would be another question.
    ['recruteurs associations', 'recruiters-that-are-associations', { naf: ['94'] }],
  ])('keeps no sample value of an example as a filter: %s', async (text, name, variables) => {
    expect((await searched(text)).variables[name]).toEqual(variables);
  });

  test('tells of each example what it leaves out of what was named', async () => {
    const { leftOut } = await searched('missions environnement niveau 5 Bordeaux 20 km');
    const none = leftOut['missions-of-a-domain-near-a-commune'];
    expect(none).toHaveLength(1);
    expect(leftOut['missions-near-a-commune']).toEqual(expect.arrayContaining([...(none ?? []), 'Environment']));
    expect(leftOut['mission-domains']).toEqual(expect.arrayContaining(['Bordeaux', '20 km']));
    // Words that are not understood are said to be so.
    expect((await searched('bénévolat grenobel')).leftOut['missions-near-a-commune']).toEqual([]);
  });
});
