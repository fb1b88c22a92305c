import { describe, expect, it } from 'vitest';
import { foldPlaceName } from '../../subgraphs/codes/places.js';

/** Spellings of a name, the official one first. */
const ways: [string, ...string[]][] = [
  ['Saint-Étienne-du-Rouvray', 'SAINT ETIENNE DU ROUVRAY', 'St-Etienne-du-Rouvray', 'st. étienne du rouvray'],
  ['Sainte-Geneviève-des-Bois', 'STE GENEVIEVE DES BOIS', 'Ste-Geneviève-des-Bois'],
  ["L'Haÿ-les-Roses", "L'HAY LES ROSES", 'L’Haÿ les Roses', ' l haÿ-les-roses '],
  ['Œuilly', 'OEUILLY', 'Oeuilly', '&OElig;uilly', 'Œuil\u00adly'],
  ['Orléans', 'Orl&eacute;ans', 'Orl&#233;ans', 'Orle\u0301ans', 'Ｏｒｌｅａｎｓ', 'Orlé\u200bans', '<b>Orléans</b>'],
  ['Saint-Brieuc', 'Saint‑Brieuc', 'Saint\u00a0Brieuc', 'St–Brieuc'],
  ['Rennes', 'RENNES CEDEX', 'Rennes Cedex 7', 'RENNES CEDEX 09', 'Rennes (35)'],
  [
    'Paris',
    'Paris 4e Arrondissement',
    'PARIS 04',
    'Paris 4e',
    'Paris 4ème',
    'PARIS 8 CEDEX',
    'Paris 75004',
    'PARIS 1ER',
    '4e arrondissement de Paris',
    'Paris XIX',
    'Paris16',
    'Dix-septième arrondissement de Paris',
  ],
  [
    'Lyon',
    'Lyon IIIe',
    'IVème arr. Lyon',
    'Lyon 1ère',
    'Lyon arrondissement 2',
    'Lyon 2de',
    'LYON 03',
    'Lyon 3e Arrondissement',
    'LYON CEDEX 03',
    'Lyon 3eme arrdt',
  ],
  ['Marseille', 'Marseille 1er Arrondissement', 'MARSEILLE 16'],
];

describe('foldPlaceName', () => {
  it.each(ways)('reads the ways to write %s as one name', (official, ...written) => {
    for (const way of written) expect(foldPlaceName(way), way).toBe(foldPlaceName(official));
  });

  it('keeps names apart that are not the same', () => {
    const names = [
      'Saint-Denis',
      'Sainte-Denise',
      'Paris-l’Hôpital',
      'Paris XXX',
      'Paris',
      'Lyons-la-Forêt',
      'Lyon',
      'Le Mans',
      'Mans',
    ];
    expect(new Set(names.map(foldPlaceName)).size).toBe(names.length);
  });

  it('keeps the words in brackets that tell two communes apart', () => {
    expect(foldPlaceName('Château-Chinon (Ville)')).not.toBe(foldPlaceName('Château-Chinon (Campagne)'));
  });

  it('keeps a number that is no arrondissement', () => {
    expect(foldPlaceName('Rennes 35')).toBe('rennes 35');
  });

  it('folds what has no letter or digit to nothing', () => {
    expect(foldPlaceName('')).toBe('');
    expect(foldPlaceName(' - ')).toBe('');
    expect(foldPlaceName('CEDEX 12')).toBe('');
  });

  it('changes nothing that is already folded', () => {
    for (const way of ways.flat()) expect(foldPlaceName(foldPlaceName(way))).toBe(foldPlaceName(way));
  });
});
