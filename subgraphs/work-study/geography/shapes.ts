import { isInseeCode, isPostalCode } from '../../codes/places.js';
import { isSiret } from '../../codes/registers.js';
import {
  anyNumberId,
  code,
  type Field,
  list,
  object,
  orNull,
  required,
  shape,
  text,
  type View,
  wrongType,
} from '../../rest/shape.js';

/** A GeoJSON point: longitude, then latitude (work-study 8.1). */
const GeoPoint = shape('GeoPoint', {
  type: required(text()),
  coordinates: required(whole(isPosition, 'a list of numbers')),
});

/** A GeoJSON polygon: rings of positions (work-study 8.1). */
const GeoPolygon = shape('GeoPolygon', {
  type: required(text()),
  coordinates: required(whole(isListOf(isListOf(isPosition)), 'rings of positions')),
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

const Region = shape('Region', { codeInsee: required(text()), nom: required(text()) });

/** An educational region. */
export const Academie = shape('Academie', { id: required(text()), code: required(text()), nom: required(text()) });

/** A mission locale, on its own or within a commune. */
export const MissionLocale = shape('MissionLocale', {
  id: required(anyNumberId()),
  code: required(text()),
  nom: required(text()),
  siret: required(code(isSiret)),
  localisation: required(
    object({
      geopoint: required(point),
      adresse: required(text()),
      cp: required(code(isPostalCode)),
      ville: required(text()),
    }),
  ),
  contact: required(
    object({
      email: required(text()),
      telephone: required(text()),
      siteWeb: required(text()),
    }),
  ),
});

/** A commune as the search by code sends it. */
export const Commune = shape('Commune', {
  nom: required(text()),
  code: required(
    object({
      insee: required(code(isInseeCode)),
      postaux: required(list(code(isPostalCode))),
    }),
  ),
  anciennes: required(list(object({ nom: required(text()), codeInsee: required(code(isInseeCode)) }))),
  arrondissements: required(
    list(
      object({
        code: required(code(isInseeCode)),
        nom: required(text()),
      }),
    ),
  ),
  departement: required(object({ nom: required(text()), codeInsee: required(text()) })),
  region: required(object(Region)),
  academie: required(object(Academie)),
  localisation: required(
    object({
      centre: required(point),
      bbox: required(object(GeoPolygon)),
    }),
  ),
  missionLocale: required(object(MissionLocale, 'mission_locale')),
});

/** A département as in the list of all; that within a commune has only a name and a code. */
export const Departement = shape('Departement', {
  nom: required(text()),
  codeInsee: required(text()),
  region: required(object(Region)),
  academie: required(object(Academie)),
});

/** A commune as sent; each field is checked when it is read. */
export type CommuneView = View<typeof Commune>;

/** A département as sent; each field is checked when it is read. */
export type DepartementView = View<typeof Departement>;

/** A mission locale as sent; each field is checked when it is read. */
export type MissionLocaleView = View<typeof MissionLocale>;

/** INSEE code of a row from the source; null if it cannot be read, as in a row that is not an object. */
export function inseeOf(row: CommuneView | null): string | null {
  const insee = orNull(() => row?.code?.insee ?? null);
  return insee !== null && isInseeCode(insee) ? insee : null;
}
