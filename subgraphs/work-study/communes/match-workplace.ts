import { derived } from '../../../kernel/cached-object.js';
import { postalCodesIn } from '../../codes/postal.js';
import { communeIndex } from './commune-index.js';
import { matchWithoutPoint, narrowPoint } from './match-commune.js';
import { readEvidence } from './written-address.js';

/**
 * INSEE code of the current commune of a workplace: by its geopoint, in `[lon, lat]` order; without a usable one, by
 * the postal code in the address and the name after it. Null when neither leads to a single commune.
 */
export function matchWorkplaceCommune(
  geopoint: readonly number[] | null | undefined,
  address: string | null | undefined,
): string | null {
  const [lon, lat] = geopoint ?? [];
  const evidence = readEvidence({ location: { lon, lat }, ...readAddressText(address ?? '') });
  const { point, byPoint } = evidence;
  // The address narrows a point but never overrules it: when an offer is delegated, the address is the training
  // centre's, while the geopoint is still the employer's (work-study 8.4).
  return (point === null ? matchWithoutPoint(evidence) : narrowPoint(byPoint, point, evidence)).insee;
}

/** A workplace's position and address, as the service writes them. */
interface Workplace {
  readonly location: {
    readonly geopoint: { readonly coordinates: readonly number[] | null } | null;
    readonly address: string | null;
  } | null;
}

/** Bytes of heap that an INSEE code takes. */
const CODE_BYTES = 40;

/** The commune of a workplace, matched once for a cached one. */
export const communeOfWorkplace = derived(
  ({ location }: Workplace) => matchWorkplaceCommune(location?.geopoint?.coordinates, location?.address),
  () => CODE_BYTES,
);

/** Postal code and city of `12 rue de la Paix 75002 Paris`: the last number that is a postal code, and the rest. */
function readAddressText(text: string): { postalCode?: string; city?: string } {
  const numbers = postalCodesIn(text);
  // Postal codes of bulk recipients (CEDEX) are on no list; then only the city helps.
  const postalCode = numbers.find((code) => communeIndex().byPostalCode.has(code)) ?? numbers[0];
  if (postalCode === undefined) return {};
  const [city = ''] = text.slice(text.lastIndexOf(postalCode) + postalCode.length).split(',');
  return { postalCode, city };
}
