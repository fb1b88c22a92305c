import { isCfdCode, isRncpCode, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  integer,
  list,
  moment,
  object,
  optional,
  otherWord,
  promised,
  record,
  required,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { EUROPEAN_LEVELS } from '../values/words.js';

/** The certification and its parts (work-study 12.2.1). */

const level = {
  europeen: vocabulary(EUROPEAN_LEVELS),
  europeenRaw: optional(otherWord(EUROPEAN_LEVELS, 'europeen')),
};

/** A code with its title. ROME codes stay plain text here: a bare letter is one too (work-study 12.2.1). */
const coded = { code: text(), intitule: text() };

/** A code whose title may be null, but is promised. */
const speciality = { code: optional(text()), intitule: text() };

const ENREGISTREMENTS = {
  'Enregistrement de droit': 'ENREGISTREMENT_DE_DROIT',
  'Enregistrement sur demande': 'ENREGISTREMENT_SUR_DEMANDE',
} as const;

/** The certification as documented (work-study 12.2.1): its nine top-level keys are promised. */
export const Certification = promised('Certification', {
  identifiant: record({
    cfd: code(isCfdCode),
    rncp: code(isRncpCode),
    rncpAnterieur2019: boolean('rncp_anterieur_2019'),
  }),
  intitule: record({
    cfd: object({ long: text(), court: text() }),
    niveau: optional(
      record({
        cfd: record({
          ...level,
          formationDiplome: optional(text('formation_diplome')),
          interministeriel: optional(text()),
          libelle: text(),
          sigle: optional(text()),
        }),
        rncp: record(level),
      }),
    ),
    rncp: text(),
  }),
  baseLegale: record({ cfd: record({ creation: moment(), abrogation: moment() }) }, 'base_legale'),
  blocsCompetences: record({ rncp: list(record(speciality)) }, 'blocs_competences'),
  conventionCollectives: record({ rncp: list(object({ numero: text(), intitule: text() })) }, 'convention_collectives'),
  domaines: object({
    formacodes: record({ rncp: list(object(coded)) }),
    nsf: record({ cfd: record(speciality), rncp: list(record(speciality)) }),
    rome: record({ rncp: list(object(coded)) }),
  }),
  periodeValidite: record(
    {
      debut: moment(),
      fin: moment(),
      cfd: record({
        ouverture: moment(),
        fermeture: moment(),
        premiereSession: integer('premiere_session'),
        derniereSession: integer('derniere_session'),
      }),
      rncp: record({
        actif: optional(boolean()),
        activation: moment(),
        debutParcours: moment('debut_parcours'),
        finEnregistrement: moment('fin_enregistrement'),
      }),
    },
    'periode_validite',
  ),
  type: record({
    nature: optional(record({ cfd: record({ code: text(), libelle: text() }) })),
    gestionnaireDiplome: text('gestionnaire_diplome'),
    enregistrementRncp: vocabulary(ENREGISTREMENTS, 'enregistrement_rncp'),
    enregistrementRncpRaw: optional(otherWord(ENREGISTREMENTS, 'enregistrement_rncp')),
    voieAcces: optional(
      record(
        {
          rncp: record({
            apprentissage: boolean(),
            experience: boolean(),
            candidatureIndividuelle: boolean('candidature_individuelle'),
            contratProfessionnalisation: boolean('contrat_professionnalisation'),
            formationContinue: boolean('formation_continue'),
            formationStatutEleve: boolean('formation_statut_eleve'),
          }),
        },
        'voie_acces',
      ),
    ),
    certificateursRncp: list(object({ siret: code(isSiret), nom: text() }), 'certificateurs_rncp'),
  }),
  continuite: record({
    cfd: list(
      object({
        ouverture: required(moment()),
        fermeture: required(moment()),
        code: code(isCfdCode),
        courant: boolean(),
      }),
    ),
    rncp: list(
      object({
        activation: required(moment()),
        finEnregistrement: required(moment('fin_enregistrement')),
        code: code(isRncpCode),
        courant: boolean(),
        actif: boolean(),
      }),
    ),
  }),
});

/** A certification as sent; each field is checked when it is read. */
export type CertificationView = View<typeof Certification>;
