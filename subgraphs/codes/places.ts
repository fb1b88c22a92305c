import { fold } from '../../kernel/fold.js';
import { ownValue } from '../../kernel/text.js';
import { officialCommunes } from './official-communes.js';

/**
 * A place name without variations in spelling: case, accents, ligatures, hyphens, apostrophes, `St`/`Ste` for
 * `Saint`/`Sainte`, a trailing `CEDEX` with its number, a department in brackets, and an arrondissement of Paris, Lyon
 * or Marseille (`PARIS 04`, `Lyon IIIe`, `16e arrondissement de Paris`). Different spellings of a name fold to the same
 * text; text without letters or digits folds to the empty text.
 */
export function foldPlaceName(name: string): string {
  const words = wordsOfPlaceName(name.replace(/\((?:\d{2,3}|2[ab])\)/gi, ' ')).replace(/ ?\bcedex\b.*$/, '');
  return cityOfArrondissement(words) ?? words;
}

/** The words of a place name, one space between them: lower case, without accents, `saint` for `St`. */
export function wordsOfPlaceName(name: string): string {
  return fold(name)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/\bst(e?s?)\b/g, 'saint$1');
}

/** `paris`, `lyon` or `marseille` for the words of one of its arrondissements, with or without `CEDEX`; else null. */
export function cityOfArrondissement(words: string): string | null {
  return CITY_FIRST.exec(words)?.[1] ?? CITY_LAST.exec(words)?.[1] ?? null;
}

const CITY = '(paris|lyon|marseille)';
const WORD = '(?:arr(?:ondissements?|dt|t|d)?|ardt)';
const ENDING = '(?:er|ere|re|e|eme|ieme|nd|nde|d|de)';
/** `iii`, `xvi`: only after or before the name of the city, because `i` and `x` are words too. */
const ROMAN = '(?=[ivx])x{0,2}(?:ix|iv|v?i{0,3})';
/** `premier`, `second`, `seizieme`, `dix septieme`. */
const SPELT = '(?:premiere?|seconde?|(?:dix )?[a-z]+ieme)';

/** `paris 4e arrondissement`, `paris16`, `lyon iiie`, `marseille 1er`, `paris 75`, `paris 75004`, `paris arr 4`. */
const CITY_FIRST = new RegExp(
  `^${CITY} ?(?: ${WORD} )?(?:\\d{1,2}(?: ?${ENDING})?|(?<= )${ROMAN}(?: ?${ENDING})?|(?<= )${SPELT}|\\d{5})(?: ${WORD})?$`,
);
/** `4e arrondissement de paris`, `xvie paris`, `8e arr marseille`. */
const CITY_LAST = new RegExp(
  `^(?:${WORD} )?(?:(?:0?[1-9]|1\\d|20)(?: ?${ENDING})?|${ROMAN}(?: ?${ENDING})?|${SPELT})(?: ${WORD})?(?: de)? ${CITY}$`,
);

/** INSEE and postal codes, and the départements that they say. */

/** Whether the text has the form of an INSEE code: five digits, the first two in Corsica being `2A` or `2B`. */
export function isInseeCode(text: string): boolean {
  return /^(?:\d\d|2A|2B)\d{3}$/.test(text);
}

/**
 * Today's département of an INSEE code: its first two characters, three overseas. For a former code, that of the
 * current commune: `75051`, Neuilly-sur-Seine's until 1967, is in 92. Null for text that is not an INSEE code.
 */
export function departmentOfInsee(code: string): string | null {
  if (!isInseeCode(code)) return null;
  return officialCommunes().moved.get(code) ?? code.slice(0, /^9[78]/.test(code) ? 3 : 2);
}

/** Whether the text has the form of a French postal code: five digits. */
export function isPostalCode(text: string): boolean {
  return /^\d{5}$/.test(text);
}

/**
 * The five-digit numbers in an address, the last one first, because the postal code of a French address comes after the
 * street. `12 rue de la Paix 75002 Paris` gives `75002`.
 */
export function postalCodesIn(address: string): string[] {
  return (address.match(/(?<!\d)\d{5}(?!\d)/g) ?? []).reverse();
}

/**
 * The department of a postal code as the services see it: its first two digits, three overseas; in Corsica 200 and 201
 * are `2A`, 202 and 206 are `2B` (work-study 7.1). Null for any other Corsican code.
 */
export function departmentOfPostalCode(postalCode: string): string | null {
  if (postalCode.startsWith('20')) return ownValue(CORSICA, postalCode.slice(0, 3)) ?? null;
  return /^9[78]/.test(postalCode) ? postalCode.slice(0, 3) : postalCode.slice(0, 2);
}

const CORSICA: Readonly<Record<string, string>> = { '200': '2A', '201': '2A', '202': '2B', '206': '2B' };

/** A position in degrees. */
export interface Position {
  readonly lon: number;
  readonly lat: number;
}

/** Whether a position can be that of a place. Services and geocoders write (0, 0) when they know none. */
export function isPlace({ lon, lat }: Position): boolean {
  return (lon !== 0 || lat !== 0) && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
}

/** A rectangle in degrees. */
export interface Box {
  readonly minLon: number;
  readonly minLat: number;
  readonly maxLon: number;
  readonly maxLat: number;
}

/** Radius of the sphere on which the services measure (volunteering 3.5). */
const EARTH_RADIUS_KM = 6371;

/** Great-circle distance between two positions in kilometres (haversine). */
export function distanceKm(from: Position, to: Position): number {
  const halfLat = radians(to.lat - from.lat) / 2;
  const halfLon = radians(to.lon - from.lon) / 2;
  const chord =
    Math.sin(halfLat) ** 2 + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * Math.sin(halfLon) ** 2;
  // Rounding may push the chord of antipodes above 1, where the arc sine is undefined.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/**
 * The smallest rectangle that holds every position within `radiusKm` of the centre. Near a pole it spans all
 * longitudes. It does not wrap at the 180th meridian: `minLon` may be below -180 and `maxLon` above 180.
 */
export function boundingBox(centre: Position, radiusKm: number): Box {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const latReach = degrees(angle);
  const ratio = Math.sin(angle) / Math.cos(radians(centre.lat));
  const holdsPole = Math.abs(centre.lat) + latReach >= 90;
  const lonReach = holdsPole || ratio >= 1 ? 180 : degrees(Math.asin(ratio));
  return {
    minLon: centre.lon - lonReach,
    minLat: Math.max(-90, centre.lat - latReach),
    maxLon: centre.lon + lonReach,
    maxLat: Math.min(90, centre.lat + latReach),
  };
}

/** Whether the position lies in the rectangle, including its edges. */
export function boxContains(box: Box, { lon, lat }: Position): boolean {
  return box.minLon <= lon && lon <= box.maxLon && box.minLat <= lat && lat <= box.maxLat;
}

/** The middle of a rectangle. */
export function boxCentre(box: Box): Position {
  return { lon: (box.minLon + box.maxLon) / 2, lat: (box.minLat + box.maxLat) / 2 };
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
