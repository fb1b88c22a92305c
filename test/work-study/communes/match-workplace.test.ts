import { describe, expect, it } from 'vitest';
import { matchWorkplaceCommune } from '../../../subgraphs/work-study/communes/match-commune.js';

describe('the commune of a workplace', () => {
  it('is that of its geopoint, longitude first', () => {
    expect(matchWorkplaceCommune([-1.68, 48.11], null)).toBe('35238');
  });

  it('is narrowed by the address where the geopoint lies in several boxes', () => {
    expect(matchWorkplaceCommune([-0.63, 44.85], '4 rue de la Paix 33700 Mérignac')).toBe('33281');
    expect(matchWorkplaceCommune([0, 44.5], 'Le Bourg 47180 Meilhan-sur-Garonne, France')).toBe('47165');
  });

  it("stays with the geopoint against a training centre's address", () => {
    expect(matchWorkplaceCommune([-1.68, 48.11], '10 rue de Lyon 29200 Brest')).toBe('35238');
  });

  it('is that of the address where the geopoint is missing, 0 0 or in no box', () => {
    for (const geopoint of [null, undefined, [], [0, 0], [48.11, -1.68]]) {
      expect(matchWorkplaceCommune(geopoint, '12345 route du Port 47180 Meilhan sur Garonne')).toBe('47165');
    }
    expect(matchWorkplaceCommune(null, '1 place de la Mairie 35042 RENNES CEDEX')).toBe('35238');
  });

  it('is null when neither leads to one commune', () => {
    expect(matchWorkplaceCommune([0, 0], 'Le Bourg')).toBeNull();
    expect(matchWorkplaceCommune(null, 'Le Bourg 47180')).toBeNull();
    expect(matchWorkplaceCommune(null, null)).toBeNull();
  });
});
