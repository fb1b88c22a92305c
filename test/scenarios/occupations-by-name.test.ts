import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

describe.each(USUAL_SHAPE)('Occupations by name, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
  });
  beforeEach(() => stack.forgetCalls());
  afterAll(() => stack.close());

  test('come with their parent and the name that matches, without a call', async () => {
    const { data, errors } = await stack.send(`{
      child: occupationsByName(name: "dev web", first: 1) { id code label matchedName parent { code label parent { code } } }
      parent: occupationsByName(name: "commise de cuisine", first: 1) { code label matchedName parent { code } }
      code: occupationsByName(name: "M1999") { code label matchedName parent { code } }
      nothing: occupationsByName(name: "licorne") { code }
    }`);
    expect(errors).toEqual([]);
    const web = 'Développeur / Développeuse web';
    const parent = { code: 'M1805', label: 'Développeur / Développeuse informatique', parent: null };
    expect(data).toEqual({
      child: [{ id: 'Occupation:M1855', code: 'M1855', label: web, matchedName: web, parent }],
      parent: [
        {
          code: 'G1602',
          label: 'Commis / Commise de cuisine',
          matchedName: 'Commis / Commise de cuisine',
          parent: null,
        },
      ],
      code: [{ code: 'M1999', label: 'M1999', matchedName: null, parent: null }],
      nothing: [],
    });
    expect(stack.calls()).toEqual([]);
  });

  test('have as many offers and recruiters as counts and filters say, a child beside its parent, without a call', async () => {
    const { data, errors } = await stack.send(`{
      occupationsByName(name: "dev web", first: 3) { code offerCount recruiterCount codeInExport parent { code offerCount recruiterCount } }
      bakers: occupationsByName(name: "boulanger", first: 1) { code offerCount recruiterCount codeInExport }
      parents: exportedOffers(where: { rome: "M1805" }, first: 0) { totalCount }
      baking: exportedOffers(where: { rome: "D1102" }, first: 0) { totalCount }
      recruiters: exportedRecruiters(where: { rome: "D1102" }, first: 0) { totalCount }
      counted: exportedOfferCounts(by: [ROME], top: 1000) { groups { key label count } }
    }`);
    expect(errors).toEqual([]);
    const [web] = data.occupationsByName;
    expect(web.parent).toMatchObject({ code: 'M1805', offerCount: data.parents.totalCount });
    expect(web.parent.offerCount).toBeGreaterThan(0);
    expect(web).toMatchObject({ code: 'M1855', offerCount: 0, recruiterCount: 0, codeInExport: 'M1805' });
    const [offerCount, recruiterCount] = [data.baking.totalCount, data.recruiters.totalCount];
    expect(data.bakers).toEqual([{ code: 'D1102', offerCount, recruiterCount, codeInExport: 'D1102' }]);
    const named = data.counted.groups.find(({ key }: { key: string[] }) => key[0] === 'D1102');
    expect(named).toEqual({ key: ['D1102'], label: ['Boulanger / Boulangère'], count: offerCount });
    expect(stack.calls()).toEqual([]);
  });

  test('have certifications once their list was read for somebody, and an error until then', async () => {
    const query = '{ occupationsByName(name: "boulanger", first: 1) { certifications(first: 3) { id } } }';
    const before = await stack.send(query);
    expect(before.data).toEqual({ occupationsByName: [{ certifications: null }] });
    expect(before.errors.map(({ extensions }) => extensions.code)).toEqual(['GATEWAY_UNAVAILABLE']);
    expect(stack.calls()).toEqual([]);
    const all = await stack.send('{ certifications(romes: ["D1102"], first: 3) { nodes { id } } }');
    stack.forgetCalls();
    const after = await stack.send(query);
    expect(after.errors).toEqual([]);
    expect(after.data.occupationsByName).toEqual([{ certifications: all.data.certifications.nodes }]);
    expect(all.data.certifications.nodes.length).toBeGreaterThan(0);
    expect(stack.calls()).toEqual([]);
  });

  test('of words out of bounds are the error of their field', async () => {
    const { data, errors } = await stack.send(`{
      empty: occupationsByName(name: " ") { code }
      long: occupationsByName(name: "${'x'.repeat(101)}") { code }
      many: occupationsByName(name: "x", first: 101) { code }
      none: occupationsByName(name: "x", first: 0) { code }
    }`);
    expect(data).toEqual({ empty: null, long: null, many: null, none: null });
    expect(errors.map(({ path, extensions }) => `${extensions.code} ${path}`).sort()).toEqual(
      ['empty', 'long', 'many', 'none'].map((field) => `BAD_USER_INPUT ${field}`),
    );
    expect(stack.calls()).toEqual([]);
  });

  test('are those of the codes of an offer', async () => {
    const { data, errors } = await stack.send(
      '{ exportedOffers(first: 50) { nodes { offer { romeCodes occupations { code label } } } } }',
    );
    expect(errors).toEqual([]);
    for (const { offer } of data.exportedOffers.nodes)
      expect(offer.occupations.map(({ code }: { code: string }) => code)).toEqual(offer.romeCodes);
    const labels = new Map(
      data.exportedOffers.nodes.flatMap(({ offer }: { offer: { occupations: { code: string; label: string }[] } }) =>
        offer.occupations.map(({ code, label }) => [code, label] as const),
      ),
    );
    expect(labels.get('D1102')).toBe('Boulanger / Boulangère');
    expect(stack.calls()).toEqual([]);
  });
});
