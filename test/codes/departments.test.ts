import { describe, expect, it } from 'vitest';
import { editDistance } from '../../kernel/text.js';
import { DEPARTMENTS, departmentByCode, departmentByName, nearDepartments } from '../../subgraphs/codes/departments.js';

describe('the official list of départements', () => {
  it('has the 101 départements and the eight territories, each found by its code and by its name', () => {
    expect(DEPARTMENTS).toHaveLength(109);
    for (const department of DEPARTMENTS) {
      expect(departmentByCode(department.code)).toBe(department);
      expect(departmentByName(department.nom)).toBe(department);
      expect(departmentByName(department.nom.toUpperCase().replaceAll('-', ' '))).toBe(department);
    }
  });

  it.each([
    ['seine saint denis', '93'],
    ['Seine-St-Denis', '93'],
    ['VAL D’OISE', '95'],
    ['Cotes d Armor', '22'],
    ['la reunion', '974'],
    ['Réunion', '974'],
    ['l’Ain', '01'],
    ['LES VOSGES', '88'],
  ])('reads %s whatever its case, accents, hyphens and article', (name, code) => {
    expect(departmentByName(name)?.code).toBe(code);
  });

  it.each(['', 'Seine', '93', 'Normandie', '2a', '1'])('has no département of the code or name "%s"', (text) => {
    expect(departmentByCode(text)?.nom === undefined || text === '93').toBe(true);
    expect(departmentByName(text)).toBeUndefined();
  });
});

describe('nearDepartments', () => {
  it.each([
    ['2a', '2A'],
    ['1', '01'],
    ['20', '2A 2B'],
    ['76600', '76'],
    ['20200', '2B'],
    ['97133', '971'],
    ['Paris', '75'],
    ['Paris 12e', '75'],
    ['Saine-Maritime', '76'],
    ['Reunion', '974'],
    ['Hauts de Seines', '92'],
    ['Seine', '76 77 92 93'],
    ['Corse', '2A 2B'],
    ['Guyane française', '973'],
    ['Côtes-du-Nord', '22'],
    ['seine inferieur', '76'],
    ['Loire-Inférieure', '44'],
    ['Charente-Inférieure', '17'],
    ['Basses-Alpes', '04'],
    ['Basses-Pyrénées', '64'],
    ['Seine-et-Oise', '78'],
  ])('suggests for "%s" %s', (text, codes) => {
    expect(
      nearDepartments(text)
        .map(({ code }) => code)
        .join(' '),
    ).toBe(codes);
  });

  it.each([
    '',
    'XX',
    '00',
    '993',
    '999',
    'zzzzzz',
    'Normandie',
    'Île-de-France',
    'Nouvelle-Aquitaine',
    'Saint',
    'Pays de la Loire',
  ])('suggests nothing for "%s", which is near to none or to too many', (text) => {
    expect(nearDepartments(text)).toEqual([]);
  });

  it('finds each département that is written with one letter too many', () => {
    for (const department of DEPARTMENTS) expect(nearDepartments(`${department.nom}x`)).toContain(department);
  });

  it('looks at the beginning of a text of any length only', () => {
    expect(nearDepartments('x'.repeat(1_000_000))).toEqual([]);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['paris', 'paris', 0],
    ['ab', 'ba', 2],
  ])('counts the changes from "%s" to "%s"', (from, to, changes) => {
    expect(editDistance(from, to)).toBe(changes);
  });
});
