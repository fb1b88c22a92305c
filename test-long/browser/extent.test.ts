import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { downloaded } from '../../test/browser/download.js';
import { READERS } from '../../test/web/workbook-readers.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

/** What stands beside each count of rows, in the order of the page. */
const saidOn = (page: Page) => page.locator('.pa-body .pa-bar > :is(.pa-partial, .pa-quiet)').allTextContents();

async function open(query: string, view: 'Table' | 'Counts' = 'Table'): Promise<Page> {
  await used.analyst.run(query);
  await used.analyst.view(view);
  await used.analyst.page.locator(view === 'Counts' ? '.pa-count-table' : '.pa-shown').waitFor();
  return used.analyst.page;
}

describe('Beside each count and download stands whether it is all', () => {
  test('of a page whose total is known: that it is one page, on the map too', async () => {
    const page = await open(`{ missions(first: 11) { totalCount nodes { id location { lon lat } } } }`);
    const { data } = await used.stack.send('{ missions(first: 11) { totalCount } }');
    const why = `one page of 11 rows of ${data.missions.totalCount}`;
    expect(await saidOn(page)).toEqual([why]);
    await used.analyst.view('Map');
    await eventually(() => page.locator('.pa-body > .pa-note').textContent()).toContain(`, ${why}.`);
  });

  test('of everything: that it is the whole list, and files have no mark', async () => {
    const page = await open('{ departements { nom region { nom } } }');
    expect(await saidOn(page)).toEqual(['the whole list']);
    const { name, bytes } = await downloaded(page, 'CSV');
    expect(name).toBe('departements.csv');
    expect(bytes.toString('utf8')).not.toContain('#');
  });

  test('of counts of everything: files of them have their origin and no mark', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Counts');
    const { name, bytes } = await downloaded(page, 'Excel');
    expect(name).toBe('counts.xlsx');
    for (const reader of READERS) {
      const [counts, about = []] = await reader.sheetsOf(bytes);
      expect(JSON.stringify(counts)).not.toContain('#');
      expect(about.map(([title]) => title)).toEqual(expect.arrayContaining(['Query', 'Counted by', 'Rows counted']));
      expect(about.map(([title]) => title)).not.toContain('Incomplete');
    }
    expect(await page.getByRole('button', { name: 'Count all missions' }).count()).toBe(0);
  });

  test('in French', async () => {
    const page = await open('{ communesByName(name: "saint", first: 10) { nom } }');
    await page.getByRole('button', { name: 'Français' }).click();
    const why = 'peut-être pas tout\u202f: communesByName a autant de lignes que la requête en demande';
    await eventually(() => page.locator('.pa-table caption').textContent()).toBe(
      `10 lignes de communesByName[], ${why}`,
    );
    expect(await saidOn(page)).toEqual([why]);
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Français' }).waitFor();
  });
});

describe('Counts in a file', () => {
  const query = '{ missions(first: 40) { totalCount nodes { id domain city } } }';
  let note: string;
  let nodes: readonly { city: string | null }[];
  let book: { readonly name: string; readonly bytes: Buffer };

  beforeAll(async () => {
    const page = await open(query, 'Counts');
    await page.getByLabel('Count by').selectOption('city');
    const { missions } = (await used.stack.send(query)).data;
    note = `counts of 40 rows: one page of 40 rows of ${missions.totalCount}`;
    nodes = missions.nodes;
    book = await downloaded(page, 'Excel');
  });

  test('are named, and marked, as those of one page', async () => {
    expect(book.name).toBe('counts-incomplete.xlsx');
    for (const form of ['CSV', 'CSV (Excel, French)']) {
      const file = await downloaded(used.analyst.page, `${form}`);
      expect(file.name).toBe('counts-incomplete.csv');
      expect(file.bytes.toString('utf8')).toMatch(new RegExp(`\\r\\n# incomplete: ${note}[,;]\\r\\n$`));
    }
  });

  test.each(READERS.map((reader) => [reader.name, reader] as const))(
    'have their origin beside them, and say of how many rows they are: as %s reads them',
    async (_name, reader) => {
      const expected = new Map<string | null, number>();
      // The source itself counts by domain, but not by city.
      for (const { city } of nodes) expected.set(city, (expected.get(city) ?? 0) + 1);
      const [counts = [], about = []] = await reader.sheetsOf(book.bytes);
      expect(counts[0]).toEqual(['city', 'count']);
      expect(new Map(counts.slice(1, -1) as [string | null, number][])).toEqual(expected);
      expect(counts.at(-1)?.[0]).toBe(`# incomplete: ${note}`);
      expect(Object.fromEntries(about)).toMatchObject({
        ...{ Query: query, Variables: '{}', List: 'missions.nodes[]', Sources: 'volunteering' },
        ...{ 'Counted by': 'city', 'Rows counted': 40, Incomplete: note },
      });
    },
  );
});

testThatNothingWasBroken(used);
