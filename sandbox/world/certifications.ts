import { createFamilies, exceptionalCfd, type Family, type Generation } from './certification-families.js';
import { parisDay } from './dates.js';
import type { Gazetteer } from './gazetteer.js';
import type { SiretMaker } from './identifiers.js';
import type { KnownOrganization } from './organizations.js';
import { inCapitals } from './place-names.js';
import { allProfessions, type Profession } from './professions.js';
import type { Random } from './random.js';
import type { Json } from './types.js';

/** A certification, with the keys by which formations refer to it. */
export interface Certification {
  readonly record: Json;
  readonly profession: Profession;
  readonly cfd: string | null;
  readonly rncp: string | null;
}

/**
 * Every generation of every diploma, as a pair of CFD and RNCP, sometimes with only one of the two. Some have a second
 * pair: the CFD of one generation stays valid with the register's next record.
 */
export function createCertifications(certifiers: readonly Certifier[], random: Random): Certification[] {
  return createFamilies(random).flatMap((family) => {
    const chosen = random.sample(certifiers, 1 + random.int(2));
    return pairsOf(family, random).map(({ generation, cfd, rncp }) => ({
      record: createCertificationRecord({ family, generation, cfd, rncp, certifiers: chosen, random }),
      profession: family.profession,
      cfd,
      rncp,
    }));
  });
}

interface Pair {
  readonly generation: Generation;
  readonly cfd: string | null;
  readonly rncp: string | null;
}

function pairsOf({ generations }: Family, random: Random): Pair[] {
  return generations.flatMap((generation, index) => {
    const { cfd, rncp } = generation;
    const pair = random.weighted<Pair>([
      [76, { generation, cfd, rncp }],
      [12, { generation, cfd, rncp: null }],
      [12, { generation, cfd: null, rncp }],
    ]);
    const next = generations[index + 1];
    if (next === undefined || !random.chance(0.1)) return [pair];
    return [pair, { generation, cfd, rncp: next.rncp }];
  });
}

/** The inputs of a certification record. */
export interface CertificationPlan {
  readonly family: Family;
  readonly generation: Generation;
  readonly cfd: string | null;
  readonly rncp: string | null;
  readonly certifiers: readonly Certifier[];
  readonly random: Random;
}

/** The Certification record; without a CFD or an RNCP, everything derived from it is null (work-study 12.2.1). */
function createCertificationRecord(plan: CertificationPlan): Json {
  const { cfd, rncp, random } = plan;
  const ifCfd = <T>(value: T) => (cfd === null ? null : value);
  const ifRncp = <T>(value: T) => (rncp === null ? null : value);
  return {
    identifiant: { cfd, rncp, rncp_anterieur_2019: ifRncp(isBefore2019(rncp)) },
    intitule: titles(plan),
    base_legale: { cfd: ifCfd(legalBase(plan)) },
    blocs_competences: { rncp: ifRncp(skillBlocks(plan)) },
    convention_collectives: { rncp: ifRncp(random.chance(0.2) ? [agreementOf(plan)] : []) },
    domaines: domains(plan),
    periode_validite: validity(plan),
    type: {
      nature: { cfd: ifCfd(plan.family.kind.nature) },
      gestionnaire_diplome: ifCfd(plan.family.kind.isOfState ? 'DEPPA1' : 'DGEFP'),
      enregistrement_rncp: ifRncp(
        plan.family.kind.isOfState ? 'Enregistrement de droit' : 'Enregistrement sur demande',
      ),
      voie_acces: { rncp: ifRncp(accessWays(random)) },
      certificateurs_rncp: ifRncp(plan.certifiers),
    },
    continuite: { cfd: ifCfd(cfdContinuity(plan)), rncp: ifRncp(rncpContinuity(plan)) },
  };
}

function isBefore2019(rncp: string | null): boolean {
  return Number(rncp?.slice('RNCP'.length)) < 34_000;
}

function titles(plan: CertificationPlan): Json {
  const { family, cfd, rncp } = plan;
  const { kind, title } = family;
  const ofCfd = cfd === null ? null : { long: `${inCapitals(title)} (${kind.sigle})`, court: inCapitals(title) };
  const level =
    cfd === null
      ? null
      : {
          europeen: kind.level,
          formation_diplome: cfd.slice(0, 3),
          interministeriel: cfd === exceptionalCfd ? '5' : cfd.slice(0, 1),
          libelle: kind.libelle,
          sigle: kind.sigle,
        };
  return {
    cfd: ofCfd,
    niveau: { cfd: level, rncp: rncp === null ? null : { europeen: registerLevel(plan) } },
    rncp: rncp === null ? null : title,
  };
}

/** Some records from before the reform have no level. */
function registerLevel({ family, rncp, random }: CertificationPlan): string | null {
  return isBefore2019(rncp) && random.chance(0.05) ? null : family.kind.level;
}

function legalBase({ generation: { openingYear, closingYear }, random }: CertificationPlan): Json {
  return {
    creation: random.chance(0.15) ? null : parisDay(openingYear, 3, 28),
    abrogation: closingYear === null ? null : parisDay(closingYear, 8, 31, 'closing'),
  };
}

