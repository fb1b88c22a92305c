import { describe, expect, it } from 'vitest';
import { type CommuneMatch, matchCommune } from '../../../subgraphs/work-study/communes/match-commune.js';

/** Points, and the communes whose boxes hold them. */
const inRennesAlone = { lon: -1.68, lat: 48.11 };
const inBordeauxAndMerignac = { lon: -0.63, lat: 44.85 };
/** Meilhan-sur-Garonne and Saint-Sauveur-de-Meilhan, which share a postal code. */
const inTwoOf47180 = { lon: 0, lat: 44.5 };
/** Neussargues-Moissac and Virargues. The commune of Celles was re-created there and has no box. */
const nearCelles = { lon: 2.9345, lat: 45.1396 };
const inTheAtlantic = { lon: -30, lat: 45 };

function candidatesOf({ candidates }: CommuneMatch): string[] {
  return candidates.map(({ insee }) => insee);
}

describe('with a point', () => {
  it('is certain when the point lies in one box', () => {
    expect(matchCommune({ location: inRennesAlone })).toEqual({
      method: 'POINT',
      insee: '35238',
      candidates: [{ insee: '35238', nom: 'Rennes' }],
    });
  });

  it('narrows several boxes by the postal code', () => {
    const match = matchCommune({ location: inBordeauxAndMerignac, postalCode: '33700', city: 'Bordeaux Métropole' });
    expect(match).toMatchObject({ method: 'POINT_AND_POSTAL_CODE', insee: '33281' });
    expect(candidatesOf(match)).toEqual(['33281']);
  });

  it('narrows what the postal code leaves by the name', () => {
    expect(
      matchCommune({ location: inTwoOf47180, postalCode: '47180', city: 'ST SAUVEUR DE MEILHAN CEDEX' }),
    ).toMatchObject({ method: 'POINT_AND_NAME', insee: '47277' });
    expect(matchCommune({ location: inBordeauxAndMerignac, city: 'MERIGNAC' })).toMatchObject({
      method: 'POINT_AND_NAME',
      insee: '33281',
    });
  });

  it('takes the nearest centre of what is left, and says so', () => {
    const match = matchCommune({ location: inTwoOf47180, postalCode: '47180' });
    expect(match).toMatchObject({ method: 'NEAREST_CENTRE', insee: '47277' });
    expect(candidatesOf(match)).toEqual(['47165', '47277']);
  });

  it('skips a step that would leave nothing', () => {
    const point = { location: inBordeauxAndMerignac };
    expect(matchCommune({ ...point, postalCode: '99999', city: 'Mérignac' })).toMatchObject({
      method: 'POINT_AND_NAME',
      insee: '33281',
    });
    expect(matchCommune({ ...point, postalCode: '33700', city: 'Nulle-Part' }).method).toBe('POINT_AND_POSTAL_CODE');
    expect(matchCommune({ ...point, postalCode: '75001', city: 'Nulle-Part' }).method).toBe('NEAREST_CENTRE');
  });

  it('uses the department only among equals', () => {
    const point = { location: inBordeauxAndMerignac };
    expect(matchCommune({ ...point, postalCode: '33700', departmentCode: '75' }).insee).toBe('33281');
    expect(matchCommune({ ...point, departmentCode: '75' }).insee).toBe(matchCommune(point).insee);
  });
});

describe('a point that postal code and name contradict', () => {
  it('is not believed: the match is ambiguous, with all as candidates', () => {
    const match = matchCommune({ location: inRennesAlone, postalCode: '29200', city: 'Brest' });
    expect(match).toMatchObject({ method: 'AMBIGUOUS', insee: null });
    expect(candidatesOf(match)).toEqual(['29019', '35238']);
  });

  it('is not believed where they contradict each other too', () => {
    const match = matchCommune({ location: inRennesAlone, postalCode: '29200', city: 'Lyon' });
    expect(match).toMatchObject({ method: 'AMBIGUOUS', insee: null });
    expect(candidatesOf(match)).toEqual(['29019', '35238', '69123']);
  });

  it('is not believed where it lies in a neighbour that shares the postal code', () => {
    // In the box of Bourg-en-Bresse alone; 01000 is the postal code of both.
    const location = { lon: 5.2468, lat: 46.2026 };
    const match = matchCommune({ location, postalCode: '01000', city: 'Saint-Denis-lès-Bourg' });
    expect(match).toMatchObject({ method: 'AMBIGUOUS', insee: null });
  });

  it('is believed against one of them alone', () => {
    expect(matchCommune({ location: inRennesAlone, postalCode: '29200' }).method).toBe('POINT');
    expect(matchCommune({ location: inRennesAlone, city: 'Brest' }).method).toBe('POINT');
    expect(matchCommune({ location: inRennesAlone, postalCode: '29200', city: 'Rennes' }).method).toBe('POINT');
    expect(matchCommune({ location: inRennesAlone, postalCode: '35000', city: 'Brest' }).method).toBe('POINT');
  });

  it("is a guess against the name of a commune nearby that no postal code confirms: it may be the neighbour's", () => {
    expect(matchCommune({ location: inRennesAlone, city: 'Cesson-Sévigné' })).toMatchObject({
      method: 'NEAREST_CENTRE',
      insee: '35238',
    });
  });
});

