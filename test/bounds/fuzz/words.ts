import type { World } from '../../../sandbox/world/types.js';

/** Values for arguments, by the name of their type or of the argument; few of each, so that most calls are cached. */
export type Words = Readonly<Record<string, readonly unknown[]>>;

const FEW = 6;

type Row = Readonly<Record<string, unknown>>;

/** Values from the sandbox's own data, so that most queries find something. */
export function wordsOf({ missions, organizations, communes, certifications, formations, offers }: World): Words {
  const published = missions.filter(({ deletedAt }) => !deletedAt);
  const parts = (rows: readonly Row[], name: string) => rows.slice(0, FEW).map((row) => (row[name] ?? {}) as Row);
  const some = (rows: readonly Row[], name: string) =>
    [...new Set(rows.map((row) => row[name]).filter((value) => typeof value === 'string' && value !== ''))].slice(
      0,
      FEW,
    );
  return {
    'mission.id': some(published, 'id'),
    'formation.id': some(parts(formations, 'identifiant'), 'cle_ministere_educatif'),
    'jobOffer.id': some(parts(offers, 'identifier'), 'id'),
    SIRET: some(organizations, 'siret'),
    RNA: some(organizations, 'rna'),
    INSEECode: [...some(communes, 'code'), '75056', '69123', '2A004', '31555', '97105'],
    RNCPCode: [...some(certifications, 'rncp'), 'RNCP37537'],
    CFDCode: ['50033610', '40025214'],
    ROMECode: ['A1201', 'D1106', 'G1602', 'K1302', 'M1805'],
    DateTime: ['2026-01-01', '2026-12-31T23:59:59+01:00'],
    code: ['75001', '69001', '31000', '20000'],
    name: ['saint', 'la', 'Saint-Étienne', 'mont'],
    uai: ['0751234J'],
    city: some(published, 'city'),
    departmentName: some(published, 'departmentName'),
    country: ['FR', 'France'],
    domain: some(published, 'domain'),
    activity: some(published, 'activity'),
    type: some(published, 'type'),
    publisher: some(published, 'publisherId'),
    clientId: some(published, 'clientId'),
    departements: ['75', '2A', '974', '59'],
    latitude: [48.85, 43.6],
    lat: [48.85, 43.6],
    longitude: [2.35, 1.44],
    lon: [2.35, 1.44],
    radius: [5, 200],
    distance: [5, 200],
    text: ['a', 'accompagner', 'é'.repeat(500)],
    q: ['a', 'les amis', 'association '.repeat(60)],
    keywords: ['accompagner'],
  };
}
