import { drawPhone, drawPostalCode, drawStreet, streetLine } from './addresses.js';
import type { Gazetteer } from './gazetteer.js';
import type { Place } from './geography.js';
import type { SiretMaker } from './identifiers.js';
import { inCapitals, slugOf } from './place-names.js';
import type { Random } from './random.js';
import { siteInBox } from './sites.js';
import type { Json } from './types.js';

/** A mission locale, with the fields that other sections need. */
export interface MissionLocale {
  readonly record: Json;
  readonly siret: string;
  readonly seat: Place;
}

/** The missions locales of a world. */
export interface MissionsLocales {
  readonly all: readonly MissionLocale[];
  /** The record of the mission locale responsible for a commune, by INSEE code; about one commune in 150 has none. */
  readonly ofCommune: ReadonlyMap<string, Json>;
}

/** France has about 440 missions locales: one per eighty communes, and at least one per inhabited département. */
const communesEach = 80;

/** Places missions locales in the largest communes of each département; a commune belongs to the nearest. */
export function createMissionsLocales(gazetteer: Gazetteer, sirets: SiretMaker, random: Random): MissionsLocales {
  const all: MissionLocale[] = [];
  const ofCommune = new Map<string, Json>();
  for (const departement of gazetteer.departements) {
    if (uninhabited.has(departement)) continue;
    const places = gazetteer.placesOf(departement);
    const seats = [...places]
      .sort((a, b) => b.population - a.population)
      .slice(0, Math.max(1, Math.round(places.length / communesEach)));
    const offices = seats.map((seat, index) => createMissionLocale(seat, all.length + index + 1, sirets, random));
    all.push(...offices);
    for (const place of places) {
      if (!random.chance(1 / 150)) ofCommune.set(place.insee, nearestOffice(place, offices).record);
    }
  }
  return { all, ofCommune };
}

/** Terres australes and Clipperton. */
const uninhabited: ReadonlySet<string> = new Set(['984', '989']);

function createMissionLocale(seat: Place, id: number, sirets: SiretMaker, random: Random): MissionLocale {
  // The service forwards this field unchanged from its source (work-study 8.4, last row).
  const siret = id === 7 ? '0000001' : sirets.siretOf(sirets.siren());
  const site = slugOf(seat.nom);
  const phone = drawPhone(random);
  const record = {
    id,
    code: seat.insee,
    nom: `DE ${inCapitals(seat.nom)}`,
    siret,
    localisation: {
      geopoint: random.chance(0.04) ? null : { type: 'Point', coordinates: siteInBox(seat, random).point },
      adresse: streetLine(drawStreet(random)),
      cp: drawPostalCode(seat, random) ?? '',
      ville: inCapitals(seat.nom),
    },
    contact: {
      email: random.chance(0.1) ? null : `contact@ml-${site}.example.org`,
      telephone: random.chance(0.05) ? null : random.chance(0.5) ? phone : phone.replace(/(..)(?=.)/g, '$1 '),
      siteWeb: random.chance(0.15) ? null : `https://ml-${site}.example.org`,
    },
  };
  return { record, siret, seat };
}

function nearestOffice(place: Place, offices: readonly MissionLocale[]): MissionLocale {
  const shrink = Math.cos((place.centre[1] * Math.PI) / 180);
  const far = ({ seat }: MissionLocale) =>
    ((seat.centre[0] - place.centre[0]) * shrink) ** 2 + (seat.centre[1] - place.centre[1]) ** 2;
  return offices.reduce((best, office) => (far(office) < far(best) ? office : best));
}