/** Some records from before the reform of 2019 have blocks without a title, or with a bare number. */
function skillBlocks({ rncp, family, random }: CertificationPlan): Json[] {
  const isOld = isBefore2019(rncp);
  const isBare = isOld && random.chance(0.3);
  return random.sample(blockTitles, 2 + random.int(3)).map((title, index) => ({
    code: isBare ? String(index + 1) : `${rncp}BC0${index + 1}`,
    intitule: isOld && random.chance(0.2) ? null : `${title} (${family.profession.label.toLowerCase()})`,
  }));
}

const blockTitles = [
  'Préparer et organiser son activité',
  "Réaliser les travaux dans le respect des règles d'hygiène et de sécurité",
  'Accueillir, conseiller et « fidéliser » la clientèle',
  'Contrôler la qualité et rendre compte',
  "Participer à la vie de l'entreprise",
];

function agreementOf({ family }: CertificationPlan): Json {
  const { idcc, naf } = family.profession.sector;
  return { numero: String(idcc), intitule: `Convention collective nationale : ${naf.label.toLowerCase()}` };
}

function domains({ family: { profession }, cfd, rncp }: CertificationPlan): Json {
  const { nsf, label, rome, sector } = profession;
  const near = allProfessions.filter((other) => other.sector === sector && other !== profession);
  const ifRncp = <T>(value: T) => (rncp === null ? null : value);
  // The register adds a letter for the speciality's function, for which a diploma's code has no room.
  const speciality = rncp?.endsWith('0') ? nsf : `${nsf}s`;
  return {
    formacodes: { rncp: ifRncp([{ code: `${nsf}04`, intitule: `${nsf}04 : ${label}` }]) },
    nsf: {
      cfd: cfd === null ? null : { code: nsf, intitule: inCapitals(label) },
      rncp: ifRncp([{ code: speciality, intitule: `${speciality} : ${label}` }]),
    },
    rome: {
      rncp: ifRncp([{ code: rome, intitule: label }, ...near.map((one) => ({ code: one.rome, intitule: one.label }))]),
    },
  };
}

/** A pair is valid while both of its parts are. */
function validity({ generation, cfd, rncp, random }: CertificationPlan): Json {
  const { openingYear, closingYear } = generation;
  const diploma = cfd === null ? null : diplomaDates(generation);
  const register = rncp === null ? null : registerDates(generation);
  return {
    debut: latest(diploma?.ouverture ?? null, register?.activation ?? null),
    fin: earliest(diploma?.fermeture ?? null, register?.fin_enregistrement ?? null),
    cfd: diploma === null ? null : { ...diploma, ...sessions(openingYear, closingYear, random) },
    rncp: register === null ? null : { ...register, debut_parcours: random.chance(0.2) ? null : register.activation },
  };
}

function diplomaDates({ openingYear, closingYear }: Generation) {
  return {
    ouverture: parisDay(openingYear, 9, 1),
    fermeture: closingYear === null ? null : parisDay(closingYear, 8, 31, 'closing'),
  };
}

/** Activations before 24 December 2021 are unknown (work-study 12.2.1, periode_validite). */
function registerDates({ openingYear, closingYear }: Generation) {
  return {
    actif: closingYear === null || closingYear > 2026,
    activation: openingYear < 2022 ? null : parisDay(openingYear, 1, 25),
    fin_enregistrement: closingYear === null ? null : parisDay(closingYear, 1, 25, 'closing'),
  };
}

function sessions(openingYear: number, closingYear: number | null, random: Random): Json {
  if (random.chance(0.3)) return { premiere_session: null, derniere_session: null };
  return { premiere_session: openingYear + 2, derniere_session: closingYear };
}

function latest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) > Date.parse(b) ? a : b;
}

function earliest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) < Date.parse(b) ? a : b;
}

function accessWays(random: Random): Json {
  return {
    apprentissage: true,
    experience: random.chance(0.8),
    candidature_individuelle: random.chance(0.4),
    contrat_professionnalisation: random.chance(0.9),
    formation_continue: random.chance(0.9),
    formation_statut_eleve: random.chance(0.6),
  };
}

/** Ordered by opening; a few rows with a CFD have no history (work-study 8.4, row continuite). */
function cfdContinuity({ family, cfd, random }: CertificationPlan): Json[] | null {
  if (random.chance(0.04)) return null;
  return family.generations.map((one) => ({ ...diplomaDates(one), code: one.cfd, courant: one.cfd === cfd }));
}

/** Ordered by activation, rows without one last (work-study 8.4, row continuite). */
function rncpContinuity({ family, rncp }: CertificationPlan): Json[] {
  const rows = family.generations.map((one) => ({ ...registerDates(one), code: one.rncp, courant: one.rncp === rncp }));
  return [...rows.filter((row) => row.activation !== null), ...rows.filter((row) => row.activation === null)];
}

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
