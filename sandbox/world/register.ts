import { daysFromToday } from './dates.js';
import { numberedSiret, numberOfSiret } from './identifiers.js';
import { slugOf } from './place-names.js';
import { at } from './random.js';
import type { Json } from './types.js';
import { associationCauses, associationKinds } from './words.js';

/** Rows of the register of organizations, computed when they are asked for: 1.2 million would not fit into memory. */
export interface Register {
  /** Number of rows; they are numbered from 0, latest `updatedAt` first. */
  readonly size: number;
  row(number: number): Json;
  /** Numbers of the only rows that may have this RNA, SIRET or SIREN: at most one. */
  withCode(code: string): readonly number[];
  /** Numbers of the rows in whose title all of these find something, in order. RNA and SIREN are not searched. */
  withWords(tests: readonly ((title: string) => boolean)[]): Iterable<number>;
}

/** The real register has as many (volunteering 6.1), in multiples of the small one's. */
const VARIANTS = 500;

/** First digit of the SIRENs of rows that no employer of the world has. */
const OTHERS = '2';

/**
 * Creates the register around some rows: from each, `VARIANTS` others of the same place and another name.
 * @param known share of the numbered employers (`numberedSiret`) that it has
 */
export function createRegister(templates: readonly Json[], known: number, employers: number): Register {
  const every = Math.round(1 / known);
  const knownRows = Math.ceil(employers / every);
  const size = templates.length * VARIANTS;
  const variants = Array.from({ length: VARIANTS }, (_, variant) => nameOf(variant));
  const townOf = (template: Json) => String(template['addressCity']);
  const sirets = (number: number): string[] => {
    if (number < knownRows) return [numberedSiret('9', number * every)];
    if (number % 5 > 2) return [];
    const first = numberedSiret(OTHERS, number);
    return number % 8 === 0 ? [first, numberedSiret(OTHERS, number, 2)] : [first];
  };
  const register: Register = {
    size,
    row(number) {
      const template = at(templates, Math.floor(number / VARIANTS));
      const title = `${at(variants, number % VARIANTS)} de ${townOf(template)}`;
      const prefix = typeof template['rna'] === 'string' ? template['rna'].slice(0, 3) : null;
      const rna = prefix === null ? null : `${prefix}${FIRST_RNA + number}`;
      const [siret = null, ...more] = sirets(number);
      // Old rows may have none (volunteering 6.1).
      const siren = number % 97 === 0 ? null : (siret?.slice(0, 9) ?? null);
      const slug = slugOf(title);
      const words = [slug.replaceAll('-', ' '), rna?.toLowerCase(), siret, siren].filter((part) => part != null);
      return {
        ...template,
        ...{ rna, siren, siret, sirets: siret === null ? [] : [siret, ...more] },
        ...{
          title,
          names: [slug],
          titleSlug: slug,
          shortTitle: null,
          shortTitleSlug: null,
          searchText: words.join(' '),
        },
        // An import of the whole register within the last month: other rows are older.
        updatedAt: daysFromToday((-30 * number) / size),
        _id: `e0${number.toString(16).padStart(22, '0')}`,
      };
    },
    withCode(code) {
      const number = /^W/.test(code) ? Number(code.slice(3)) - FIRST_RNA : ofSiren(code.slice(0, 9), every);
      return Number.isInteger(number) && number >= 0 && number < size ? [number] : [];
    },
    *withWords(tests) {
      // A bit for each test that finds something: so each name and each town is looked at once.
      const found = (text: string) => tests.reduce((bits, has, bit) => (has(text) ? bits | (1 << bit) : bits), 0);
      const all = (1 << tests.length) - 1;
      const ofVariants = variants.map((name) => found(`${slugOf(name).replaceAll('-', ' ')} de`));
      for (const [place, template] of templates.entries()) {
        const ofTown = found(slugOf(townOf(template)).replaceAll('-', ' '));
        for (const [variant, bits] of ofVariants.entries()) {
          if ((bits | ofTown) === all) yield place * VARIANTS + variant;
        }
      }
    },
  };
  return register;
}

/** The other rows' RNA numbers end with less. */
const FIRST_RNA = 5_000_000;

function ofSiren(siren: string, every: number): number {
  const number = numberOfSiret(siren);
  return siren.startsWith(OTHERS) ? number : siren.startsWith('9') ? number / every : Number.NaN;
}

function nameOf(variant: number): string {
  const kind = at(associationKinds, variant % associationKinds.length);
  const place = Math.floor(variant / associationKinds.length);
  const section = Math.floor(place / associationCauses.length);
  const name = `${kind} ${at(associationCauses, place % associationCauses.length)}`;
  return section === 0 ? name : `${name}, section sportive,`;
}
