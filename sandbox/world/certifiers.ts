import type { Gazetteer } from './gazetteer.js';
import type { KnownOrganization } from './organizations.js';
import { inCapitals } from './place-names.js';
import type { Random } from './random.js';
import type { SiretMaker } from './siret.js';

/** A body that awards certifications, as the register records it. */
export interface Certifier {
  readonly siret: string;
  readonly nom: string;
}

/** The certifiers of a world. */
export interface Certifiers {
  readonly all: readonly Certifier[];
  /** Certifiers that are associations, to include among the organizations. */
  readonly associations: readonly KnownOrganization[];
}

/** Creates two ministries and the federations of trades, which are associations. */
export function createCertifiers(gazetteer: Gazetteer, sirets: SiretMaker, random: Random): Certifiers {
  const certifier = (nom: string): Certifier => ({ siret: sirets.siretOf(sirets.siren()), nom: inCapitals(nom) });
  const federations = trades.map((trade) => certifier(`Fédération nationale ${trade}`));
  return {
    all: [...['Ministère chargé du travail', "Ministère chargé de l'éducation"].map(certifier), ...federations],
    associations: federations.map(({ siret, nom }) => ({ siret, title: nom, place: gazetteer.pickTown(random).place })),
  };
}

const trades = [
  'du bâtiment',
  'des métiers de bouche',
  'de la coiffure',
  "de l'animation",
  'du paysage',
  'du transport',
  "de l'aide à domicile",
  'des métiers du numérique',
  "de l'hôtellerie",
  'du recyclage',
  'du sport',
  'de la comptabilité',
];
