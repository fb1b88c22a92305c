import { createAdresse, drawPhone, drawPostalCode, drawStreet, streetLine } from './addresses.js';
import type { Area } from './areas.js';
import { type Certification, createCertifications, createCertifiers } from './certifications.js';
import { parisDay } from './dates.js';
import type { Gazetteer } from './gazetteer.js';
import type { SiretMaker } from './identifiers.js';
import { associationsAmong, createOrganismes, type Organisme } from './organismes.js';
import type { KnownOrganization } from './organizations.js';
import { inCapitals, slugOf } from './place-names.js';
import { createRandom, type Random } from './random.js';
import type { Json } from './types.js';
import type { TrainingCentre } from './workplaces.js';

/** The inputs of training data. */
export interface TrainingOptions {
  /** Numbers of records. */
  readonly organismes: number;
  readonly formations: number;
  readonly gazetteer: Gazetteer;
  readonly areas: ReadonlyMap<string, Area>;
  readonly sirets: SiretMaker;
}

/** The training data of a world. */
export interface Training {
  readonly certifications: readonly Json[];
  readonly formations: readonly Json[];
  readonly organismes: readonly Json[];
  /** Open training centres, to which companies may delegate their offers. */
  readonly centres: readonly TrainingCentre[];
  /** Certifiers and organismes that are associations. */
  readonly associations: readonly KnownOrganization[];
}

/** Creates the training data: certifications, the organismes that teach for them, and their formations. */
export function createTraining({ organismes, formations, gazetteer, areas, sirets }: TrainingOptions): Training {
  const certifiers = createCertifiers(gazetteer, sirets, createRandom('certifiers'));
  const certifications = createCertifications(certifiers.all, createRandom('certifications'));
  const schools = createOrganismes({
    count: organismes,
    gazetteer,
    areas,
    sirets,
    random: createRandom('organismes'),
  });
  return {
    certifications: certifications.map(({ record }) => record),
    formations: createFormations({
      count: formations,
      certifications,
      organismes: schools,
      areas,
      random: createRandom('formations'),
    }),
    organismes: schools.map(({ record }) => record),
    centres: schools.filter(({ isOpen }) => isOpen),
    associations: [...certifiers.associations, ...associationsAmong(schools, createRandom('schools'))],
  };
}

/** The inputs of formations. */
export interface FormationOptions {
  readonly count: number;
  readonly certifications: readonly Certification[];
  readonly organismes: readonly Organisme[];
  readonly areas: ReadonlyMap<string, Area>;
  readonly random: Random;
}

/** Creates formations of every status, each by an organisme for a certification (work-study 8.2). */
function createFormations({ count, ...options }: FormationOptions): Json[] {
  return Array.from({ length: count }, () => createFormation(options));
}

function createFormation({ certifications, organismes, areas, random }: Omit<FormationOptions, 'count'>): Json {
  const formateur = random.pick(organismes);
  const responsable = random.chance(0.8) ? formateur : random.pick(organismes);
  const certification = random.pick(certifications);
  return {
    identifiant: { cle_ministere_educatif: trainingKey(formateur, responsable, random) },
    statut: {
      catalogue: random.weighted([
        [86, 'publié'],
        [9, 'archivé'],
        [5, 'supprimé'],
      ]),
    },
    formateur: partner(formateur, random),
    responsable: partner(responsable, random),
    certification: certificationOf(certification, random),
    lieu: place(formateur, { areas, random }),
    contact: {
      email: random.chance(0.2) ? null : `inscription@${slugOf(formateur.name)}.example.org`,
      telephone: random.chance(0.25) ? null : drawPhone(random),
    },
    onisep: onisep(certification, random),
    modalite: {
      annee_cycle: random.chance(0.1) ? null : 1 + random.int(3),
      duree_indicative: 1 + random.int(3),
      entierement_a_distance: random.chance(0.04),
      mef_10: random.chance(0.4) ? null : random.digits(10),
    },
    contenu_educatif: {
      contenu: `Enseignement général et professionnel : ${certification.profession.label.toLowerCase()}.`,
      objectif: `Exercer le métier « ${certification.profession.title} ».`,
    },
    sessions: sessions(random),
  };
}

/**
 * For example `049510P01118838776490001178615112600012-49099#L01` (work-study 7.9): numbers, SIRETs, commune, place.
 */
function trainingKey(formateur: Organisme, responsable: Organisme, random: Random): string {
  const { insee } = formateur.site.place;
  return `${random.digits(6)}P01${random.digits(2)}${responsable.siret}${formateur.siret}-${insee}#L01`;
}

/** The organisme is null if the reference data lacks it (work-study 8.2). */
function partner({ record }: Organisme, random: Random): Json {
  const isKnown = !random.chance(0.03);
  return { connu: isKnown, organisme: isKnown ? record : null };
}

/** A pair that the certification route lacks is composed from diploma and register (work-study 8.2). */
function certificationOf({ record }: Certification, random: Random): Json {
  return { connue: !random.chance(0.06), valeur: record };
}

function place({ site, siret, uai }: Organisme, { areas, random }: Pick<FormationOptions, 'areas' | 'random'>): Json {
  const address = {
    label: random.chance(0.05) ? null : inCapitals(streetLine(drawStreet(random))),
    codePostal: drawPostalCode(site.place, random),
  };
  return {
    adresse: createAdresse(site.place, address, areas),
    geolocalisation: { type: 'Point', coordinates: site.point },
    precision: random.chance(0.1) ? null : random.int(300),
    siret: random.chance(0.3) ? null : siret,
    uai: random.chance(0.3) ? null : uai,
  };
}

function onisep({ profession }: Certification, random: Random): Json {
  if (random.chance(0.5)) {
    return {
      url: null,
      intitule: null,
      libelle_poursuite: null,
      lien_site_onisepfr: null,
      discipline: null,
      domaine_sousdomaine: null,
    };
  }
  const page = `onisep.example.org/formations/${slugOf(profession.diploma)}`;
  return {
    url: `https://${page}`,
    intitule: profession.diploma,
    libelle_poursuite: random.chance(0.5) ? null : 'mention complémentaire | brevet professionnel',
    lien_site_onisepfr: random.chance(0.5) ? null : page,
    discipline: null,
    domaine_sousdomaine: profession.label,
  };
}

/** School years from 2025 on. */
function sessions(random: Random): Json[] {
  const capacity = random.chance(0.3) ? null : 8 + random.int(25);
  return Array.from({ length: random.int(4) }, (_, index) => ({
    capacite: capacity,
    debut: parisDay(2025 + index, 9, 1),
    fin: parisDay(2026 + index, 8, 31),
  }));
}
