import { isInseeCode, isPostalCode } from '../../codes/places.js';
import { isSiren, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  list,
  moment,
  object,
  otherWord,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { Academie, point } from '../geography/shapes.js';

/** Training organisations (work-study 8.1 and 8.2). The seed does not show them, so no key is promised. */

/** Addresses have `code_insee` where communes and départements have `codeInsee`. */
const placed = { nom: text(), codeInsee: text('code_insee') };

/** An address of training organisations and courses. */
export const Adresse = shape('Adresse', {
  label: text(),
  codePostal: code(isPostalCode, 'code_postal'),
  commune: object({ nom: text(), codeInsee: code(isInseeCode, 'code_insee') }),
  departement: object(shape('Adresse.departement', placed)),
  region: object(shape('Adresse.region', placed)),
  academie: object(Academie),
});

const Identifiant = shape('Organisme.identifiant', { uai: text(), siret: code(isSiret) });

const REFERENTIEL_STATUSES = { présent: 'PRESENT', supprimé: 'SUPPRIME' } as const;

/** A training organisation as the export route sends it. */
export const Organisme = shape('Organisme', {
  identifiant: object(Identifiant),
  etablissement: object({
    siret: code(isSiret),
    ouvert: boolean(),
    enseigne: text(),
    adresse: object(Adresse),
    geopoint: point,
    creation: moment(),
    fermeture: moment(),
  }),
  uniteLegale: object(
    {
      siren: code(isSiren),
      actif: boolean(),
      raisonSociale: text('raison_sociale'),
      creation: moment(),
      cessation: moment(),
    },
    'unite_legale',
  ),
  renseignementsSpecifiques: object(
    {
      qualiopi: boolean(),
      numeroActivite: text('numero_activite'),
    },
    'renseignements_specifiques',
  ),
  statut: object({
    referentiel: vocabulary(REFERENTIEL_STATUSES),
    referentielRaw: otherWord(REFERENTIEL_STATUSES, 'referentiel'),
  }),
  contacts: list(
    object({
      email: text(),
      sources: list(text()),
      confirmationReferentiel: boolean('confirmation_referentiel'),
    }),
  ),
});

const SEARCH_STATUSES = { ok: 'OK', inconnu: 'INCONNU', fermé: 'FERME' } as const;

const SearchIdentifier = shape('OrganismeSearch.metadata', {
  status: vocabulary(SEARCH_STATUSES),
  statusRaw: otherWord(SEARCH_STATUSES, 'status'),
});

const Candidate = shape('OrganismeSearch.candidats', {
  status: object({
    ouvert: boolean(),
    declarationCatalogue: boolean('declaration_catalogue'),
    validationUai: boolean('validation_uai'),
  }),
  correspondances: object({
    uai: object({
      luiMeme: boolean('lui_meme'),
      sonLieu: boolean('son_lieu'),
    }),
    siret: object({
      luiMeme: boolean('lui_meme'),
      sonFormateur: boolean('son_formateur'),
      sonResponsable: boolean('son_responsable'),
    }),
  }),
  organisme: object({ identifiant: object(Identifiant) }),
});

/** The response of the matcher (work-study 7.12). */
export const OrganismeSearch = shape('OrganismeSearch', {
  metadata: object({ uai: object(SearchIdentifier), siret: object(SearchIdentifier) }),
  resultat: object(Candidate),
  candidats: list(object(Candidate)),
});

/** A training organisation as sent; each field is checked when it is read. */
export type OrganismeView = View<typeof Organisme>;

/** The matcher's response as sent: its result, and the candidates it weighed. */
export type OrganismeSearchView = View<typeof OrganismeSearch>;
