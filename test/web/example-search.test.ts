import departements from '@etalab/decoupage-administratif/data/departements.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { readExamples } from '../../gateway/web/home.js';
import { fillIn, findValues } from '../../gateway/web/page/examples/find-values.js';
import { searchExamples } from '../../gateway/web/page/examples/search-examples.js';
import { DOMAINS } from '../../gateway/web/page/variables/domains.js';
import { listed } from '../../gateway/web/page/variables/named-codes.js';
import { ROME_CODES } from '../../gateway/web/page/variables/rome-codes.js';

const examples = await readExamples();
const { signal } = new AbortController();
const sources = {
  commune: listed(async () => [{ code: '38185', fr: 'Grenoble', en: 'Grenoble' }]),
  departement: listed(async () => departements.map(({ code, nom }) => ({ code, fr: nom, en: nom }))),
  domain: listed(async () => DOMAINS),
  rome: listed(async () => ROME_CODES),
};
const names = (text: string) => searchExamples(examples, text).found.map(({ name }) => name);

describe('A search of examples', () => {
  test('finds all for no words, and knows words of both languages and of the domain', () => {
    expect(names('')).toHaveLength(examples.length);
    const groups = (text: string) => new Set(searchExamples(examples, text).found.map(({ group }) => group));
    for (const text of ['bénévolat', 'BENEVOLAT', 'volunteering']) expect(groups(text)).toContain('missions');
    for (const text of ['alternance', 'work-study', 'apprentissage']) expect(groups(text)).toContain('offers');
    expect(names('environnement')).toEqual(['missions-of-a-domain-near-a-commune']);
    expect(names('environment')).toEqual(['missions-of-a-domain-near-a-commune']);
    expect(names('how many missions per department')).toContain('missions-by-department');
    expect(names('combien de missions par département')).toContain('missions-by-department');
  });

  test('leaves what no example has: the name of a place, or a code', () => {
    expect(searchExamples(examples, 'le bénévolat à Grenoble').rest).toBe('Grenoble');
    expect(searchExamples(examples, 'offres Saint-Denis').rest).toBe('Saint-Denis');
    expect(searchExamples(examples, 'bénévolat').rest).toBe('');
  });

  test('fills in the département, domain and codes that it names', async () => {
    const filled = async (text: string) => {
      const { found, rest } = searchExamples(examples, text);
      const values = await findValues({ text, rest }, sources, signal);
      return Object.fromEntries(
        found.flatMap((example) => {
          const one = fillIn(example, values);
          return one === null ? [] : [[example.name, one.variables]];
        }),
      );
    };
    const near = await filled('bénévolat grenoble');
    expect(near['missions-near-a-commune']).toMatchObject({ insee: '38185' });
    expect(near).not.toHaveProperty('missions-of-a-department');
    expect(await filled('missions 93')).toMatchObject({ 'missions-of-a-department': { department: ['93'] } });
    expect(await filled('organizations 2A alternance')).toEqual({
      'organizations-with-offers': { department: ['2A'], first: 100 },
    });
    expect((await filled('sport'))['missions-of-a-domain-near-a-commune']).toMatchObject({ domain: ['sport'] });
    const codes = await filled('formations rncp37682');
    expect(codes).toMatchObject({ 'courses-of-a-certification': { rncp: 'RNCP37682' } });
    expect(await filled('offers M1203')).toMatchObject({ 'offers-of-an-occupation': { romes: ['M1203'] } });
  });
});
