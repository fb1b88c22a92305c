import { dayFromToday, daysFromToday, importOn } from './dates.js';
import type { Gazetteer } from './gazetteer.js';
import { uuid } from './identifiers.js';
import { createMessDrawer, type Mess } from './mess.js';
import { createMissionAddresses, flatAddress, type MissionAddresses } from './mission-addresses.js';
import type { Organization } from './organizations.js';
import { inCapitals } from './place-names.js';
import { at, type Random } from './random.js';
import type { Json, MissionTruth, Publisher } from './types.js';

/** The inputs of missions. */
export interface MissionOptions {
  readonly count: number;
  readonly organizations: readonly Organization[];
  readonly publishers: readonly Publisher[];
  readonly gazetteer: Gazetteer;
  readonly random: Random;
}

/** Creates missions with all keys of today's service (volunteering 4.1), and the truth about where each one is. */
export function createMissions({ count, organizations, publishers, gazetteer, random }: MissionOptions) {
  const drawPlace = createMessDrawer(gazetteer, random);
  const nearby = createOrganizationPicker(organizations, random);
  const missions: Json[] = [];
  const truth = new Map<string, MissionTruth>();
  for (let i = 0; i < count; i++) {
    const { site, mess } = drawPlace();
    const type = random.weighted(types);
    const further = furtherAddresses(type, random);
    const addresses = createMissionAddresses({ site, mess }, { further, gazetteer, random });
    const id = uuid(random);
    const organization = nearby(site?.place.departement);
    const publisher = random.pick(publishers);
    missions.push(createMission({ id, type, mess, addresses, organization, publisher, random }));
    truth.set(id, addresses.truth);
  }
  return { missions, truth };
}

interface MissionPlan {
  readonly id: string;
  readonly type: string | null;
  readonly mess: ReadonlySet<Mess>;
  readonly addresses: MissionAddresses;
  readonly organization: Organization;
  readonly publisher: Publisher;
  readonly random: Random;
}

/** Volunteering 7.5; the last word is in no version of the service yet. */
const types: readonly (readonly [number, string | null])[] = [
  [87.6, 'benevolat'],
  [8, 'volontariat_service_civique'],
  [0.4, 'volontariat_sapeurs_pompiers'],
  [2, 'volontariat_reserve_operationnelle'],
  [1.8, null],
  [0.2, 'volontariat_nouveau'],
];

/**
 * One mission in sixteen has further addresses; a fire brigade's lists all its stations, at most 164 (volunteering 8).
 */
function furtherAddresses(type: string | null, random: Random): number {
  if (type === 'volontariat_sapeurs_pompiers') return 4 + random.int(160);
  return random.chance(0.06) ? 1 + random.int(3) : 0;
}

function createMission(plan: MissionPlan): Json {
  const { id, type, publisher, random } = plan;
  const { addresses } = plan.addresses;
  const cause = random.pick(causes);
  const clientId = random.digits(7);
  return {
    _id: id,
    clientId,
    addresses,
    ...people(random),
    ...compensation(type, random),
    ...texts(plan, cause),
    ...times(random),
    ...declareOrganization(plan.organization, random),
    publisherId: publisher.id,
    publisherName: publisher.name,
    publisherUrl: publisher.url,
    publisherLogo: publisher.logo,
    remote: remote(plan.mess, random),
    snu: random.chance(0.02),
    snuPlaces: null,
    ...status(random),
    type,
    places: random.chance(0.03) ? null : 1 + random.int(20),
    activity: activities(cause, random),
    applicationUrl: `${publisher.url}/missions/${clientId}`,
    id,
    ...flatAddress(addresses[0]),
    deleted: false,
    statusCommentHistoric: [],
  };
}

function people(random: Random): Json {
  const skills = random.sample(softSkills, random.int(3));
  return {
    audience: random.sample(audiences, random.int(3)),
    closeToTransport: random.pick([true, false, null]),
    openToMinors: random.pick(['yes', 'no', 'no', null]),
    reducedMobilityAccessible: random.pick(['yes', 'no', null]),
    requirements: random.sample(requirements, random.int(2)),
    romeSkills: random.chance(0.1) ? [`${300_000 + random.int(90_000)}`] : [],
    schedule: random.chance(0.3) ? '' : random.pick(schedules),
    soft_skills: skills,
    softSkills: skills,
    tags: random.sample(tags, random.int(3)),
    tasks: random.chance(0.05) ? ['Accueillir', 'Ranger le matériel'] : [],
    metadata: '',
    priority: random.weighted([
      [9, ''],
      [1, 'haute'],
    ]),
  };
}

