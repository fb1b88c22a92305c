import { DEPARTMENTS, REGIONS } from '../../codes/departments.js';
import { epciByCode } from '../../codes/epcis.js';
import { occupationByCode } from '../../codes/occupations.js';
import type { PlaceKind } from '../__generated__/resolvers.js';
import { communeIndex } from '../communes/commune-index.js';
import { inhabitantsOf } from '../communes/places.js';
import type { CountedGroup } from './ask.js';
import type { DimensionName } from './stored-rows.js';

const DEPARTMENT_NAMES = new Map(DEPARTMENTS.map(({ code, nom }) => [code, nom]));
const REGION_NAMES = new Map(REGIONS.map(({ code, nom }) => [code, nom]));
/** Words of this graph in French, and those of all dimensions. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    OTHER: 'Autre',
    APPRENTISSAGE: "Contrat d'apprentissage",
    PROFESSIONNALISATION: 'Contrat de professionnalisation',
    ONSITE: 'Sur site',
    REMOTE: 'À distance',
    HYBRID: 'Hybride',
    LEVEL_1: 'Niveau 1',
    LEVEL_2: 'Niveau 2',
    LEVEL_3: 'Niveau 3 (CAP, BEP)',
    LEVEL_4: 'Niveau 4 (baccalauréat)',
    LEVEL_5: 'Niveau 5 (BTS, bac + 2)',
    LEVEL_6: 'Niveau 6 (licence, BUT, bac + 3)',
    LEVEL_7: 'Niveau 7 (master, bac + 5)',
    LEVEL_8: 'Niveau 8 (doctorat)',
  }),
);

const NAMES: Partial<Record<DimensionName, (code: string) => string | undefined>> = {
  commune: (code) => communeIndex().byInsee.get(code)?.nom,
  epci: (code) => epciByCode(code)?.nom,
  department: (code) => DEPARTMENT_NAMES.get(code),
  region: (code) => REGION_NAMES.get(code),
  rome: (code) => occupationByCode(code)?.label,
};

/** What the keys of a group are called: by the official lists, else as rows say, else as they are. */
export function labelsOf({ key, label }: CountedGroup, by: readonly DimensionName[]): string[] {
  return key.map((code, at) => {
    if (code === null) return 'Non renseigné';
    const own = NAMES[by[at] as DimensionName]?.(code) ?? label[at];
    return own ?? WORDS.get(code) ?? code;
  });
}

/** The keys of a group as filters take them: none is by a month, or by what has a word unknown here. */
export function valuesOf({ key }: CountedGroup, by: readonly DimensionName[]): (string | null)[] {
  const isWord = (name: DimensionName | undefined) => name === 'diploma' || name === 'contract' || name === 'remote';
  return key.map((code, at) => (by[at] === 'month' || (code === 'OTHER' && isWord(by[at])) ? null : code));
}

const PLACES: Partial<Record<DimensionName, PlaceKind>> = {
  commune: 'COMMUNE',
  epci: 'EPCI',
  department: 'DEPARTMENT',
  region: 'REGION',
};

/** Rows of a group per 1,000 inhabitants of its place, the smaller of two; null without one, and where nobody lives. */
export function perThousandInhabitants({ key, count }: CountedGroup, by: readonly DimensionName[]): number | null {
  const inhabitants = by.flatMap((name, at) => {
    const kind = PLACES[name];
    return kind === undefined ? [] : inhabitantsOf(kind, key[at] ?? '');
  });
  const fewest = Math.min(...inhabitants);
  return Number.isFinite(fewest) && fewest > 0 ? (1000 * count) / fewest : null;
}