describe('a point that is none', () => {
  const rennes = { postalCode: '35000', city: 'Rennes' };

  it('is the one at 0, 0', () => {
    expect(matchCommune({ ...rennes, location: { lon: 0, lat: 0 } }).method).toBe('POSTAL_CODE');
  });

  it('is one that lies in no box: it contradicts nothing', () => {
    expect(matchCommune({ ...rennes, location: inTheAtlantic }).method).toBe('POSTAL_CODE');
    // Longitude and latitude of Rennes, swapped.
    expect(matchCommune({ ...rennes, location: { lon: 48.11, lat: -1.68 } }).method).toBe('POSTAL_CODE');
  });

  it('chooses no centre either', () => {
    expect(matchCommune({ location: inTheAtlantic })).toEqual({ method: 'NONE', insee: null, candidates: [] });
    expect(matchCommune({ location: inTheAtlantic, city: 'Saint-Denis' }).method).toBe('AMBIGUOUS');
  });

  it('is half a point, or one that is no number', () => {
    expect(matchCommune({ ...rennes, location: { lon: -1.68, lat: null } }).method).toBe('POSTAL_CODE');
    expect(matchCommune({ ...rennes, location: { lon: Number.NaN, lat: 48.11 } }).method).toBe('POSTAL_CODE');
  });

  it('is not the one on the meridian of Greenwich', () => {
    expect(matchCommune({ location: { lon: 0, lat: 44.5 } }).method).toBe('NEAREST_CENTRE');
  });
});

describe('without a point', () => {
  it('is certain by a postal code of one commune', () => {
    expect(matchCommune({ postalCode: '35510', city: 'Rennes Métropole' })).toMatchObject({
      method: 'POSTAL_CODE',
      insee: '35051',
    });
    expect(matchCommune({ postalCode: ' 35 510 ' }).insee).toBe('35051');
  });

  it('needs the name where a postal code covers several communes', () => {
    expect(matchCommune({ postalCode: '47180', city: 'Meilhan sur Garonne' })).toMatchObject({
      method: 'NAME',
      insee: '47165',
    });
    const match = matchCommune({ postalCode: '47180' });
    expect(match).toMatchObject({ method: 'AMBIGUOUS', insee: null });
    expect(candidatesOf(match)).toContain('47165');
  });

  it('takes a name that no other commune bears', () => {
    expect(matchCommune({ city: 'RENNES CEDEX 7' })).toMatchObject({ method: 'NAME', insee: '35238' });
    // The postal code of an organization with much mail (CEDEX) is on no list.
    expect(matchCommune({ postalCode: '35042', city: 'RENNES CEDEX' })).toMatchObject({
      method: 'NAME',
      insee: '35238',
    });
  });

  it('never guesses between communes of one name', () => {
    const match = matchCommune({ city: 'Saint-Denis' });
    expect(match).toMatchObject({ method: 'AMBIGUOUS', insee: null });
    expect(candidatesOf(match)).toEqual(['11339', '30247', '93066', '97411']);
  });

  it('breaks a tie by the department', () => {
    expect(matchCommune({ city: 'St Denis', departmentCode: '93' })).toMatchObject({ method: 'NAME', insee: '93066' });
    expect(matchCommune({ city: 'St Denis', departmentCode: '75' }).method).toBe('AMBIGUOUS');
    expect(matchCommune({ postalCode: '13780', departmentCode: '83' })).toMatchObject({
      method: 'POSTAL_CODE',
      insee: '83105',
    });
  });

  it('breaks no tie by a department that only repeats the postal code', () => {
    // 13780 is the code of one commune in 13 and of one in 83; the service derives a missing department from it.
    expect(matchCommune({ postalCode: '13780', departmentCode: '13' }).method).toBe('AMBIGUOUS');
  });

  it('is null when postal code and name say nothing', () => {
    const none = { method: 'NONE', insee: null, candidates: [] };
    expect(matchCommune({})).toEqual(none);
    expect(matchCommune({ postalCode: '', city: '', departmentCode: '35', country: 'FR', location: null })).toEqual(
      none,
    );
    expect(matchCommune({ postalCode: '99999', city: 'Nulle-Part' })).toEqual(none);
  });
});

