import { isCfdCode, isRncpCode, isSiret } from '../../codes/registers.js';
import {
  boolean,
  code,
  integer,
  list,
  moment,
  object,
  otherWord,
  required,
  shape,
  text,
  type View,
  vocabulary,
} from '../../rest/shape.js';
import { EUROPEAN_LEVELS } from '../values/words.js';

/** The certification and its parts (work-study 12.2.1). */

const level = {
  europeen: required(vocabulary(EUROPEAN_LEVELS)),
  europeenRaw: otherWord(EUROPEAN_LEVELS, 'europeen'),
};

/** A code with its title. ROME codes stay plain text here: a bare letter is one too (work-study 12.2.1). */
const coded = { code: text(), intitule: text() };

/** A code whose title may be null, but is promised. */
const speciality = { code: text(), intitule: required(text()) };

const ENREGISTREMENTS = {
  'Enregistrement de droit': 'ENREGISTREMENT_DE_DROIT',
  'Enregistrement sur demande': 'ENREGISTREMENT_SUR_DEMANDE',
} as const;

/** The certification as documented (work-study 12.2.1): its nine top-level keys are promised. */
export const Certification = shape('Certification', {
  identifiant: required(
    object({
      cfd: required(code(isCfdCode)),
      rncp: required(code(isRncpCode)),
      rncpAnterieur2019: required(boolean('rncp_anterieur_2019')),
    }),
  ),
  intitule: required(
    object({
      cfd: required(object({ long: text(), court: text() })),
      niveau: object({
        cfd: required(
          object({
            ...level,
            formationDiplome: text('formation_diplome'),
            interministeriel: text(),
            libelle: required(text()),
            sigle: text(),
          }),
        ),
        rncp: required(object(level)),
      }),
      rncp: required(text()),
    }),
  ),
  baseLegale: required(
    object({ cfd: required(object({ creation: required(moment()), abrogation: required(moment()) })) }, 'base_legale'),
  ),
  blocsCompetences: required(
    object({ rncp: required(list(object({ code: text(), intitule: required(text()) }))) }, 'blocs_competences'),
  ),
  conventionCollectives: required(
    object({ rncp: required(list(object({ numero: text(), intitule: text() }))) }, 'convention_collectives'),
  ),
  domaines: required(
    object({
      formacodes: object({ rncp: required(list(object(coded))) }),
      nsf: object({
        cfd: required(object(speciality)),
        rncp: required(list(object(speciality))),
      }),
      rome: object({ rncp: required(list(object(coded))) }),
    }),
  ),
  periodeValidite: required(
    object(
      {
        debut: required(moment()),
        fin: required(moment()),
        cfd: required(
          object({
            ouverture: required(moment()),
            fermeture: required(moment()),
            premiereSession: required(integer('premiere_session')),
            derniereSession: required(integer('derniere_session')),
          }),
        ),
        rncp: required(
          object({
            actif: boolean(),
            activation: required(moment()),
            debutParcours: required(moment('debut_parcours')),
            finEnregistrement: required(moment('fin_enregistrement')),
          }),
        ),
      },
      'periode_validite',
    ),
  ),
  type: required(
    object({
      nature: object({ cfd: required(object({ code: required(text()), libelle: required(text()) })) }),
      gestionnaireDiplome: required(text('gestionnaire_diplome')),
      enregistrementRncp: required(vocabulary(ENREGISTREMENTS, 'enregistrement_rncp')),
      enregistrementRncpRaw: otherWord(ENREGISTREMENTS, 'enregistrement_rncp'),
      voieAcces: object(
        {
          rncp: required(
            object({
              apprentissage: required(boolean()),
              experience: required(boolean()),
              candidatureIndividuelle: required(boolean('candidature_individuelle')),
              contratProfessionnalisation: required(boolean('contrat_professionnalisation')),
              formationContinue: required(boolean('formation_continue')),
              formationStatutEleve: required(boolean('formation_statut_eleve')),
            }),
          ),
        },
        'voie_acces',
      ),
      certificateursRncp: required(list(object({ siret: code(isSiret), nom: text() }), 'certificateurs_rncp')),
    }),
  ),
  continuite: required(
    object({
      cfd: required(
        list(
          object({
            ouverture: required(moment()),
            fermeture: required(moment()),
            code: code(isCfdCode),
            courant: boolean(),
          }),
        ),
      ),
      rncp: required(
        list(
          object({
            activation: required(moment()),
            finEnregistrement: required(moment('fin_enregistrement')),
            code: code(isRncpCode),
            courant: boolean(),
            actif: boolean(),
          }),
        ),
      ),
    }),
  ),
});

/** A certification as sent; each field is checked when it is read. */
export type CertificationView = View<typeof Certification>;
