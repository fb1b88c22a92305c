import { MAX_SUGGESTIONS, suggestion } from '../../codes/departments.js';
import { boxCentre, foldPlaceName, type Position } from '../../codes/places.js';
import { badUserInput } from '../../graph/arguments.js';
import {
  type Arrondissement,
  communeIndex,
  communesNamed,
  type IndexedCommune,
  resolveInsee,
} from './commune-index.js';

/** The arrondissements among codes, each of which stands for its whole city. */
export function arrondissementsIn(codes: readonly string[]): Arrondissement[] {
  return codes.flatMap((code) => communeIndex().arrondissements.get(code) ?? []);
}

/**
 * The code of the current commune that a caller's code stands for. Throws `BAD_USER_INPUT`, naming what was meant, for
 * a code of none, and for one with two meanings.
 */
export function readInsee(argument: string, code: string): string {
  refuseAmbiguous(argument, code);
  const current = resolveInsee(code);
  if (current === null) throw badUserInput(argument, `is not the INSEE code of a commune${communesMeant(code)}`);
  return current;
}

/**
 * Refuses a former code that is a postal code of other places today: 75001 was Alfortville's until 1967, and is in the
 * centre of Paris. Codes of arrondissements mean one thing.
 */
export function refuseAmbiguous(argument: string, code: string): void {
  const { byInsee, byPostalCode, arrondissements } = communeIndex();
  const became = byInsee.has(code) || arrondissements.has(code) ? null : resolveInsee(code);
  const commune = became === null ? undefined : byInsee.get(became);
  const others = (byPostalCode.get(code) ?? []).filter(({ insee }) => insee !== became);
  if (commune === undefined || others.length === 0) return;
  const listed = others.slice(0, MAX_SUGGESTIONS).map(named).join(' or ');
  const postal = others.length > MAX_SUGGESTIONS ? `${listed} and others` : listed;
  throw badUserInput(
    argument,
    `has two meanings: a former INSEE code of what is now ${named(commune)}; a postal code of ${postal}. Give today's INSEE code`,
  );
}

/** ` (did you mean …?)` for a postal code, a name, or a code in small letters; else empty. */
export function communesMeant(text: string): string {
  const { byInsee, byPostalCode } = communeIndex();
  const upper = byInsee.get(text.trim().toUpperCase());
  return suggestion((upper ? [upper] : (byPostalCode.get(text) ?? communesNamed(foldPlaceName(text)))).map(named));
}

const named = ({ insee, nom }: IndexedCommune) => `${insee}, ${nom}`;

/** The centre of the commune that a code stands for; null for the few whose extent the official boxes lack. */
export function centreOf(code: string): Position | null {
  const box = communeIndex().byInsee.get(resolveInsee(code) ?? '')?.box ?? null;
  return box && boxCentre(box);
}
