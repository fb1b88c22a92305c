import { isInseeCode } from '../../codes/insee.js';
import { isPostalCode } from '../../codes/postal.js';
import { isSiret } from '../../codes/siret.js';
import { code, id, list, object, required, shape, text, type View } from '../../rest/responses/shape.js';
import { point, polygon } from './geojson.js';

/** Documented objects of the geography routes (work-study 12.2.2 to 12.2.4). All their keys are promised. */

const Region = shape('Region', { codeInsee: required(text()), nom: required(text()) });

/** An educational region. */
export const Academie = shape('Academie', { id: required(text()), code: required(text()), nom: required(text()) });

const MissionLocaleLocalisation = shape('MissionLocale.localisation', {
  geopoint: required(point()),
  adresse: required(text()),
  cp: required(code(isPostalCode)),
  ville: required(text()),
});

const MissionLocaleContact = shape('MissionLocale.contact', {
  email: required(text()),
  telephone: required(text()),
  siteWeb: required(text()),
});

/** A mission locale, on its own or within a commune. */
export const MissionLocale = shape('MissionLocale', {
  id: required(id()),
  code: required(text()),
  nom: required(text()),
  siret: required(code(isSiret)),
  localisation: required(object(MissionLocaleLocalisation)),
  contact: required(object(MissionLocaleContact)),
});

const CommuneCode = shape('Commune.code', {
  insee: required(code(isInseeCode)),
  postaux: required(list(code(isPostalCode))),
});

const CommuneAncienne = shape('Commune.anciennes', { nom: required(text()), codeInsee: required(code(isInseeCode)) });

const CommuneArrondissement = shape('Commune.arrondissements', {
  code: required(code(isInseeCode)),
  nom: required(text()),
});

const CommuneLocalisation = shape('Commune.localisation', {
  centre: required(point()),
  bbox: required(polygon()),
});

const CommuneDepartement = shape('Commune.departement', { nom: required(text()), codeInsee: required(text()) });

/** A commune as the search by code sends it. */
export const Commune = shape('Commune', {
  nom: required(text()),
  code: required(object(CommuneCode)),
  anciennes: required(list(object(CommuneAncienne))),
  arrondissements: required(list(object(CommuneArrondissement))),
  departement: required(object(CommuneDepartement)),
  region: required(object(Region)),
  academie: required(object(Academie)),
  localisation: required(object(CommuneLocalisation)),
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
