import { describe, expect, test } from 'vitest';
import { everyRule, openRow } from './analyst.js';
import { openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

const QUERY = `query Rows { missions(first: 30) { nodes {
  id title organizationName domain description descriptionHtml applicationUrl location { lon lat }
} } }`;

const cell = (row: number, column: number) => `.pa-rows tr[aria-rowindex="${row + 1}"] td:nth-child(${column})`;

describe('A row', () => {
  test('is opened by a click with all its fields, whole, and HTML as text', async () => {
    const { page } = used.analyst;
    await used.analyst.run(QUERY);
    await used.analyst.view('Table');
    await page.click(cell(3, 2));
    const sent = (await used.stack.send(QUERY)).data.missions.nodes[2];
    const shown = await openRow(page);
    // Missions of equal start come in any order, and not all of them have a place.
    const place = sent.location === null ? {} : { 'location.lon': expect.stringMatching(/^-?\d/) };
    expect(shown).toMatchObject({ id: sent.id, title: sent.title, ...place });
    expect(shown['description']?.replaceAll(/\s+/g, ' ')).toBe(sent.description.trim().replaceAll(/\s+/g, ' '));
    expect(sent.descriptionHtml).toMatch(/<p>/);
    expect(shown['descriptionHtml']).not.toMatch(/<\/?(p|li|br|img)/);
    expect(await page.getAttribute('.pa-row-panel dd a', 'rel')).toBe('noopener noreferrer');
    expect(await everyRule(page)).toEqual([]);
  });

  test('is opened at once, whatever its texts are made of', async () => {
    const { page } = used.analyst;
    const long = 400_000;
    const nodes = [{ id: '1', spaces: `<b>a${' '.repeat(long)}</b>b`, scripts: `${'<script '.repeat(long / 8)}<br>` }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: { missions: { nodes } } } }));
    await used.analyst.run();
    await page.unroute('**/graphql');
    await page.click(cell(1, 1));
    expect(await openRow(page)).toMatchObject({ id: '1', spaces: expect.stringMatching(/^a +b$/) });
  });
});

testThatNothingWasBroken(used);
