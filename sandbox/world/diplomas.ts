import type { Profession } from './professions.js';

/** A kind of diploma: the form of its codes and titles. */
export interface DiplomaKind {
  /** What precedes the name of the diploma: `CAP`, `BTS`. */
  readonly prefix: string;
  /** First three characters of the CFD; the first is the interministerial level. */
  readonly formation: string;
  readonly libelle: string;
  readonly sigle: string;
  readonly nature: { readonly code: string; readonly libelle: string };
  /** European level. */
  readonly level: Profession['level'];
  /** Whether it is registered by right, as a state diploma, or on request. */
  readonly isOfState: boolean;
}

/** The kinds that a trade leads to: its state diploma, the next one up, and a professional title. */
export function diplomaKinds({ level }: Profession): readonly DiplomaKind[] {
  const next = upwards[level];
  return [stateDiplomas[level], ...(next === undefined ? [] : [stateDiplomas[next]]), title(level)];
}

const upwards: Partial<Record<Profession['level'], Profession['level']>> = { '3': '4', '4': '5', '5': '6', '6': '7' };

const diploma = { code: '1', libelle: "DIPLOME NATIONAL / DIPLOME D'ETAT" };

const stateDiplomas: Readonly<Record<Profession['level'], DiplomaKind>> = {
  '3': {
    prefix: 'CAP',
    formation: '500',
    libelle: "CERTIFICAT D'APTITUDES PROFESSIONNELLES",
    sigle: 'CAP',
    nature: diploma,
    level: '3',
    isOfState: true,
  },
  '4': {
    prefix: 'Bac pro',
    formation: '400',
    libelle: 'BAC PROFESSIONNEL',
    sigle: 'BAC PRO',
    nature: diploma,
    level: '4',
    isOfState: true,
  },
  '5': {
    prefix: 'BTS',
    formation: '320',
    libelle: 'BREVET DE TECHNICIEN SUPERIEUR',
    sigle: 'BTS',
    nature: diploma,
    level: '5',
    isOfState: true,
  },
  '6': {
    prefix: 'Licence pro',
    formation: '250',
    libelle: 'LICENCE PROFESSIONNELLE',
    sigle: 'LIC-PRO',
    nature: diploma,
    level: '6',
    isOfState: true,
  },
  '7': {
    prefix: 'Master',
    formation: '135',
    libelle: 'MASTER',
    sigle: 'MASTER',
    nature: diploma,
    level: '7',
    isOfState: true,
  },
};

/** The first digit of a CFD counts downwards: 5 for European level 3, 1 for level 7. */
function title(level: Profession['level']): DiplomaKind {
  const interministerial = 8 - Number(level);
  return {
    prefix: 'TP',
    formation: `${interministerial}6T`,
    libelle: 'TITRE PROFESSIONNEL HOMOLOGUE OU CERTIFIE',
    sigle: `TH${interministerial}-T`,
    nature: { code: '2', libelle: 'TITRE PROFESSIONNEL HOMOLOGUE OU CERTIFIE' },
    level,
    isOfState: false,
  };
}
