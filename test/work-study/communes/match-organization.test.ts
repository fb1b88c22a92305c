import { describe, expect, it } from 'vitest';
import { matchOrganizationCommune } from '../../../subgraphs/work-study/communes/match-commune.js';

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

  it.each([
    ['75011', 'PARIS', '75056'],
    ['69001', 'LYON 01', '69123'],
    ['77166', 'Grisy Suisnes', '77217'],
  ])('is what postal code and name say where %s is written as the code too', (code, addressCity, insee) => {
    const seat = { addressInseeCode: code, addressPostalCode: code, addressCity };
    expect(matchOrganizationCommune(seat)).toBe(insee);
  });

  it('is the code that is written where that is the postal code too, and the name does not confirm the postal code', () => {
    const seat = { addressInseeCode: '69001', addressPostalCode: '69001' };
    expect(matchOrganizationCommune(seat)).toBe('69001');
    expect(matchOrganizationCommune({ ...seat, addressCity: 'AFFOUX' })).toBe('69001');
    expect(matchOrganizationCommune({ ...seat, addressCity: 'Brest' })).toBe('69001');
    const rennes = { addressInseeCode: '35238', addressPostalCode: '35238', addressCity: 'Brest' };
    expect(matchOrganizationCommune(rennes)).toBe('35238');
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
