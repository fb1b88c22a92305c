import { fold } from '../../../kernel/fold.js';
import type { Criterion } from '../../questions/question.js';
import { writePlace } from '../../questions/question.js';
import type { Found } from '../../questions/words.js';
import { language } from '../state/language.js';
import {
  findCommunes,
  findEpcis,
  findOccupations,
  loadLists,
  nameOf,
  partnersOfOffers,
  rememberName,
} from './known.js';

/** A value that can be picked. */
export interface Option {
  readonly code: string;
  readonly label: string;
  /** What distinguishes it from others of the same name. */
  readonly note: string;
}

/** Where the values of a picker come from. */
export interface OptionSource {
  /** The options that match a text, best first; for an empty text, all of them if they are few. */
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>;
  /** The name of a code; null if it is not known here. */
  labelOf(code: string): string | null;
}

/** Options shown at once; typing finds the others. */
const SHOWN = 60;

/** The values of a criterion: by name, in either language. */
export function sourceOf({ name, kind, values = [] }: Criterion, radius: number | null): OptionSource {
  if (kind === 'place') return { find: (text, signal) => findPlaces(text, radius, signal), labelOf: nameOf };
  if (kind === 'occupation') {
    const noted = ({ code, label }: Found): Option => ({ code, label, note: code });
    return { find: async (text) => (await findOccupations(text)).map(noted).slice(0, SHOWN), labelOf: nameOf };
  }
  if (name === 'partner') {
    return {
      labelOf: (code) => code,
      find: async (text) =>
        matching(
          (await partnersOfOffers()).map((label) => ({ code: label, label, note: '' })),
          text,
        ),
    };
  }
  const options = (): Option[] => values.map((value) => ({ code: value.code, label: value[language.get()], note: '' }));
  return {
    find: async (text) => matching(options(), text),
    labelOf: (code) => values.find((value) => value.code === code)?.[language.get()] ?? null,
  };
}

/** Options with all words of a text, those that begin with it first. */
function matching(options: readonly Option[], text: string): Option[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const begins = ({ label }: Option): boolean => fold(label).startsWith(fold(text));
  return options
    .filter(({ code, label, note }) => words.every((word) => fold(`${code} ${label} ${note}`).includes(word)))
    .sort((one, other) => Number(begins(other)) - Number(begins(one)))
    .slice(0, SHOWN);
}

/** Régions, départements, communes and postal codes that a text may mean. */
async function findPlaces(text: string, radius: number | null, signal: AbortSignal): Promise<Option[]> {
  const { regions, departements } = await loadLists();
  const own = [
    ...regions.map(({ code, label }) => ({ code: `region:${code}`, label, note: 'région' })),
    ...departements.map(({ code, label }) => ({ code: `departement:${code}`, label, note: `département ${code}` })),
  ];
  const isPostal = /^\d{5}$/.test(text.trim());
  const isNamed = text.trim() !== '';
  const [communes, epcis] = isNamed ? await Promise.all([findCommunes(text, signal), findEpcis(text)]) : [[], []];
  const found = communes.map(({ code, label }) => {
    const place = writePlace({ kind: 'commune', code, radius });
    rememberName(place, label.replace(/ \(.*/, ''));
    return { code: place, label, note: 'commune' };
  });
  const postal =
    isPostal && found.length > 0 ? [{ code: `postal:${text.trim()}`, label: text.trim(), note: 'code postal' }] : [];
  const groups = epcis.map(({ code, label }) => ({ code: `epci:${code}`, label, note: 'EPCI' }));
  return [...matching(own, text), ...postal, ...found, ...groups].slice(0, SHOWN);
}
