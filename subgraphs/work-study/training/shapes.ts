import { isPostalCode } from '../../codes/commune-codes.js';
import { isCfdCode, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  integer,
  list,
  moment,
  number,
  object,
  otherWord,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { Certification } from '../certifications/shapes.js';
import { point } from '../geography/shapes.js';
import { Adresse, Organisme } from '../organismes/shapes.js';

/** Courses and appointment links (work-study 7.10 and 8.2). The seed does not show them, so no key is promised. */

const CATALOGUE_STATUSES = { publié: 'PUBLIE', archivé: 'ARCHIVE', supprimé: 'SUPPRIME' } as const;

const Statut = shape('Formation.statut', {
  catalogue: vocabulary(CATALOGUE_STATUSES),
  catalogueRaw: otherWord(CATALOGUE_STATUSES, 'catalogue'),
});

const FormationOrganisme = shape('Formation.formateur', { organisme: object(Organisme), connu: boolean() });

const Lieu = shape('Formation.lieu', {
  adresse: object(Adresse),
  geolocalisation: point(),
  precision: number(),
  siret: code(isSiret),
  uai: text(),
});

const Onisep = shape('Formation.onisep', {
  url: text(),
  intitule: text(),
  libellePoursuite: text('libelle_poursuite'),
  lienSiteOnisepfr: text('lien_site_onisepfr'),
  discipline: text(),
  domaineSousdomaine: text('domaine_sousdomaine'),
});

const Modalite = shape('Formation.modalite', {
  entierementADistance: boolean('entierement_a_distance'),
  dureeIndicative: number('duree_indicative'),
  anneeCycle: integer('annee_cycle'),
  mef10: text('mef_10'),
});

/** An apprenticeship course: a certification taught at a place. */
export const Formation = shape('Formation', {
  identifiant: object(shape('Formation.identifiant', { cleMinistereEducatif: text('cle_ministere_educatif') })),
  statut: object(Statut),
  formateur: object(FormationOrganisme),
  responsable: object(FormationOrganisme),
  certification: object(shape('Formation.certification', { valeur: object(Certification), connue: boolean() })),
  lieu: object(Lieu),
  contact: object(shape('Formation.contact', { email: text(), telephone: text() })),
  onisep: object(Onisep),
  modalite: object(Modalite),
  contenuEducatif: object(
    shape('Formation.contenu_educatif', { contenu: text(), objectif: text() }),
    'contenu_educatif',
  ),
  sessions: list(object(shape('Formation.sessions', { debut: moment(), fin: moment(), capacite: number() }))),
});

/** The link, or the reason why there is none (work-study 7.10). */
export const AppointmentLink = shape('AppointmentLink', {
  error: text(),
  etablissementFormateurEntrepriseRaisonSociale: text('etablissement_formateur_entreprise_raison_sociale'),
  intituleLong: text('intitule_long'),
  lieuFormationAdresse: text('lieu_formation_adresse'),
  codePostal: code(isPostalCode, 'code_postal'),
  etablissementFormateurSiret: code(isSiret, 'etablissement_formateur_siret'),
  cfd: code(isCfdCode),
  localite: text(),
  cleMinistereEducatif: text('cle_ministere_educatif'),
  formUrl: text('form_url'),
});

/** A course as sent; each field is checked when it is read. */
export type FormationView = View<typeof Formation>;

/** A link as sent, or the reason why there is none. */
export type AppointmentLinkView = View<typeof AppointmentLink>;
