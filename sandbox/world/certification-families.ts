import { type DiplomaKind, diplomaKinds } from './diplomas.js';
import { allProfessions, type Profession } from './professions.js';
import { at, type Random } from './random.js';

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
