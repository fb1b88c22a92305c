import { isPostalCode } from '../../codes/places.js';
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

const FormationOrganisme = shape('Formation.formateur', { organisme: object(Organisme), connu: boolean() });

/** An apprenticeship course: a certification taught at a place. */
export const Formation = shape('Formation', {
  identifiant: object({ cleMinistereEducatif: text('cle_ministere_educatif') }),
  statut: object({
    catalogue: vocabulary(CATALOGUE_STATUSES),
    catalogueRaw: otherWord(CATALOGUE_STATUSES, 'catalogue'),
  }),
  formateur: object(FormationOrganisme),
  responsable: object(FormationOrganisme),
  certification: object({ valeur: object(Certification), connue: boolean() }),
  lieu: object({
    adresse: object(Adresse),
    geolocalisation: point,
    precision: number(),
    siret: code(isSiret),
    uai: text(),
  }),
  contact: object({ email: text(), telephone: text() }),
  onisep: object({
    url: text(),
    intitule: text(),
    libellePoursuite: text('libelle_poursuite'),
    lienSiteOnisepfr: text('lien_site_onisepfr'),
    discipline: text(),
    domaineSousdomaine: text('domaine_sousdomaine'),
  }),
  modalite: object({
    entierementADistance: boolean('entierement_a_distance'),
    dureeIndicative: number('duree_indicative'),
    anneeCycle: integer('annee_cycle'),
    mef10: text('mef_10'),
  }),
  contenuEducatif: object({ contenu: text(), objectif: text() }, 'contenu_educatif'),
  sessions: list(object({ debut: moment(), fin: moment(), capacite: number() })),
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
