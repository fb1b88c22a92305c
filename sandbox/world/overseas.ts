import type { GeoNamesCity } from './geonames-file.js';
import { foldName } from './place-names.js';

/**
 * A key that a commune of Mayotte or of an overseas collectivity shares with the GeoNames row of its town, as these
 * rows have no INSEE code. Undefined elsewhere.
 */
export function overseasKey(departement: string, nom: string): string | undefined {
  return departementsWithoutCodes.has(departement) ? `${departement} ${foldName(nom)}` : undefined;
}

/** The same key, for a GeoNames row. */
export function overseasKeyOfCity({ country, name }: GeoNamesCity): string | undefined {
  const departement = departementOfCountry[country];
  return departement === undefined ? undefined : overseasKey(departement, name);
}

/** Mayotte and the collectivities, by the country code that GeoNames gives them. */
const departementOfCountry: Readonly<Record<string, string>> = {
  PM: '975',
  YT: '976',
  BL: '977',
  MF: '978',
  WF: '986',
  PF: '987',
  NC: '988',
};

const departementsWithoutCodes: ReadonlySet<string> = new Set(Object.values(departementOfCountry));
