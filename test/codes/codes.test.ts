import { describe, expect, it } from 'vitest';
import {
  departmentOfInsee,
  departmentOfPostalCode,
  isInseeCode,
  isPostalCode,
  postalCodesIn,
} from '../../subgraphs/codes/places.js';
import { isCfdCode, isRna, isRncpCode, isRomeCode } from '../../subgraphs/codes/registers.js';
import { communeIndex, resolveInsee } from '../../subgraphs/work-study/communes/commune-index.js';

describe('isRna', () => {
  it.each(['W751234567', 'W2A1000123', 'W2B2001234', 'W9R1000123'])('accepts %s', (text) => {
    expect(isRna(text)).toBe(true);
  });

  it.each(['', 'W75123456', 'W7512345678', 'w751234567', '751234567W', 'W2C 000123', 'WABCDEFGHI'])(
    'refuses %j',
    (text) => {
      expect(isRna(text)).toBe(false);
    },
  );
});

describe('INSEE codes', () => {
  it.each(['35238', '01001', '2A004', '2B033', '97411'])('takes %s for one', (text) => {
    expect(isInseeCode(text)).toBe(true);
  });

  it.each(['', '1001', '2C004', '2a004', 'A2004', '352380', 'INSEE', '0'])('does not take %j for one', (text) => {
    expect(isInseeCode(text)).toBe(false);
  });
});

describe('the département of an INSEE code', () => {
  it.each([
    ['75056', '75'],
    ['75051', '92'],
    ['75001', '94'],
    ['75008', '93'],
    ['78228', '91'],
    ['78646', '78'],
    ['20004', '2A'],
    ['2B033', '2B'],
    ['97801', '978'],
    ['97411', '974'],
  ])('of %s is %s', (code, department) => {
    expect(departmentOfInsee(code)).toBe(department);
  });

  it.each(['', '0', 'INSEE', '9201'])('is none for %j', (code) => {
    expect(departmentOfInsee(code)).toBeNull();
  });

  it("is that of the official list for all of today's communes and former ones", () => {
    const { byInsee, successors } = communeIndex();
    const codes = [...byInsee.keys(), ...successors.keys()];
    const official = (code: string) => byInsee.get(resolveInsee(code) ?? '')?.department;
    expect(codes.length).toBeGreaterThan(36_000);
    expect(codes.filter((code) => departmentOfInsee(code) !== official(code))).toEqual([]);
  });
});

describe('postal codes', () => {
  it('are five digits', () => {
    expect(isPostalCode('01000')).toBe(true);
    expect(isPostalCode('1000')).toBe(false);
    expect(isPostalCode('2A000')).toBe(false);
  });

  it('tell the department, of a Corsican one by the third digit', () => {
    expect(departmentOfPostalCode('35700')).toBe('35');
    expect(departmentOfPostalCode('97400')).toBe('974');
    expect(departmentOfPostalCode('20090')).toBe('2A');
    expect(departmentOfPostalCode('20167')).toBe('2A');
    expect(departmentOfPostalCode('20200')).toBe('2B');
    expect(departmentOfPostalCode('20620')).toBe('2B');
    expect(departmentOfPostalCode('20900')).toBeNull();
  });

  it('are found in an address, the last one first', () => {
    expect(postalCodesIn("126 rue de l'Université 75007 Paris")).toEqual(['75007']);
    expect(postalCodesIn('12345 route de Lyon, 69003 Lyon')).toEqual(['69003', '12345']);
  });

  it('are not cut out of longer numbers', () => {
    expect(postalCodesIn('SIRET 73282932000074, tel. 0299123456')).toEqual([]);
  });
});

describe('codes of certifications and jobs', () => {
  it('follow the patterns of the seed', () => {
    expect(['RNCP123', 'RNCP12345', 'RNCP12', 'RNCP123456', 'rncp1234', '12345'].map(isRncpCode)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(['50022137', '4C0320T2', '5002213', '500X2137', '50022137 '].map(isCfdCode)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(['A1234', 'M1607', 'a1234', 'A123', 'A', 'AB123'].map(isRomeCode)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
