import { describe, expect, it } from 'vitest';
import { exactRecord, type OrganizationRecord } from '../../subgraphs/volunteering/organizations/codes.js';

const SIRET = '77560000100017';
const OTHER = '55204944776279';

function record(id: string, parts: Partial<OrganizationRecord> = {}): OrganizationRecord {
  const updatedAt = '2026-01-01T00:00:00.000Z';
  return { id, siret: SIRET, sirets: [SIRET], rna: null, status: 'ACTIVE', updatedAt, ...parts };
}

const bySiret = (...rows: OrganizationRecord[]) => exactRecord(rows, { siret: SIRET, rna: null })?.id;

describe('exactRecord', () => {
  it('is null when no record carries the code, whatever the source sent', () => {
    expect(exactRecord([], { siret: SIRET, rna: null })).toBeNull();
    expect(bySiret(record('a', { siret: OTHER, sirets: [OTHER] }), record('b', { siret: null, sirets: null }))).toBe(
      undefined,
    );
  });

  it('prefers the record whose own SIRET is equal over one that merely lists it', () => {
    const lists = record('a', { siret: OTHER, sirets: [OTHER, SIRET], updatedAt: '2026-09-01T00:00:00.000Z' });
    expect(bySiret(lists, record('b', { status: 'DISSOLVED' }))).toBe('b');
    expect(bySiret(lists)).toBe('a');
  });

  it('then prefers an active record, then the newest, then the first by identifier', () => {
    const old = '2020-01-01T00:00:00.000Z';
    expect(bySiret(record('a', { status: 'DISSOLVED' }), record('b', { updatedAt: old }))).toBe('b');
    expect(bySiret(record('a', { updatedAt: old }), record('b'))).toBe('b');
    expect(bySiret(record('a', { updatedAt: null }), record('b', { updatedAt: old }))).toBe('b');
    expect(bySiret(record('b'), record('a'))).toBe('a');
  });

  it('compares moments, not texts', () => {
    const earlier = record('a', { updatedAt: '2026-01-01T00:30:00+01:00' });
    const later = record('b', { updatedAt: '2026-01-01T00:00:00Z' });
    expect(bySiret(earlier, later)).toBe('b');
  });

  it('takes an RNA number exactly, and both codes together when both are given', () => {
    const rows = [record('a', { rna: 'W751206979' }), record('b', { rna: 'W751206970' })];
    expect(exactRecord(rows, { siret: null, rna: 'W751206970' })?.id).toBe('b');
    expect(exactRecord(rows, { siret: SIRET, rna: 'W751206979' })?.id).toBe('a');
    expect(exactRecord(rows, { siret: OTHER, rna: 'W751206979' })).toBeNull();
    expect(exactRecord(rows, { siret: null, rna: 'w751206979' })).toBeNull();
  });

  it('passes over records that are missing, no objects, or have a code of a wrong type', () => {
    const broken = {
      ...record('broken'),
      get siret(): string {
        throw new Error('wrong type');
      },
      sirets: null,
    };
    expect(exactRecord([null, broken, record('a')], { siret: SIRET, rna: null })?.id).toBe('a');
  });
});