function compensation(type: string | null, random: Random): Json {
  if (type !== 'volontariat_service_civique') {
    return { compensationAmount: null, compensationUnit: null, compensationType: null };
  }
  const unit = random.chance(0.03) ? 'week' : 'month';
  return { compensationAmount: 504.98, compensationUnit: unit, compensationType: 'net' };
}

function texts({ organization, addresses, random }: MissionPlan, { domain, titles }: Cause): Json {
  const city = addresses.addresses[0]?.['city'] ?? 'distance';
  const title = random.pick(titles);
  const { text, html } = describeMission(title, organization.title, String(city));
  return {
    title: random.chance(0.3) ? `Je souhaite ${title.charAt(0).toLowerCase()}${title.slice(1)}` : title,
    description: text,
    descriptionHtml: html,
    domain,
    domainLogo: `https://cdn.example.org/domains/${domain}-${random.int(3)}.jpg`,
  };
}

/**
 * Days start at midnight UTC, so that many missions share a `startAt` and their order is undefined (volunteering 2.4).
 */
function times(random: Random): Json {
  const start = random.int(400) - 150;
  const months = random.pick([null, 1, 3, 6, 12]);
  const created = -1 - random.int(400);
  return {
    startAt: random.chance(0.03) ? null : daysFromToday(start),
    endAt: months === null ? null : daysFromToday(start + months * 30),
    duration: months,
    postedAt: random.chance(0.02) ? null : dayFromToday(random, [created, created + 1]),
    createdAt: importOn(created, random),
    updatedAt: importOn(created + random.int(-created), random),
    lastSyncAt: importOn(-1, random),
  };
}

/** `local` is new and comes without an address (volunteering 8); `hybride` is in no version of the service. */
function remote(mess: ReadonlySet<Mess>, random: Random): string | null {
  if (mess.has('no-address')) return random.pick(['full', 'full', 'full', 'local', 'no', null]);
  return random.weighted(remotes);
}

const remotes: readonly (readonly [number, string | null])[] = [
  [76, 'no'],
  [15, 'possible'],
  [5, 'full'],
  [3.4, null],
  [0.4, 'local'],
  [0.2, 'hybride'],
];

/** Refused and removed missions are in no list (volunteering 2.3). */
function status(random: Random): Json {
  const isRefused = random.chance(0.02);
  return {
    statusCode: isRefused ? 'REFUSED' : 'ACCEPTED',
    statusComment: isRefused ? random.pick(refusals) : null,
    deletedAt: random.chance(0.005) ? daysFromToday(-random.int(20)) : null,
  };
}

/** Sorted names joined with `, `: those that contain a comma cannot be split safely (volunteering 4.1). */
function activities({ activity }: Cause, random: Random): string | null {
  if (random.chance(0.02)) return null;
  if (random.chance(0.75)) return activity;
  return [...new Set([activity, random.pick(causes).activity])].sort().join(', ');
}

/** Picks an organization of the same département if there is one. */
function createOrganizationPicker(organizations: readonly Organization[], random: Random) {
  const byDepartement = new Map<string, Organization[]>();
  for (const organization of organizations) {
    const group = byDepartement.get(organization.place.departement) ?? [];
    group.push(organization);
    byDepartement.set(organization.place.departement, group);
  }
  return (departement: string | undefined): Organization => {
    const near = departement === undefined ? undefined : byDepartement.get(departement);
    return near === undefined ? at(organizations, random.int(organizations.length)) : random.pick(near);
  };
}

/**
 * A mission's organization as the partner declares it: fields may be missing, malformed or swapped (volunteering 9).
 */
