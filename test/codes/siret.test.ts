import { describe, expect, it } from 'vitest';
import { isSiren, isSiret } from '../../subgraphs/codes/registers.js';

describe('isSiret', () => {
  it('accepts 14 digits whose Luhn checksum is right', () => {
    expect(isSiret('73282932000074')).toBe(true);
    expect(isSiret('55208131766522')).toBe(true);
  });

  it('refuses a SIRET with one wrong digit or two swapped ones', () => {
    expect(isSiret('73282932000075')).toBe(false);
    expect(isSiret('73289232000074')).toBe(false);
  });

  it("accepts La Poste's head office by the checksum and its establishments by the sum of their digits", () => {
    expect(isSiret('35600000000048')).toBe(true);
    expect(isSiret('35600000049837')).toBe(true);
    expect(isSiret('35600000049838')).toBe(false);
  });

  it("keeps La Poste's exception to La Poste", () => {
    // The sum of the digits is 20, but the check digit is wrong.
    expect(isSiret('55208131700007')).toBe(false);
  });

  it.each([
    '',
    '7328293200007',
    '732829320000745',
    '732 829 320 00074',
    '7328293200007A',
    ' 73282932000074',
    '73282932000074\n',
  ])('refuses %j, which is not 14 digits', (text) => {
    expect(isSiret(text)).toBe(false);
  });
});

describe('isSiren', () => {
  it('accepts 9 digits whose Luhn checksum is right and refuses others', () => {
    expect(isSiren('732829320')).toBe(true);
    expect(isSiren('356000000')).toBe(true);
    expect(isSiren('732829321')).toBe(false);
    expect(isSiren('73282932')).toBe(false);
  });
});
