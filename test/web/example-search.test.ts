import departements from '@etalab/decoupage-administratif/data/departements.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { fillIn, findValues, searchExamples } from '../../analyst/page/examples/search-examples.js';
import { DOMAINS, listed } from '../../analyst/page/variables/options.js';
import { ROME_CODES } from '../../analyst/page/variables/rome-codes.js';
import { readExamples } from '../../gateway/pages/home.js';

const examples = await readExamples();
const { signal } = new AbortController();
const COMMUNES = [
  { code: '38185', fr: 'Grenoble', en: 'Grenoble' },
  { code: '72181', fr: 'Le Mans', en: 'Le Mans' },
];
const sources = {
  commune: listed(async () => COMMUNES),
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

  /** The variables of the examples that a search finds, with what it names; null where it names what is not known. */
  async function filled(text: string) {
    const { found, rest } = searchExamples(examples, text);
    const values = await findValues({ text, rest }, sources, signal);
    if (values === null) return null;
    return Object.fromEntries(
      found.flatMap((example) => {
        const one = fillIn(example, values);
        return one === null ? [] : [[example.name, one.variables]];
      }),
    );
  }

  test('fills in the département, domain and codes that it names', async () => {
    const near = await filled('bénévolat grenoble');
    expect(near?.['missions-near-a-commune']).toMatchObject({ insee: '38185' });
    expect(near).not.toHaveProperty('missions-of-a-department');
    expect(await filled('missions 93')).toMatchObject({ 'missions-of-a-department': { department: ['93'] } });
    expect(await filled('organizations 2A alternance')).toEqual({
      'organizations-with-offers': { department: ['2A'], first: 100 },
    });
    expect((await filled('sport'))?.['missions-of-a-domain-near-a-commune']).toMatchObject({ domain: ['sport'] });
    const codes = await filled('formations rncp37682');
    expect(codes).toMatchObject({ 'courses-of-a-certification': { rncp: 'RNCP37682' } });
    expect(await filled('offers M1203')).toMatchObject({ 'offers-of-an-occupation': { romes: ['M1203'] } });
  });

  test.each(['M1805 Grenoble', 'Grenoble m1805', 'offres M1805 à Grenoble'])(
    'fills in the commune beside the code of an occupation: %s',
    async (text) => {
      const values = { insee: '38185', romes: ['M1805'] };
      expect(await filled(text)).toEqual({ 'offers-of-an-occupation': { ...values, radius: 100 } });
    },
  );

  test('fills in the commune beside a domain that no example names, and under a name with an article', async () => {
    const values = { insee: '72181', domain: ['animaux'] };
    expect(await filled('missions animaux Le Mans')).toMatchObject({ 'missions-of-a-domain-near-a-commune': values });
    const department = { department: ['974'] };
    expect(await filled('missions à la Réunion')).toMatchObject({ 'missions-of-a-department': department });
  });

  test('knows the plural of a word, and a distance for the radius', async () => {
    const near = await filled('quels bénévoles à moins de 30 km de Grenoble');
    expect(near?.['missions-near-a-commune']).toMatchObject({ insee: '38185', radius: 30 });
    expect((await filled('sports 5km Grenoble'))?.['missions-of-a-domain-near-a-commune']).toMatchObject({
      ...{ insee: '38185', domain: ['sport'], radius: 5 },
    });
    expect((await filled('missions Le Mans'))?.['missions-near-a-commune']).toMatchObject({ insee: '72181' });
  });

  test('takes bénévolat for what all missions are, not for the domain that begins with it', async () => {
    const near = await filled('bénévolat grenoble');
    expect(near?.['missions-of-a-domain-near-a-commune']).toMatchObject({ insee: '38185', domain: ['environnement'] });
    const skills = await filled('bénévolat de compétences grenoble');
    expect(skills?.['missions-of-a-domain-near-a-commune']).toMatchObject({ domain: ['benevolat-competences'] });
  });

  test.each(['bénévolat grenobel', 'sport grenobel', 'M1805 grenobel', 'missions 38000'])(
    'finds nothing rather than rows of another place: %s',
    async (text) => {
      expect(await filled(text)).toBeNull();
    },
  );
});
