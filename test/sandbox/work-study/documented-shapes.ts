/**
 * Keys and types of today's responses (work-study 8, 9). A kind that ends in `?` may be null; a list has the shape of
 * its items; an object has exactly these keys; `orNull` marks an object that may be null.
 */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape } | OrNull;

class OrNull {
  readonly shape: Shape;
  constructor(shape: Shape) {
    this.shape = shape;
  }
}

const orNull = (shape: Shape): OrNull => new OrNull(shape);

const POINT: Shape = { type: 'string', coordinates: ['number'] };
const ACADEMIE: Shape = { id: 'string', code: 'string', nom: 'string' };
const AREA: Shape = { nom: 'string', codeInsee: 'string' };

export const DEPARTEMENT: Shape = { nom: 'string', codeInsee: 'string', region: AREA, academie: ACADEMIE };

export const MISSION_LOCALE: Shape = {
  id: 'number',
  code: 'string',
  nom: 'string',
  siret: 'string',
  localisation: { geopoint: orNull(POINT), adresse: 'string', cp: 'string', ville: 'string' },
  contact: { email: 'string?', telephone: 'string?', siteWeb: 'string?' },
};

export const COMMUNE: Shape = {
  nom: 'string',
  code: { insee: 'string', postaux: ['string'] },
  anciennes: [AREA],
  arrondissements: [{ code: 'string', nom: 'string' }],
  departement: AREA,
  region: AREA,
  academie: ACADEMIE,
  localisation: { centre: POINT, bbox: { type: 'string', coordinates: [[['number']]] } },
  mission_locale: orNull(MISSION_LOCALE),
};

const WORKPLACE: Shape = {
  name: 'string?',
  description: 'string?',
  website: 'string?',
  siret: 'string?',
  location: { address: 'string', geopoint: POINT },
  brand: 'string?',
  legal_name: 'string?',
  size: 'string?',
  domain: { idcc: 'number?', opco: 'string?', naf: orNull({ code: 'string', label: 'string?' }) },
};

const APPLY: Shape = { phone: 'string?', url: 'string', recipient_id: 'string?' };

export const JOB_RECRUITER: Shape = { identifier: { id: 'string' }, workplace: WORKPLACE, apply: APPLY };

export const JOB_OFFER: Shape = {
  identifier: { id: 'string?', partner_job_id: 'string', partner_label: 'string' },
  workplace: WORKPLACE,
  apply: APPLY,
  contract: { start: 'string?', duration: 'number?', type: ['string'], remote: 'string?' },
  offer: {
    title: 'string',
    desired_skills: ['string'],
    to_be_acquired_skills: ['string'],
    access_conditions: ['string'],
    opening_count: 'number',
    publication: { creation: 'string?', expiration: 'string?' },
    rome_codes: ['string'],
    description: 'string',
    target_diploma: orNull({ european: 'string', label: 'string' }),
    status: 'string',
  },
  is_delegated: 'boolean',
};

const CODED: Shape = { code: 'string', intitule: 'string' };
const CODED_OR_BARE: Shape = { code: 'string', intitule: 'string?' };

export const CERTIFICATION: Shape = {
  identifiant: { cfd: 'string?', rncp: 'string?', rncp_anterieur_2019: 'boolean?' },
  intitule: {
    cfd: orNull({ long: 'string', court: 'string' }),
    niveau: {
      cfd: orNull({
        europeen: 'string?',
        formation_diplome: 'string',
        interministeriel: 'string',
        libelle: 'string?',
        sigle: 'string',
      }),
      rncp: orNull({ europeen: 'string?' }),
    },
    rncp: 'string?',
  },
  base_legale: { cfd: orNull({ creation: 'string?', abrogation: 'string?' }) },
  blocs_competences: { rncp: orNull([CODED_OR_BARE]) },
  convention_collectives: { rncp: orNull([{ numero: 'string', intitule: 'string' }]) },
  domaines: {
    formacodes: { rncp: orNull([CODED]) },
    nsf: { cfd: orNull(CODED_OR_BARE), rncp: orNull([CODED_OR_BARE]) },
    rome: { rncp: orNull([CODED]) },
  },
  periode_validite: {
    debut: 'string?',
    fin: 'string?',
    cfd: orNull({
      ouverture: 'string?',
      fermeture: 'string?',
      premiere_session: 'number?',
      derniere_session: 'number?',
    }),
    rncp: orNull({
      actif: 'boolean',
      activation: 'string?',
      debut_parcours: 'string?',
      fin_enregistrement: 'string?',
    }),
  },
  type: {
    nature: { cfd: orNull({ code: 'string?', libelle: 'string?' }) },
    gestionnaire_diplome: 'string?',
    enregistrement_rncp: 'string?',
    voie_acces: {
      rncp: orNull({
        apprentissage: 'boolean',
        experience: 'boolean',
        candidature_individuelle: 'boolean',
        contrat_professionnalisation: 'boolean',
        formation_continue: 'boolean',
        formation_statut_eleve: 'boolean',
      }),
    },
    certificateurs_rncp: orNull([{ siret: 'string', nom: 'string' }]),
  },
  continuite: {
    cfd: orNull([{ ouverture: 'string?', fermeture: 'string?', code: 'string', courant: 'boolean' }]),
    rncp: orNull([
      { activation: 'string?', fin_enregistrement: 'string?', code: 'string', courant: 'boolean', actif: 'boolean' },
    ]),
  },
};

