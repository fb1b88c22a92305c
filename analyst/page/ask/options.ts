import { fold } from '../../../kernel/fold.js';
import type { Criterion } from '../../questions/question.js';
import { writePlace } from '../../questions/question.js';
import { formatNumber } from '../elements/format.js';
import { textsNow } from '../state/language.js';
import { findOccupations, loadLists, partnersOfOffers, placesNamed, rememberName } from './known.js';
import { ASK_TEXTS } from './texts.js';

/** A value that can be picked. */
export interface Option {
  readonly code: string;
  readonly label: string;
  /** What distinguishes it from others of the same name. */
  readonly note: string;
}

/** Finds the options that match a text, best first; for an empty text, all of them if they are few. */
export type FindOptions = (text: string, signal: AbortSignal) => Promise<readonly Option[]>;

/** Options shown at once; typing finds the others. */
const SHOWN = 60;

/** What finds the values of a criterion by name, in either language; communes with kilometres around them. */
export function finderOf({ kind }: Criterion, radius: number | null): FindOptions {
  if (kind === 'place') return (text, signal) => findPlaces(text, radius, signal);
  if (kind === 'partner') return async (text) => matching(await partnersOfOffers(), text);
  return async (text) =>
    (await findOccupations(text)).slice(0, SHOWN).map(({ code, label, offers }) => {
      const size = offers === null ? '' : ` · ${textsNow(ASK_TEXTS).offersOf(formatNumber(offers))}`;
      return { code, label, note: `${code}${size}` };
    });
}

/** Labels with all words of a text, those that begin with it first. */
function matching(labels: readonly string[], text: string): Option[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const begins = (label: string): boolean => fold(label).startsWith(fold(text));
  return labels
    .filter((label) => words.every((word) => fold(label).includes(word)))
    .sort((one, other) => Number(begins(other)) - Number(begins(one)))
    .slice(0, SHOWN)
    .map((label) => ({ code: label, label, note: '' }));
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
