import { fold } from '../../../kernel/fold.js';
import type { Criterion } from '../../questions/question.js';
import { writePlace } from '../../questions/question.js';
import { formatNumber } from '../elements/format.js';
import { language, textsNow } from '../state/language.js';
import { findOccupations, loadLists, nameOf, partnersOfOffers, placesNamed, rememberName } from './known.js';
import { ASK_TEXTS } from './texts.js';

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
    const noted = ({ code, label, offers }: Awaited<ReturnType<typeof findOccupations>>[number]): Option => {
      const size = offers === null ? '' : ` · ${textsNow(ASK_TEXTS).offersOf(formatNumber(offers))}`;
      return { code, label, note: `${code}${size}` };
    };
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

const CALLED = { commune: 'commune', epci: 'EPCI', departement: 'département', region: 'région' };

/** Places of every kind that a text may mean, and a postal code; for an empty text, régions and départements. */
async function findPlaces(text: string, radius: number | null, signal: AbortSignal): Promise<Option[]> {
  const { regions, departements } = await loadLists();
  if (text.trim() === '')
    return [
      ...regions.map(({ code, label }) => ({ code: `region:${code}`, label, note: 'région' })),
      ...departements.map(({ code, label }) => ({ code: `departement:${code}`, label, note: `département ${code}` })),
    ].slice(0, SHOWN);
  const { inhabitants } = textsNow(ASK_TEXTS);
  const found = (await placesNamed(text, signal)).map(({ kind, code, label, population }) => {
    const place = kind === 'commune' ? writePlace({ kind, code, radius }) : `${kind}:${code}`;
    rememberName(place, label);
    const size = population === null ? '' : ` · ${inhabitants(formatNumber(population))}`;
    return { code: place, label, note: `${CALLED[kind]} ${code}${size}` };
  });
  const isPostal = /^\d{5}$/.test(text.trim()) && found.length > 0;
  return isPostal ? [{ code: `postal:${text.trim()}`, label: text.trim(), note: 'code postal' }, ...found] : found;
}
