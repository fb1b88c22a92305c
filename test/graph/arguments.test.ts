import { describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import {
  checkEach,
  checkLength,
  checkMoments,
  checkRange,
  checkRna,
  checkSiret,
  readPosition,
  together,
} from '../../subgraphs/graph/arguments.js';

const refused = (argument: string) =>
  expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(new RegExp(`^${argument} `)) });

function thrownBy(check: () => unknown): CodedError {
  try {
    check();
  } catch (error) {
    if (error instanceof CodedError) return error;
  }
  throw new Error('Nothing was refused.');
}

const NAMES = { lat: 'lat', lon: 'lon' };

describe('checks of arguments', () => {
  it('let null and absent pass: the schema says what is required', () => {
    for (const nothing of [null, undefined]) {
      expect(() => {
        checkSiret('siret', nothing);
        checkRna('rna', nothing);
        checkRange('radius', nothing, { min: 0, max: 1 });
        checkLength('text', nothing, { min: 1 });
        checkMoments('createdAt', { after: nothing, before: nothing });
      }).not.toThrow();
    }
    expect(readPosition(NAMES, null, undefined)).toBeNull();
  });

  it('refuse a SIRET with a wrong checksum, naming the argument and not repeating the value', () => {
    expect(() => checkSiret('siret', '55204944776278')).toThrow(refused('siret'));
    expect(() => checkSiret('siret', '55204944776278')).not.toThrow(/55204944776278/);
    expect(() => checkSiret('siret', '55204944776279')).not.toThrow();
  });

  it('refuse an RNA number in lower case, take a Corsican one', () => {
    expect(() => checkRna('rna', 'w751206979')).toThrow(refused('rna'));
    expect(() => checkRna('rna', 'W2A1000123')).not.toThrow();
  });

  it.each([[-0.001], [200.001], [Number.NaN], [Number.POSITIVE_INFINITY]])('refuse %d outside 0 to 200', (value) => {
    expect(() => checkRange('radius', value, { min: 0, max: 200, unit: 'km' })).toThrow(refused('radius'));
  });

  it.each([[0], [200]])('take the bound %d itself', (value) => {
    expect(() => checkRange('radius', value, { min: 0, max: 200 })).not.toThrow();
  });

  it('refuse one coordinate without the other, naming the missing one', () => {
    expect(() => readPosition(NAMES, 48, null)).toThrow(refused('lon'));
    expect(() => readPosition(NAMES, undefined, 2)).toThrow(refused('lat'));
  });

  it('take zero as a coordinate: the meridian of Greenwich crosses France', () => {
    expect(readPosition(NAMES, 48, 0)).toEqual({ lat: 48, lon: 0 });
    expect(readPosition(NAMES, 0, 0)).toEqual({ lat: 0, lon: 0 });
  });

  it('refuse a latitude of 91 and a longitude of 181', () => {
    expect(() => readPosition(NAMES, 91, 2)).toThrow(refused('lat'));
    expect(() => readPosition(NAMES, 48, 181)).toThrow(refused('lon'));
  });

  it('take dates and date-times with a zone, refuse those that are ambiguous or do not exist', () => {
    for (const good of ['2026-01-31', '2026-01-31T08:00:00+01:00', '2026-01-31T08:00:00.000Z']) {
      expect(() => checkMoments('startAt', { after: good })).not.toThrow();
    }
    for (const bad of ['2026-01-31T08:00:00', '2026-02-30', 'yesterday', 'gt:2026-01-31', '']) {
      expect(() => checkMoments('startAt', { after: bad })).toThrow(refused('startAt.after'));
    }
  });

  it('end with the tenth mistake in a list, the same one or another', () => {
    let checked = 0;
    const check = (rna: string) => {
      checked++;
      checkRna('rna', rna);
    };
    expect(() => checkEach(Array.from({ length: 200 }, String), check)).toThrow(refused('rna'));
    expect(checked).toBe(10);
  });

  it('say together what all of them refuse, the same mistake once, with the path of each argument', () => {
    const steps = [
      () => checkSiret('siret', '1'),
      () => checkEach(['W1', 'W2'], (rna) => checkRna('associationRNA', rna)),
      () => together(() => checkMoments('input.createdAt', { after: 'soon' })),
      () => checkLength('department[1]', ' ', { min: 1 }),
    ];
    const error = thrownBy(() => together(...steps));
    expect([error, ...error.further].map(({ extensions }) => extensions['argument'])).toEqual([
      ['siret'],
      ['associationRNA'],
      ['input', 'createdAt', 'after'],
      ['department', 1],
    ]);
    expect(
      together(
        () => 1,
        () => 'two',
      ),
    ).toEqual([1, 'two']);
  });

  it('let every other failure through', () => {
    const failing = () => {
      throw new TypeError('odd');
    };
    expect(() => together(() => checkSiret('siret', '1'), failing)).toThrow(TypeError);
  });

  it.each([' ', '\t\n', '\u00a0'])(
    'refuse blank text, which a service drops as if nothing were requested: %j',
    (blank) => {
      expect(() => checkLength('city', blank, { min: 1 })).toThrow(refused('city'));
      expect(() => checkLength('city', blank, {})).not.toThrow();
    },
  );

  it('say what is wrong in words of their own, without the value', () => {
    expect(() => readPosition(NAMES, 4242, 2)).toThrow('lat must be between -90 and 90 degrees.');
    expect(() => checkRange('first', 0, { min: 1, max: 50 })).toThrow('first must be between 1 and 50.');
    expect(() => checkRange('radius', -4242, { min: 0, max: 50, unit: 'km' })).not.toThrow(/4242/);
  });

  it('leave a value as it was written, where the library would round it', () => {
    expect(readPosition(NAMES, 48.856612345678, 1e-9)).toEqual({ lat: 48.856612345678, lon: 1e-9 });
  });

  it('count characters', () => {
    expect(() => checkLength('text', '', { min: 1 })).toThrow(refused('text'));
    expect(() => checkLength('text', 'abc', { max: 2 })).toThrow(refused('text'));
    expect(() => checkLength('text', 'abc', { min: 4 })).toThrow(refused('text'));
    expect(() => checkLength('text', 'ab', { min: 1, max: 2 })).not.toThrow();
  });
});