const SNAKE_AREA: Shape = { nom: 'string', code_insee: 'string' };
const ADRESSE: Shape = {
  label: 'string?',
  code_postal: 'string?',
  commune: SNAKE_AREA,
  departement: SNAKE_AREA,
  region: SNAKE_AREA,
  academie: ACADEMIE,
};

export const ORGANISME: Shape = {
  identifiant: { uai: 'string?', siret: 'string' },
  etablissement: {
    siret: 'string',
    ouvert: 'boolean',
    enseigne: 'string?',
    adresse: orNull(ADRESSE),
    geopoint: orNull(POINT),
    creation: 'string',
    fermeture: 'string?',
  },
  unite_legale: {
    siren: 'string',
    actif: 'boolean',
    raison_sociale: 'string',
    creation: 'string',
    cessation: 'string?',
  },
  renseignements_specifiques: { qualiopi: 'boolean', numero_activite: 'string?' },
  statut: { referentiel: 'string' },
  contacts: [{ email: 'string', sources: ['string'], confirmation_referentiel: 'boolean' }],
};

const MATCH: Shape = {
  status: { ouvert: 'boolean', declaration_catalogue: 'boolean', validation_uai: 'boolean' },
  correspondances: {
    uai: orNull({ lui_meme: 'boolean', son_lieu: 'boolean' }),
    siret: orNull({ lui_meme: 'boolean', son_formateur: 'boolean', son_responsable: 'boolean' }),
  },
  organisme: { identifiant: { uai: 'string?', siret: 'string' } },
};

export const ORGANISME_SEARCH: Shape = {
  metadata: { uai: orNull({ status: 'string' }), siret: orNull({ status: 'string' }) },
  resultat: orNull(MATCH),
  candidats: [MATCH],
};

export const FORMATION: Shape = {
  identifiant: { cle_ministere_educatif: 'string' },
  statut: { catalogue: 'string' },
  formateur: { organisme: orNull(ORGANISME), connu: 'boolean' },
  responsable: { organisme: orNull(ORGANISME), connu: 'boolean' },
  certification: { valeur: CERTIFICATION, connue: 'boolean' },
  lieu: { adresse: ADRESSE, geolocalisation: POINT, precision: 'number?', siret: 'string?', uai: 'string?' },
  contact: { email: 'string?', telephone: 'string?' },
  onisep: {
    url: 'string?',
    intitule: 'string?',
    libelle_poursuite: 'string?',
    lien_site_onisepfr: 'string?',
    discipline: 'string?',
    domaine_sousdomaine: 'string?',
  },
  modalite: {
    entierement_a_distance: 'boolean',
    duree_indicative: 'number',
    annee_cycle: 'number?',
    mef_10: 'string?',
  },
  contenu_educatif: { contenu: 'string', objectif: 'string' },
  sessions: [{ debut: 'string', fin: 'string', capacite: 'number?' }],
};

/** Every place where a value departs from a shape, as `path: what is wrong`. */
export function departures(value: unknown, shape: Shape, path = ''): string[] {
  if (shape instanceof OrNull) return value === null ? [] : departures(value, shape.shape, path);
  if (typeof shape === 'string')
    return isOfKind(value, shape) ? [] : [`${path}: ${JSON.stringify(value)} is no ${shape}`];
  if (isListShape(shape)) {
    if (!Array.isArray(value)) return [`${path}: no list`];
    return value.flatMap((item, i) => departures(item, shape[0], `${path}[${i}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: no object`];
  const keys = new Set([...Object.keys(shape), ...Object.keys(value)]);
  return [...keys].flatMap((key) => {
    const inner = shape[key];
    if (inner === undefined) return [`${path}.${key}: not documented`];
    if (!(key in value)) return [`${path}.${key}: missing`];
    return departures((value as Record<string, unknown>)[key], inner, `${path}.${key}`);
  });
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function isOfKind(value: unknown, kind: string): boolean {
  if (value === null) return kind.endsWith('?');
  return typeof value === kind.replace('?', '');
}
