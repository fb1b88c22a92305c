import { describe, expect, it } from 'vitest';
import { matchOrganizationCommune } from '../../../subgraphs/work-study/communes/match-organization.js';

describe('the commune of an organization', () => {
  it('is the code that is written, whatever else the seat says', () => {
    const seat = { addressInseeCode: '35238', addressPostalCode: '29200', addressCity: 'Brest' };
    expect(matchOrganizationCommune(seat)).toBe('35238');
    expect(matchOrganizationCommune({ addressInseeCode: '2B033' })).toBe('2B033');
  });

  it('follows an arrondissement and a former commune to the current one', () => {
    expect(matchOrganizationCommune({ addressInseeCode: '75111' })).toBe('75056');
    expect(matchOrganizationCommune({ addressInseeCode: '01340' })).toBe('01015');
  });

  it.each(['0', 'INSEE', '', ' ', '99999', null, undefined])('is postal code and name where the code is %j', (code) => {
    const seat = { addressInseeCode: code, addressPostalCode: '47180', addressCity: 'SAINT SAUVEUR DE MEILHAN' };
    expect(matchOrganizationCommune(seat)).toBe('47277');
  });

  it('has its postal code without the leading zero that the register loses', () => {
    const seat = { addressInseeCode: '0', addressPostalCode: '1120', addressCity: 'SAINTE CROIX' };
    expect(matchOrganizationCommune(seat)).toBe('01342');
    expect(matchOrganizationCommune({ ...seat, addressPostalCode: ' 1120 ' })).toBe('01342');
    expect(matchOrganizationCommune({ ...seat, addressPostalCode: '120' })).toBeNull();
  });

  it('is null when nothing fits or several do', () => {
    expect(matchOrganizationCommune({})).toBeNull();
    expect(matchOrganizationCommune({ addressCity: 'Saint-Denis' })).toBeNull();
    expect(matchOrganizationCommune({ addressInseeCode: '0', addressPostalCode: '47180' })).toBeNull();
  });
});
