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

const Identifiant = shape('Certification.identifiant', {
  cfd: required(code(isCfdCode)),
  rncp: required(code(isRncpCode)),
  rncpAnterieur2019: required(boolean('rncp_anterieur_2019')),
});

const Intitule = shape('Certification.intitule', {
  cfd: required(object(shape('Certification.intitule.cfd', { long: text(), court: text() }))),
  niveau: object(
    shape('Certification.intitule.niveau', {
      cfd: required(
        object(
          shape('Certification.intitule.niveau.cfd', {
            ...level,
            formationDiplome: text('formation_diplome'),
            interministeriel: text(),
            libelle: required(text()),
            sigle: text(),
          }),
        ),
      ),
      rncp: required(object(shape('Certification.intitule.niveau.rncp', level))),
    }),
  ),
  rncp: required(text()),
});

const BaseLegale = shape('Certification.base_legale', {
  cfd: required(
    object(shape('Certification.base_legale.cfd', { creation: required(moment()), abrogation: required(moment()) })),
  ),
});

const BlocsCompetences = shape('Certification.blocs_competences', {
  rncp: required(
    list(object(shape('Certification.blocs_competences.rncp', { code: text(), intitule: required(text()) }))),
  ),
});

const ConventionCollectives = shape('Certification.convention_collectives', {
  rncp: required(
    list(object(shape('Certification.convention_collectives.rncp', { numero: text(), intitule: text() }))),
  ),
});

const Domaines = shape('Certification.domaines', {
  formacodes: object(
    shape('Certification.domaines.formacodes', { rncp: required(list(object(coded('formacodes.rncp')))) }),
  ),
  nsf: object(
    shape('Certification.domaines.nsf', {
      cfd: required(object(speciality('nsf.cfd'))),
      rncp: required(list(object(speciality('nsf.rncp')))),
    }),
  ),
  rome: object(shape('Certification.domaines.rome', { rncp: required(list(object(coded('rome.rncp')))) })),
});

/** A code with its title. ROME codes stay plain text here: a bare letter is one too (work-study 12.2.1). */
function coded(place: string) {
  return shape(`Certification.domaines.${place}`, { code: text(), intitule: text() });
}

/** A code whose title may be null, but is promised. */
function speciality(place: string) {
  return shape(`Certification.domaines.${place}`, { code: text(), intitule: required(text()) });
}

const PeriodeValidite = shape('Certification.periode_validite', {
  debut: required(moment()),
  fin: required(moment()),
  cfd: required(
    object(
      shape('Certification.periode_validite.cfd', {
        ouverture: required(moment()),
        fermeture: required(moment()),
        premiereSession: required(integer('premiere_session')),
        derniereSession: required(integer('derniere_session')),
      }),
    ),
  ),
  rncp: required(
    object(
      shape('Certification.periode_validite.rncp', {
        actif: boolean(),
        activation: required(moment()),
        debutParcours: required(moment('debut_parcours')),
        finEnregistrement: required(moment('fin_enregistrement')),
      }),
    ),
  ),
});

const ENREGISTREMENTS = {
  'Enregistrement de droit': 'ENREGISTREMENT_DE_DROIT',
  'Enregistrement sur demande': 'ENREGISTREMENT_SUR_DEMANDE',
} as const;

const VoieAccesRncp = shape('Certification.type.voie_acces.rncp', {
  apprentissage: required(boolean()),
  experience: required(boolean()),
  candidatureIndividuelle: required(boolean('candidature_individuelle')),
  contratProfessionnalisation: required(boolean('contrat_professionnalisation')),
  formationContinue: required(boolean('formation_continue')),
  formationStatutEleve: required(boolean('formation_statut_eleve')),
});

const Certificateur = shape('Certification.type.certificateurs_rncp', { siret: code(isSiret), nom: text() });

const Type = shape('Certification.type', {
  nature: object(
    shape('Certification.type.nature', {
      cfd: required(
        object(shape('Certification.type.nature.cfd', { code: required(text()), libelle: required(text()) })),
      ),
    }),
  ),
  gestionnaireDiplome: required(text('gestionnaire_diplome')),
  enregistrementRncp: required(vocabulary(ENREGISTREMENTS, 'enregistrement_rncp')),
  enregistrementRncpRaw: otherWord(ENREGISTREMENTS, 'enregistrement_rncp'),
  voieAcces: object(shape('Certification.type.voie_acces', { rncp: required(object(VoieAccesRncp)) }), 'voie_acces'),
  certificateursRncp: required(list(object(Certificateur), 'certificateurs_rncp')),
});

const Continuite = shape('Certification.continuite', {
  cfd: required(
    list(
      object(
        shape('Certification.continuite.cfd', {
          ouverture: required(moment()),
          fermeture: required(moment()),
          code: code(isCfdCode),
          courant: boolean(),
        }),
      ),
    ),
  ),
  rncp: required(
    list(
      object(
        shape('Certification.continuite.rncp', {
          activation: required(moment()),
          finEnregistrement: required(moment('fin_enregistrement')),
          code: code(isRncpCode),
          courant: boolean(),
          actif: boolean(),
        }),
      ),
    ),
  ),
});

/** The certification as documented (work-study 12.2.1): its nine top-level keys are promised. */
export const Certification = shape('Certification', {
  identifiant: required(object(Identifiant)),
  intitule: required(object(Intitule)),
  baseLegale: required(object(BaseLegale, 'base_legale')),
  blocsCompetences: required(object(BlocsCompetences, 'blocs_competences')),
  conventionCollectives: required(object(ConventionCollectives, 'convention_collectives')),
  domaines: required(object(Domaines)),
  periodeValidite: required(object(PeriodeValidite, 'periode_validite')),
  type: required(object(Type)),
  continuite: required(object(Continuite)),
});

/** A certification as sent; each field is checked when it is read. */
export type CertificationView = View<typeof Certification>;
