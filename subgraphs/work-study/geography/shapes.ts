import { isInseeCode, isPostalCode } from '../../codes/places.js';
import { isSiret } from '../../codes/registers.js';
import {
  anyNumberId,
  code,
  type Field,
  list,
  object,
  orNull,
  promised,
  record,
  text,
  type View,
  wrongType,
} from '../../rest/shape.js';

/** A GeoJSON point: longitude, then latitude (work-study 8.1). */
const GeoPoint = promised('GeoPoint', { type: text(), coordinates: whole(isPosition, 'a list of numbers') });

/** A GeoJSON polygon: rings of positions (work-study 8.1). */
const GeoPolygon = promised('GeoPolygon', {
  type: text(),
  coordinates: whole(isListOf(isListOf(isPosition)), 'rings of positions'),
});

/** A point as sent; `coordinates` are longitude, then latitude. */
export type GeoPointView = View<typeof GeoPoint>;

/** A field that holds a point. */
export const point = object(GeoPoint);

/** Coordinates are one value: if any part is wrong, so is the whole, because the graph cannot express the gap. */
function whole<T>(is: (value: unknown) => value is T, expected: string): Field<T> {
  return {
    read(value, place, sender) {
      if (!is(value)) throw wrongType(expected, place, sender);
      return value;
    },
  };
}

function isPosition(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((part) => Number.isFinite(part));
}

function isListOf<T>(is: (value: unknown) => value is T): (value: unknown) => value is T[] {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}

/** Documented objects of the geography routes (work-study 12.2.2 to 12.2.4). All their keys are promised. */

const Region = promised('Region', { codeInsee: text(), nom: text() });

/** An educational region. */
export const Academie = promised('Academie', { id: text(), code: text(), nom: text() });

/** A mission locale, on its own or within a commune. */
export const MissionLocale = promised('MissionLocale', {
  id: anyNumberId(),
  code: text(),
  nom: text(),
  siret: code(isSiret),
  localisation: record({ geopoint: point, adresse: text(), cp: code(isPostalCode), ville: text() }),
  contact: record({ email: text(), telephone: text(), siteWeb: text() }),
});

/** A commune as the search by code sends it. */
export const Commune = promised('Commune', {
  nom: text(),
  code: record({ insee: code(isInseeCode), postaux: list(code(isPostalCode)) }),
  anciennes: list(record({ nom: text(), codeInsee: code(isInseeCode) })),
  arrondissements: list(record({ code: code(isInseeCode), nom: text() })),
  departement: record({ nom: text(), codeInsee: text() }),
  region: object(Region),
  academie: object(Academie),
  localisation: record({ centre: point, bbox: object(GeoPolygon) }),
  missionLocale: object(MissionLocale, 'mission_locale'),
});

/** A département as in the list of all; that within a commune has only a name and a code. */
export const Departement = promised('Departement', {
  nom: text(),
  codeInsee: text(),
  region: object(Region),
  academie: object(Academie),
});

/** A commune as sent; each field is checked when it is read. */
export type CommuneView = View<typeof Commune>;

/** A mission locale as sent; each field is checked when it is read. */
export type MissionLocaleView = View<typeof MissionLocale>;

/** INSEE code of a row from the source; null if it cannot be read, as in a row that is not an object. */
export function inseeOf(row: CommuneView | null): string | null {
  const insee = orNull(() => row?.code?.insee ?? null);
  return insee !== null && isInseeCode(insee) ? insee : null;
}
