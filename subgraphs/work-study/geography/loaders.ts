import { type Awaitable, whenThere } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { communeIndex, postalCodesOf, resolveInsee } from '../communes/commune-index.js';
import { readable } from '../lists/parse-list.js';
import type { Circle } from './circle.js';
import type { GeographyClient } from './client.js';
import type { CommuneView, DepartementView, MissionLocaleView } from './shapes.js';

/** What one request has read of geography, and how it reads more. */
export interface GeographyLoaders {
  /** The communes that the source finds for five digits. */
  readonly communes: Load<string, (CommuneView | null)[]>;
  /** The current commune of an INSEE code, be it current, former or of an arrondissement; null when there is none. */
  readonly commune: Load<string, CommuneView | null>;
  departements(operation: OperationContext): Awaitable<(DepartementView | null)[]>;
  missionsLocales(around: Circle | null, operation: OperationContext): Awaitable<(MissionLocaleView | null)[]>;
}

/** Loaders of geography for one request: codes that are looked up by the same digits share a call. */
export function createGeographyLoaders(client: GeographyClient): GeographyLoaders {
  const communes = createSingleLoader((code: string, operation) => client.communes(code, operation));
  return {
    communes,
    commune: (code, operation) => findCommune(code, (lookup) => communes(lookup, operation)),
    departements: (operation) => client.departements(operation),
    missionsLocales: (around, operation) => client.missionsLocales(around, operation),
  };
}

function findCommune(
  code: string,
  communes: (lookup: string) => Awaitable<(CommuneView | null)[]>,
): Awaitable<CommuneView | null> {
  const current = currentCodeOf(code);
  const lookup = lookupCodeOf(current);
  if (lookup === null) return null;
  return whenThere(communes(lookup), (found) => communeAmong(found, code, current));
}

/** The last look-up in each list that the source gave: nearly all of them are for one code. */
const lookedUp = new WeakMap<readonly unknown[], { readonly code: string; readonly commune: CommuneView | null }>();

function communeAmong(list: readonly (CommuneView | null)[], code: string, current: string): CommuneView | null {
  const last = lookedUp.get(list);
  if (last?.code === code) return last.commune;
  const found = readable(list);
  const commune = found.find((one) => inseeOf(one) === current) ?? found.find((one) => hadCode(one, code)) ?? null;
  lookedUp.set(list, { code, commune });
  return commune;
}

/**
 * The current code for one that may be former or an arrondissement's. A former code that is a postal code too is left as
 * it is, for the source to decide: 75003 was Arcueil's until 1968 and is the third arrondissement of Paris to everyone.
 */
function currentCodeOf(code: string): string {
  const current = resolveInsee(code) ?? code;
  return current !== code && communeIndex().byPostalCode.has(code) ? code : current;
}

/**
 * The five digits that find a commune at the source. A Corsican INSEE code is none, so one of the commune's postal
 * codes stands for it (work-study 7.14); null for a Corsican code that no commune has.
 */
function lookupCodeOf(insee: string): string | null {
  return /^\d{5}$/.test(insee) ? insee : (postalCodesOf(insee)[0] ?? null);
}

/** Whether the source itself says that the code was a part of the commune: it may know mergers newer than our list. */
function hadCode(commune: CommuneView, code: string): boolean {
  return (
    quietly(() => commune.arrondissements?.some((part) => part?.code === code)) === true ||
    quietly(() => commune.anciennes?.some((part) => part?.codeInsee === code)) === true
  );
}

/** INSEE code of a commune from the source; null where it cannot be read. */
function inseeOf(commune: CommuneView): string | null {
  return quietly(() => commune.code?.insee) ?? null;
}

/** A field of the wrong type in another row is no error during the search; it is reported where it is selected. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