function declareOrganization(organization: Organization, random: Random): Json {
  const { id, title, slug, place, postalCode, rna, siret } = organization;
  const declaredRna = declare(random.weighted(rnaForms), rna, random);
  return {
    organizationId: declaredRna !== null && declaredRna === rna ? id : null,
    organizationName: random.chance(0.15) ? inCapitals(title) : title,
    organizationClientId: random.digits(6),
    organizationDescription: random.chance(0.5) ? '' : `${title} agit près de chez vous.`,
    organizationUrl: random.chance(0.4) ? null : `https://${slug.slice(0, 30)}.example.org`,
    organizationType: random.pick(['1901', '', null]),
    organizationLogo: null,
    organizationFullAddress: random.chance(0.3) ? null : `${postalCode ?? ''} ${place.nom}`.trim(),
    organizationRNA: declaredRna,
    organizationSiren: declare(random.weighted(sirenForms), siret, random),
    organizationPostCode: random.chance(0.2) ? null : postalCode,
    organizationCity: random.chance(0.2) ? null : place.nom,
    organizationStatusJuridique: random.chance(0.3) ? null : random.pick(['Association', 'Association', 'Fondation']),
    organizationBeneficiaries: random.chance(0.3) ? ['Tous'] : [],
    organizationActions: [],
    organizationReseaux: random.chance(0.1) ? ['Réseau des solidarités'] : [],
  };
}

/** How a partner may fill in a number. */
type Form = 'right' | 'missing' | 'empty' | 'siren' | 'cut' | 'lower-case';

const rnaForms: readonly (readonly [number, Form])[] = [
  [66, 'right'],
  [28, 'missing'],
  [3, 'empty'],
  [1.5, 'cut'],
  [1.5, 'lower-case'],
];

/** `right` is a SIRET here, in the field of the SIREN. */
const sirenForms: readonly (readonly [number, Form])[] = [
  [40, 'missing'],
  [25, 'siren'],
  [27, 'right'],
  [4, 'empty'],
  [4, 'cut'],
];

function declare(form: Form, number: string | null, random: Random): string | null {
  if (form === 'empty') return '';
  if (form === 'cut') return number?.slice(0, -3) ?? random.digits(6);
  if (form === 'missing' || number === null) return null;
  if (form === 'lower-case') return number.toLowerCase();
  return form === 'siren' ? number.slice(0, 9) : number;
}

/** A cause that missions serve. `activity` is a label of volunteering 7.2; some labels contain commas. */
export interface Cause {
  readonly domain: string;
  readonly activity: string;
  readonly titles: readonly string[];
}

type Row = readonly [domain: string, activity: string, titles: string];

