import { describe, expect, it } from 'vitest';
import { boxContains } from '../../../subgraphs/codes/places.js';
import {
  communeIndex,
  postalCodesOf,
  readOfficialBoxes,
  resolveInsee,
} from '../../../subgraphs/work-study/communes/commune-index.js';

describe('the official files', () => {
  it('have the form and the size that the matcher was built for', () => {
    const { byInsee, byPostalCode } = communeIndex();
    expect(byInsee.size).toBe(34_969);
    expect(byPostalCode.size).toBeGreaterThan(6_000);
    const rennes = byInsee.get('35238');
    expect(rennes).toMatchObject({
      insee: '35238',
      nom: 'Rennes',
      department: '35',
      postalCodes: ['35000', '35200', '35700'],
      population: expect.any(Number),
    });
    expect(rennes?.box).toMatchObject({ minLon: expect.any(Number), maxLat: expect.any(Number) });
  });

  it('give every commune a box but seven that were re-created and 94 of overseas collectivities', () => {
    const without = [...communeIndex().byInsee.values()].filter(({ box }) => box === null);
    const overseas = without.filter(({ department }) => /^9[78]/.test(department));
    expect(overseas).toHaveLength(94);
    expect(without).toHaveLength(101);
  });
});

describe('resolveInsee', () => {
  it('keeps a current code', () => {
    expect(resolveInsee('35238')).toBe('35238');
    expect(resolveInsee('2A004')).toBe('2A004');
  });

  it('follows an arrondissement to its city', () => {
    expect(['75104', '69381', '13216'].map(resolveInsee)).toEqual(['75056', '69123', '13055']);
  });

  it('follows a former commune that has a row of its own', () => {
    // Cordieux, associated with Montluel.
    expect(resolveInsee('01120')).toBe('01262');
  });

  it("follows a former commune that only its successor's list knows", () => {
    expect(resolveInsee('01340')).toBe('01015');
  });

  it("follows a former commune's own row where another commune lists it too", () => {
    expect(resolveInsee('55273')).toBe('55386');
    expect(resolveInsee('60455')).toBe('60694');
  });

  it.each(['', '99999', '0', 'INSEE', '35000', '2A999'])('knows no commune for %j', (code) => {
    expect(resolveInsee(code)).toBeNull();
  });

  it('leads every box of a vanished code to a current commune', () => {
    const { byInsee } = communeIndex();
    const vanished = readOfficialBoxes().filter(({ code }) => !byInsee.has(code));
    expect(vanished.length).toBe(552);
    // One assertion for all, here and below, because one for each row takes seconds.
    expect(vanished.filter(({ code }) => !byInsee.has(resolveInsee(code) ?? ''))).toEqual([]);
  });
});

describe('the box of a commune', () => {
  it('holds its own and those of all communes merged into it', () => {
    const { byInsee } = communeIndex();
    const outside = readOfficialBoxes().filter(({ code, sides: [west, south, east, north] }) => {
      const united = byInsee.get(resolveInsee(code) ?? '')?.box;
      const corners = [
        { lon: west, lat: south },
        { lon: east, lat: north },
      ];
      return !(united && corners.every((corner) => boxContains(united, corner)));
    });
    expect(outside).toEqual([]);
  });
});

describe('the communes at a position', () => {
  it('are those whose box contains it, edges included, as in a look at every commune', () => {
    const { byInsee, at } = communeIndex();
    const all = [...byInsee.values()];
    const positions = all.flatMap(({ box }, place) =>
      place % 500 > 0 || box === null
        ? []
        : [
            { lon: box.minLon, lat: box.minLat },
            { lon: box.maxLon, lat: box.maxLat },
            { lon: (box.minLon + box.maxLon) / 2, lat: box.maxLat },
          ],
    );
    expect(positions.length).toBeGreaterThan(200);
    for (const position of positions) {
      expect(at(position)).toEqual(all.filter(({ box }) => box !== null && boxContains(box, position)));
    }
    expect(at({ lon: 361.5, lat: 47 })).toEqual([]);
    expect(at({ lon: Number.NaN, lat: 47 })).toEqual([]);
  });
});

describe('postalCodesOf', () => {
  it('gives the codes by which a Corsican commune is looked up', () => {
    expect(postalCodesOf('2A004')).toEqual(['20000', '20090', '20167']);
  });

  it('gives none for a code that is no current commune', () => {
    expect(postalCodesOf('01340')).toEqual([]);
  });
});
