import { describe, expect, it } from 'vitest';
import { editDistance } from '../../schema/edit-distance.js';
import {
  DEPARTMENTS,
  departmentByCode,
  departmentByName,
  nearestDepartment,
} from '../../subgraphs/codes/departments.js';

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
  ])('reads %s whatever its case, accents and hyphens', (name, code) => {
    expect(departmentByName(name)?.code).toBe(code);
  });

  it.each(['', 'Seine', '93', 'Normandie', '2a', '1'])('has no département of the code or name "%s"', (text) => {
    expect(departmentByCode(text)?.nom === undefined || text === '93').toBe(true);
    expect(departmentByName(text)).toBeUndefined();
  });
});

describe('nearestDepartment', () => {
  it.each([
    ['2a', '2A'],
    ['1', '01'],
    ['20', '2A'],
    ['76600', '76'],
    ['20200', '2B'],
    ['97133', '971'],
    ['Paris', '75'],
    ['Saine-Maritime', '76'],
    ['Réunion', '974'],
    ['Hauts de Seines', '92'],
    ['993', '93'],
    ['Seine', '76'],
    ['Corse', '2A'],
    ['', '01'],
  ])('suggests for "%s" %s', (text, code) => {
    expect(nearestDepartment(text).code).toBe(code);
  });

  it('looks at the beginning of a text of any length only', () => {
    expect(DEPARTMENTS).toContain(nearestDepartment('x'.repeat(1_000_000)));
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