const rows: readonly Row[] = [
  [
    'solidarite-insertion',
    'Distribution',
    'Distribuer des repas aux personnes sans abri|Participer à une maraude du soir',
  ],
  [
    'solidarite-insertion',
    'Collecte de produits',
    'Aider à la grande collecte alimentaire|Trier les dons de vêtements',
  ],
  [
    'solidarite-insertion',
    'Écoute permanence',
    "Tenir une permanence d'écoute|Répondre au téléphone d'une ligne d'entraide",
  ],
  [
    'solidarite-insertion',
    "Lutte contre l'isolement",
    'Rendre visite à une personne âgée|Partager un café avec un aîné',
  ],
  ['education', 'Soutien scolaire', 'Aider un enfant à faire ses devoirs|Accompagner un collégien en mathématiques'],
  ['education', 'Mentorat parrainage', "Devenir le mentor d'un lycéen|Parrainer une jeune diplômée"],
  [
    'education',
    'Alphabétisation',
    "Animer un atelier de français pour adultes|Apprendre à lire et à écrire à l'âge adulte",
  ],
  [
    'education',
    'Transmission, Pédagogie',
    'Transmettre un savoir-faire aux plus jeunes|Lire des histoires à la crèche',
  ],
  ['environnement', 'Ramassage de déchets', 'Nettoyer les berges de la rivière|Ramasser les déchets de la plage'],
  ['environnement', 'Jardinage', 'Cultiver le jardin partagé|Planter une haie champêtre'],
  ['environnement', 'Préservation, Patrimoine', 'Compter les oiseaux du marais|Entretenir un sentier de randonnée'],
  ['animaux', 'Soins aux animaux', "Promener les chiens du refuge|Accueillir un chat en famille d'accueil"],
  ['sport', 'Sport', 'Encadrer un entraînement de football|Chronométrer une course à pied'],
  ['sport', 'Evenementiel', "Tenir le ravitaillement d'un trail|Accueillir le public d'un tournoi"],
  ['culture-loisirs', 'Accueil de public', "Accueillir les visiteurs d'un musée|Guider le public d'un festival"],
  ['culture-loisirs', 'Animation, Valorisation', 'Animer un club de lecture|Faire vivre un cinéma associatif'],
  [
    'memoire-et-citoyennete',
    'Médiation, Information',
    'Recueillir la mémoire des anciens|Informer sur les droits des citoyens',
  ],
  [
    'vivre-ensemble',
    'Soutien, Accompagnement',
    'Accompagner une famille dans ses démarches|Jouer aux échecs à la résidence',
  ],
  ['sante', 'Santé soins', 'Visiter des malades hospitalisés|Tenir la bibliothèque de l’hôpital'],
  ['sante', 'Prévention, Sensibilisation', 'Sensibiliser aux gestes qui sauvent|Parler de la santé dans les écoles'],
  ['prevention-protection', 'Secours, Aide', 'Tenir un poste de secours|Devenir équipier secouriste'],
  ['humanitaire', 'Logistique', "Préparer un convoi humanitaire|Ranger l'entrepôt de l'association"],
  ['emploi', 'Conseil', "Préparer un candidat à l'entretien|Relire des CV"],
  ['benevolat-competences', 'Comptabilité finance', "Tenir les comptes de l'association|Préparer le budget annuel"],
  ['benevolat-competences', 'Communication', "Animer la page d'une association|Photographier nos événements"],
  ['numerique', 'Informatique', 'Aider les seniors avec leur tablette|Réparer des ordinateurs donnés'],
  ['autre', 'Autre', "Donner un coup de main d'un jour|Rejoindre notre équipe de bénévoles"],
];

/** Domains with their activities and titles. */
const causes: readonly Cause[] = rows.map(([domain, activity, titles]) => ({
  domain,
  activity,
  titles: titles.split('|'),
}));

/** Audiences of missions. */
const audiences = ['Tous publics', 'Adultes', '18-24 ans', 'Seniors', 'Enfants', 'Personnes en situation de handicap'];

/** Soft skills, in the spelling of the service. */
const softSkills = ['Travail en équipe', 'ecoute active', 'empathie', 'Rigueur', "Sens de l'organisation", 'Patience'];

/** Tags of missions. */
const tags = ['week-end', 'soirée', 'ponctuel', 'famille', 'débutants', "sans condition d'âge"];

/** Requirements of missions. */
const requirements = ['Être majeur', 'Permis B apprécié', 'Casier judiciaire vierge'];

/** Schedules of missions. */
const schedules = [
  '2 heures par semaine',
  '1 demi-journée par semaine',
  'Un samedi par mois',
  'Selon vos disponibilités',
];

/** Reasons of automatic refusals (volunteering 7.4). */
const refusals = ['Titre manquant', 'Description manquante', 'Le titre est trop court (1 seul mot)'];

/** The text of a mission: plain with bullets, and as the partner's HTML, not sanitized (volunteering 4.1). */
function describeMission(title: string, organization: string, city: string): { text: string; html: string } {
  const opening = `${organization} cherche des bénévoles : « ${title} », à ${city}.`;
  return { text: `${opening}\n${stepsAsText}\n${closing}`, html: `<p>${opening}</p>${stepsAsHtml}${closingAsHtml}` };
}

const steps = [
  "Un rendez-vous pour faire connaissance, autour d'un thé",
  'Une formation "maison" de 2 h',
  'Puis, à vous de jouer !',
];
const closing = "Aucune expérience n'est demandée ; l'envie d'agir suffit. Frais remboursés à 100 %.";
const stepsAsText = steps.map((step) => ` • ${step}`).join('\n');
const stepsAsHtml = `<ul>${steps.map((step) => `<li>${step}</li>`).join('')}</ul>`;
const closingAsHtml = `<p onclick="alert('x')">${closing}</p>`;
