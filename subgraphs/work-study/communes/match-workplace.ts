import { postalCodesIn } from '../../codes/postal.js';
import { communeIndex } from './commune-index.js';
import { matchWithoutPoint, narrowPoint } from './match-commune.js';
import { readEvidence } from './written-address.js';

/**
 * INSEE code of the current commune of a workplace: by its geopoint, in `[lon, lat]` order, or without a usable one by
 * the postal code in the address and the name behind it. Null when neither leads to one commune.
 */
export function matchWorkplaceCommune(
  geopoint: readonly number[] | null | undefined,
  address: string | null | undefined,
): string | null {
  const [lon, lat] = geopoint ?? [];
  const evidence = readEvidence({ location: { lon, lat }, ...readAddressText(address ?? '') });
  const { point, byPoint } = evidence;
  // The address narrows a point and never overrules it: where an offer is delegated, it is the training centre's, and
  // the geopoint still the employer's (work-study 8.4).
  return (point === null ? matchWithoutPoint(evidence) : narrowPoint(byPoint, point, evidence)).insee;
}

/** Postal code and city of `12 rue de la Paix 75002 Paris`: the last number that is a postal code, and what follows. */
function readAddressText(text: string): { postalCode?: string; city?: string } {
  const numbers = postalCodesIn(text);
  // Postal codes of large receivers (CEDEX) are on no list: then the city alone helps.
  const postalCode = numbers.find((code) => communeIndex().byPostalCode.has(code)) ?? numbers[0];
  if (postalCode === undefined) return {};
  const [city = ''] = text.slice(text.lastIndexOf(postalCode) + postalCode.length).split(',');
  return { postalCode, city };
}
