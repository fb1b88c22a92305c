import { describe, expect, it } from 'vitest';
import { communeIndex, communesNamed } from '../../../subgraphs/work-study/communes/commune-index.js';
import { findCommunesByName, readWrittenName } from '../../../subgraphs/work-study/communes/commune-names.js';

const found = (text: string, limit = 3) =>
  findCommunesByName(readWrittenName(text), limit).map(({ nom, insee }) => `${nom} ${insee}`);

describe('findCommunesByName', () => {
  it.each([
    ['ROUEN', 'Rouen 76540'],
    ['St-Etienne du Rouvray', 'Saint-Étienne-du-Rouvray 76575'],
    ['ste genevieve des bois', 'Sainte-Geneviève-des-Bois 91549'],
    ['L’Haÿ les Roses', "L'Haÿ-les-Roses 94038"],
    ['Rennes Cedex 7', 'Rennes 35238'],
    ['Paris 20e', 'Paris 75056'],
    ['LYON 03', 'Lyon 69123'],
    ['Marseille 1er Arrondissement', 'Marseille 13055'],
    ['Château-Chinon', 'Château-Chinon (Ville) 58062'],
    ['y', 'Y 80829'],
  ])('reads %s as %s first', (text, expected) => {
    expect(found(text)[0]).toBe(expected);
  });

  it('knows former names, behind the communes that have the name today', () => {
    expect(found('Bellegarde-sur-Valserine')).toEqual(['Valserhône 01033']);
    expect(found('Évry')).toEqual(['Évry 89162', 'Évry-Courcouronnes 91228', 'Évry-Grégy-sur-Yerre 77175']);
  });

  it('takes a name without its article before names that only begin so', () => {
    expect(found('rochelle')[0]).toBe('La Rochelle 17300');
    expect(found('havre')).toEqual(['Le Havre 76351']);
    expect(found('Mans (Le)')[0]).toBe('Le Mans 72181');
  });

  it('goes from the whole name to its beginning, to words, to beginnings of words', () => {
    expect(found('valence', 5)).toEqual([
      'Valence 26362',
      'Valence 82186',
      'Valence 16392',
      'Valence-en-Poitou 86082',
      "Valence-d'Albigeois 81308",
    ]);
    expect(found('rouen').slice(0, 2)).toEqual(['Rouen 76540', 'Sotteville-lès-Rouen 76681']);
    expect(found('chalon s/ saone')).toEqual(['Chalon-sur-Saône 71076']);
    expect(found('etienne saint')[0]).toBe('Saint-Étienne 42218');
  });

  it('puts the largest of equal names first', () => {
    const { byInsee } = communeIndex();
    const equals = findCommunesByName(readWrittenName('sainte-colombe'), 100).filter(
      ({ nom }) => nom === 'Sainte-Colombe',
    );
    const sizes = equals.map(({ insee }) => byInsee.get(insee)?.population ?? 0);
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  });

  it('names no commune twice, and no more than wanted', () => {
    const codes = findCommunesByName(readWrittenName('saint'), 100).map(({ insee }) => insee);
    expect(codes).toHaveLength(100);
    expect(new Set(codes).size).toBe(100);
  });

  it.each([
    ['St Denis (Réunion)', 'Saint-Denis 97411'],
    ['Saint-Denis (la reunion) ', 'Saint-Denis 97411'],
    ['Saint-Denis (93)', 'Saint-Denis 93066'],
    ['(Seine-St-Denis) Saint-Denis', 'Saint-Denis 93066'],
    ['Saint-Denis (93) (Seine-Saint-Denis)', 'Saint-Denis 93066'],
    ['Saint-Denis (93200)', 'Saint-Denis 93066'],
    ['93200 Saint-Denis', 'Saint-Denis 93066'],
    ['93200, Saint-Denis', 'Saint-Denis 93066'],
    ['93200 Saint-Denis 93200', 'Saint-Denis 93066'],
    ['F-93200 Saint-Denis', 'Saint-Denis 93066'],
    ['69003 Lyon', 'Lyon 69123'],
    ['Lyon 69003', 'Lyon 69123'],
    ['76099 ROUEN CEDEX', 'Rouen 76540'],
    ['97133 Saint-Barthélemy', 'Saint-Barthélemy 97701'],
    ['Ajaccio (2a)', 'Ajaccio 2A004'],
    ['20000 Ajaccio', 'Ajaccio 2A004'],
    ['Paris (12e)', 'Paris 75056'],
    ['Château-Chinon (Campagne)', 'Château-Chinon (Campagne) 58063'],
    ['Château-Chinon (Ville) (58)', 'Château-Chinon (Ville) 58062'],
  ])('finds by %s only %s, which is there', (text, expected) => {
    expect(found(text, 1)).toEqual([expected]);
    const { isThere } = readWrittenName(text);
    for (const commune of findCommunesByName(readWrittenName(text), 100)) expect(isThere(commune)).toBe(true);
  });

  it.each([
    // A postal code: of bulk recipients, in two groups, without the zero that spreadsheets drop.
    ['20704 Ajaccio Cedex', 'Ajaccio 2A004'],
    ['20407 BASTIA CEDEX 9', 'Bastia 2B033'],
    ['Bastia Cedex 9 20407', 'Bastia 2B033'],
    ['Ajaccio (20704)', 'Ajaccio 2A004'],
    ['FR-75 001 Paris', 'Paris 75056'],
    ['1000 Bourg-en-Bresse', 'Bourg-en-Bresse 01053'],
    ['1012 Bourg en Bresse Cedex', 'Bourg-en-Bresse 01053'],
    ['Nice 6000', 'Nice 06088'],
    ['9000 Foix', 'Foix 09122'],
    // A département's code, before or after the name.
    ['75 - PARIS 15', 'Paris 75056'],
    ['13 - Marseille 8e', 'Marseille 13055'],
    ['2A - Ajaccio', 'Ajaccio 2A004'],
    ['20 - Bastia', 'Bastia 2B033'],
    ['974 – St Denis', 'Saint-Denis 97411'],
    ['1 - Bourg-en-Bresse', 'Bourg-en-Bresse 01053'],
    ['Rennes, 35', 'Rennes 35238'],
    ['Saint-Denis 93', 'Saint-Denis 93066'],
    // An arrondissement, which is evidence of its city: no Parisot.
    ['Paris XVI', 'Paris 75056'],
    ['16e arrondissement de Paris', 'Paris 75056'],
    ['Lyon IIIe', 'Lyon 69123'],
    ['1ère arrdt Lyon', 'Lyon 69123'],
    ['75016 Paris, seizième arr.', 'Paris 75056'],
    ['Marseille 15 ème (13)', 'Marseille 13055'],
  ])('reads what %s says beside the name: %s', (text, expected) => {
    expect(found(text, 1)).toEqual([expected]);
    const { isThere } = readWrittenName(text);
    for (const commune of findCommunesByName(readWrittenName(text), 100)) expect(isThere(commune)).toBe(true);
    expect(communesNamed('parisot').some(isThere)).toBe(false);
  });

  it.each(['35 - Rouen', '13 - Paris 8e', '20704 Rouen Cedex', 'Rennes 7', '1000 Nice', '99 Paris 15'])(
    'finds nothing for %s: its parts contradict each other',
    (text) => expect(found(text)).toEqual([]),
  );

  it.each([
    ['93200', ['Saint-Denis 93066']],
    ['6000', ['Nice 06088']],
    ['93', []],
    [' f-93200 ', ['Saint-Denis 93066']],
    ['(93200)', ['Saint-Denis 93066']],
    ['75056', []],
    ['93200 (75)', []],
  ])('finds by %s alone the communes that have the postal code', (text, expected) => {
    expect(found(text, 100)).toEqual(expected);
  });

  it('finds by a postal code of several communes the largest first', () => {
    const { byPostalCode } = communeIndex();
    const all = byPostalCode.get('76190') ?? [];
    expect(all.length).toBeGreaterThan(10);
    const communes = findCommunesByName(readWrittenName('76190'), 100);
    expect(new Set(communes)).toEqual(new Set(all));
    const sizes = communes.map(({ population }) => population);
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(found('76190')).toHaveLength(3);
  });

  it('finds none where the text says, although there are some elsewhere', () => {
    expect([found('Rouen (93)'), found('76000 Saint-Denis (93)'), found('Saint-Denis (99000')]).toEqual([[], [], []]);
  });

  it.each([
    ['Paris (xyz)', 'name has something in brackets that is no département.'],
    [
      'Saint-Denis (Guyane française)',
      'name has something in brackets that is no département (did you mean 973, Guyane?).',
    ],
    ['Saint-Denis (00)', 'name has something in brackets that is no département.'],
    ['Marseille (1)', 'name has something in brackets that is no département (did you mean 01, Ain?).'],
    ['Ajaccio (20)', expect.stringContaining('(did you mean 2A, Corse-du-Sud or 2B, Haute-Corse?).')],
    ['Saint Denis (93) (11)', 'name has several départements in brackets.'],
    ['00123 Paris', 'name has a postal code of no département.'],
  ])('refuses %s, which says where in a way that is not understood', (text, message) => {
    expect(() => found(text)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });

  it('corrects no letters: a misspelt name finds nothing', () => {
    expect([found('grenobel'), found('greno')[0]]).toEqual([[], 'Grenoble 38185']);
  });

  it.each(['', '  - ', 'CEDEX 12', 'zzz', '🏙️'])('finds nothing for %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('finds every commune by its own name: it is among the equals at the front', () => {
    const { byInsee, byName } = communeIndex();
    const most = Math.max(...[...byName.keys()].map((name) => communesNamed(name).length));
    const some = [...byInsee.values()].filter((_, place) => place % 97 === 0);
    for (const commune of some) {
      expect(findCommunesByName(readWrittenName(commune.nom), most), commune.nom).toContain(commune);
    }
  });
});
