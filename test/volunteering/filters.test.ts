import { describe, expect, it } from 'vitest';
import { finishFilter, missionQuery } from '../../subgraphs/volunteering/missions/filters.js';

const refused = (argument: string) =>
  expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(new RegExp(`^${argument} `)) });

describe('missionQuery', () => {
  it('sends nothing for what is null, absent or an empty list', () => {
    expect(missionQuery({})).toEqual([]);
    expect(missionQuery({ city: null, domain: [], openToMinors: null, createdAt: {} })).toEqual([]);
  });

  it('refuses a blank value, which the service drops: it would answer with everything', () => {
    expect(() => missionQuery({ city: [' '] })).toThrow(refused('city'));
    expect(() => missionQuery({ text: '\t' })).toThrow(refused('text'));
  });

  it('sends a lone value that has a comma twice, the only form that is not split', () => {
    expect(missionQuery({ activity: ['Soutien, Accompagnement'] })).toEqual([
      ['activity', 'Soutien, Accompagnement'],
      ['activity', 'Soutien, Accompagnement'],
    ]);
  });

  it('repeats every value of a comma list when one of them has a comma', () => {
    expect(missionQuery({ city: ['Saint-Denis, La Réunion', 'Paris'] })).toEqual([
      ['city', 'Saint-Denis, La Réunion'],
      ['city', 'Paris'],
    ]);
  });

  it('sends `snu` only to request it: the source takes false for no filter', () => {
    expect(missionQuery({ snu: true })).toEqual([['snu', 'true']]);
    expect(missionQuery({ snu: false })).toEqual([]);
  });

  it('writes one bound of a range with the prefixes that mean what they say', () => {
    expect(missionQuery({ createdAt: { after: '2026-01-31' } })).toEqual([['createdAt', 'gt:2026-01-31']]);
    expect(missionQuery({ startAt: { before: '2026-01-31T08:00:00+01:00' } })).toEqual([
      ['startAt', 'lt:2026-01-31T08:00:00+01:00'],
    ]);
  });

  it('sends one bound of a range that has two', () => {
    const range = { after: '2026-01-01', before: '2026-02-01' };
    expect(missionQuery({ createdAt: range, startAt: range })).toEqual([
      ['createdAt', 'gt:2026-01-01'],
      ['startAt', 'lt:2026-02-01'],
    ]);
  });

  it('spells unusual date-times so that the source does not silently drop the filter', () => {
    expect(missionQuery({ createdAt: { after: '2026-01-31t08:00:00z' } })).toEqual([
      ['createdAt', 'gt:2026-01-31T08:00:00Z'],
    ]);
    expect(missionQuery({ createdAt: { after: '2026-01-31T08:00:00+0100' } })).toEqual([
      ['createdAt', 'gt:2026-01-31T08:00:00+01:00'],
    ]);
  });

  it.each([
    ['a date-time without a zone, which the source would read as Paris time', '2026-01-31T08:00:00'],
    ['a comparison prefix of the source', 'gt:2026-01-31'],
    ['a date that does not exist', '2026-02-30'],
  ])('refuses %s', (_name, after) => {
    expect(() => missionQuery({ createdAt: { after } })).toThrow(refused('createdAt\\.after'));
    expect(() => missionQuery({ startAt: { before: after } })).toThrow(refused('startAt\\.before'));
  });

  it('refuses a range that ends where it begins', () => {
    const range = { after: '2026-01-31', before: '2026-01-31T00:00:00Z' };
    expect(() => missionQuery({ createdAt: range })).toThrow(refused('createdAt\\.after'));
  });

  it('refuses an empty value, which the source would drop together with the filter', () => {
    expect(() => missionQuery({ city: ['Paris', ''] })).toThrow(refused('city\\[1\\]'));
    expect(() => missionQuery({ type: [''] })).toThrow(refused('type'));
    expect(() => missionQuery({ text: '' })).toThrow(refused('text'));
  });

  it('refuses malformed RNA numbers', () => {
    expect(() => missionQuery({ associationRNA: ['W751206979', '751206979'] })).toThrow(
      refused('associationRNA\\[1\\]'),
    );
  });

  it('refuses text of a length that no search needs', () => {
    expect(() => missionQuery({ text: 'a'.repeat(501) })).toThrow(refused('text'));
  });
});

describe('finishFilter', () => {
  const range = { after: '2026-01-01', before: '2026-02-01T00:00:00+01:00' };
  const dated = (createdAt: string | null) => ({ createdAt, startAt: null });

  it('has nothing to finish while the source can take the filter', () => {
    expect(finishFilter({})).toBeNull();
    expect(finishFilter({ createdAt: { after: '2026-01-01' }, startAt: { before: '2026-01-01' } })).toBeNull();
  });

  it('takes both sides as exclusive, and compares moments, not texts', () => {
    const matches = finishFilter({ createdAt: range });
    expect(matches?.(dated('2026-01-01T00:00:00.000Z'))).toBe(false);
    expect(matches?.(dated('2026-01-01T00:00:00.001Z'))).toBe(true);
    expect(matches?.(dated('2026-01-31T22:59:59.999Z'))).toBe(true);
    expect(matches?.(dated('2026-01-31T23:00:00.000Z'))).toBe(false);
  });

  it('finds missions without the date, or with one of a wrong type, in no range', () => {
    const matches = finishFilter({ createdAt: range });
    expect(matches?.(dated(null))).toBe(false);
    expect(matches?.(dated('soon'))).toBe(false);
    const broken = {
      get createdAt(): string | null {
        throw new Error('wrong type');
      },
      startAt: null,
    };
    expect(matches?.(broken)).toBe(false);
  });
});