describe('names', () => {
  it('of former communes lead to the current one', () => {
    expect(matchCommune({ postalCode: '01200', city: 'Bellegarde-sur-Valserine' }).insee).toBe('01033');
    expect(matchCommune({ location: { lon: 5.83, lat: 46.11 }, city: 'Châtillon-en-Michaille' }).insee).toBe('01033');
  });

  it('that a commune bore before it was renamed lead to it', () => {
    expect(matchCommune({ city: 'Évry', departmentCode: '91' })).toMatchObject({ method: 'NAME', insee: '91228' });
  });

  it('of arrondissements lead to the city', () => {
    expect(matchCommune({ postalCode: '69003', city: 'Lyon 3e Arrondissement' }).insee).toBe('69123');
    expect(matchCommune({ city: 'MARSEILLE 01' }).insee).toBe('13055');
    expect(matchCommune({ postalCode: '75116' })).toMatchObject({ method: 'POSTAL_CODE', insee: '75056' });
  });

  it('are used without what stands in brackets behind them', () => {
    const match = matchCommune({ postalCode: '58120', city: 'CHATEAU-CHINON' });
    expect(candidatesOf(match)).toEqual(['58062', '58063']);
  });
});

describe('communes without a box', () => {
  it('are found by postal code and name beside a point', () => {
    expect(matchCommune({ location: nearCelles, postalCode: '15170', city: 'Celles' })).toMatchObject({
      method: 'POINT_AND_NAME',
      insee: '15031',
    });
    expect(matchCommune({ location: nearCelles, city: 'Celles' }).insee).toBe('15031');
  });

  it('are no candidates where the name says something else', () => {
    expect(matchCommune({ location: nearCelles, postalCode: '15170', city: 'Virargues' })).toMatchObject({
      method: 'POINT_AND_POSTAL_CODE',
      insee: '15141',
    });
  });

  it('are no nearest centre', () => {
    expect(matchCommune({ location: nearCelles, postalCode: '15170' })).toMatchObject({
      method: 'NEAREST_CENTRE',
      insee: '15141',
    });
  });

  it('contradict a point that lies in another part of France', () => {
    expect(matchCommune({ location: inRennesAlone, postalCode: '98714', city: 'Papeete' }).method).toBe('AMBIGUOUS');
  });

  it('are found overseas, where every point lies in no box', () => {
    const papeete = { location: { lon: -149.57, lat: -17.54 }, postalCode: '98714', city: 'Papeete' };
    expect(matchCommune({ ...papeete, country: 'PF' })).toMatchObject({ method: 'POSTAL_CODE', insee: '98735' });
  });
});

describe('countries', () => {
  const rennes = { location: inRennesAlone, postalCode: '35000', city: 'Rennes' };

  it.each(['FR', 'fr', 'France', 'RE', 'GP', 'PF', '', null, undefined])('%j may be in France', (country) => {
    expect(matchCommune({ ...rennes, country }).insee).toBe('35238');
  });

  it.each([
    ...['FRA', 'GLP', 'reu', 'MYT', 'France métropolitaine', 'FRANCE MÉTROPOLITAINE', 'Guadeloupe', 'La Réunion'],
    ...['Île de la Réunion', 'Martinique', 'Guyane française', 'Saint-Martin (partie française)', 'St Barthélemy'],
    ...['Nouvelle Calédonie', 'Polynésie française', 'Wallis-et-Futuna', 'Saint-Pierre et Miquelon', ' mayotte '],
  ])('%j is a French territory, by its longer code or by its name', (country) => {
    expect(matchCommune({ ...rennes, country }).insee).toBe('35238');
  });

  it.each(['Ελλάδα', '-', 'GUY', 'MAR', 'Maurice', 'Frankreich'])(
    '%j is none, though it folds to nothing or is alike',
    (country) => {
      expect(matchCommune({ ...rennes, country }).method).toBe('NONE');
    },
  );

  it.each(['BE', 'CH', 'ES', 'Deutschland'])('%j is not, whatever else is written', (country) => {
    expect(matchCommune({ ...rennes, country })).toEqual({ method: 'NONE', insee: null, candidates: [] });
  });
});
