import { allProfessions, type Profession } from './professions.js';
import { at, type Random } from './random.js';

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
function diplomaKinds({ level }: Profession): readonly DiplomaKind[] {
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

/** One of a diploma's successive versions. */
export interface Generation {
  readonly cfd: string;
  readonly rncp: string;
  /** School years start on 1 September and end on 31 August. */
  readonly openingYear: number;
  readonly closingYear: number | null;
}

/** A diploma with all of its generations, the oldest first. */
export interface Family {
  readonly profession: Profession;
  readonly kind: DiplomaKind;
  readonly title: string;
  readonly generations: readonly Generation[];
}

/** The diplomas of every trade, and the one with an exceptional code. */
export function createFamilies(random: Random): Family[] {
  const numbers = createCodeMaker(random);
  const families = allProfessions.flatMap((profession) =>
    diplomaKinds(profession).map((kind) => createFamily(profession, kind, { numbers, random })),
  );
  return [...families, exceptionalFamily(numbers)];
}

interface CodeMaker {
  /** `prefix` and NSF speciality, followed by two characters that make the code unique. */
  cfd(prefix: string, nsf: string): string;
  /** A register number; records from before the reform of 2019 are below 34000 (work-study 12.2.1). */
  rncp(openingYear: number): string;
}

function createCodeMaker(random: Random): CodeMaker {
  const used = new Set<string>();
  const unused = (make: () => string) => {
    let code = make();
    while (used.has(code)) code = make();
    used.add(code);
    return code;
  };
  const alphabet = [...'0123456789ABCDEFGHJKLMNPRSTUVWXYZ'];
  return {
    cfd: (prefix, nsf) => unused(() => `${prefix}${nsf}${random.int(10)}${random.pick(alphabet)}`),
    rncp: (year) => unused(() => `RNCP${year < 2019 ? 400 + random.int(33_600) : 34_000 + random.int(8_000)}`),
  };
}

function createFamily(
  profession: Profession,
  kind: DiplomaKind,
  { numbers, random }: { readonly numbers: CodeMaker; readonly random: Random },
): Family {
  const years = random.pick(generationYears);
  const generations = years.map(([openingYear, closingYear]) => ({
    cfd: numbers.cfd(kind.formation, profession.nsf),
    rncp: numbers.rncp(openingYear),
    openingYear,
    closingYear,
  }));
  return { profession, kind, title: `${kind.prefix} ${profession.diploma}`, generations };
}

/** Opening and closing years; the last generation of each is still open on the sandbox's date, in September 2026. */
const generationYears: readonly (readonly (readonly [opening: number, closing: number | null])[])[] = [
  [
    [2014, 2019],
    [2019, 2024],
    [2024, 2029],
  ],
  [
    [2016, 2022],
    [2022, null],
  ],
  [
    [2012, 2020],
    [2020, 2028],
  ],
  [[2019, null]],
  [
    [2009, 2017],
    [2017, 2023],
    [2023, null],
  ],
];

/** The one CFD whose interministerial level is not its first character (work-study 12.2.1). */
export const exceptionalCfd = '01321401';

function exceptionalFamily(numbers: CodeMaker): Family {
  const profession = at(allProfessions, 0);
  const kind = at(diplomaKinds(profession), 0);
  const generation = { cfd: exceptionalCfd, rncp: numbers.rncp(2021), openingYear: 2021, closingYear: null };
  return { profession, kind, title: `Mention complémentaire ${profession.diploma}`, generations: [generation] };
}
