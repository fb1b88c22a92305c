import { drawPhone } from './addresses.js';
import { dayFromToday, daysFromToday } from './dates.js';
import type { Employer } from './employers.js';
import { slugOf } from './place-names.js';
import type { Profession } from './professions.js';
import { at, type Random } from './random.js';
import type { Json } from './types.js';
import { createWorkplace, delegatedWorkplace, type TrainingCentre } from './workplaces.js';

/** The inputs of offers and recruiters. */
export interface OfferOptions {
  readonly offers: number;
  readonly recruiters: number;
  readonly employers: readonly Employer[];
  /** Training centres to which some employers delegate their offers. */
  readonly centres: readonly TrainingCentre[];
  readonly random: Random;
}

/** The offers and recruiters of a world. */
export interface Opportunities {
  /** JobOfferRead, of every status and partner. */
  readonly offers: readonly Json[];
  /** JobRecruiter. */
  readonly recruiters: readonly Json[];
  /**
   * Custom names that employers gave their workplaces, by offer id: the last choice of today's service, the first of
   * the seed's.
   */
  readonly customNames: ReadonlyMap<string, string>;
}

/**
 * Creates offers and likely recruiters. As far as the counts allow, every employer has at least one of the two; the
 * rest go mostly to a few employers.
 */
export function createOpportunities({ offers, recruiters, employers, centres, random }: OfferOptions): Opportunities {
  const made = { offers: [] as Json[], recruiters: [] as Json[], customNames: new Map<string, string>() };
  for (let turn = 0; made.offers.length < offers || made.recruiters.length < recruiters; turn++) {
    const employer =
      turn < employers.length
        ? at(employers, turn)
        : at(employers, Math.floor(employers.length * random.next() ** 2.2));
    const wantsRecruiter = random.chance(recruiters / (offers + recruiters));
    if (made.offers.length >= offers || (wantsRecruiter && made.recruiters.length < recruiters)) {
      made.recruiters.push(createRecruiter(employer, random));
    } else {
      const centre = centres.length > 0 && random.chance(0.05) ? random.pick(centres) : null;
      made.offers.push(createOffer({ employer, centre, customNames: made.customNames, random }));
    }
  }
  return made;
}

interface OfferPlan {
  readonly employer: Employer;
  readonly centre: TrainingCentre | null;
  readonly customNames: Map<string, string>;
  readonly random: Random;
}

function createOffer({ employer, centre, customNames, random }: OfferPlan): Json {
  const id = random.hex(24);
  const label = random.weighted(partners);
  const isOwn = label === 'offres_emploi_lba';
  const profession = random.pick(employer.professions);
  const isAnonymous = !isOwn && centre === null && random.chance(0.08);
  const { workplace, customName } = createWorkplace(employer, { isAnonymous, random });
  if (customName !== null) customNames.set(id, customName);
  const page = `https://emploi.example.org/emploi/offres_emploi_lba/${id}/${slugOf(profession.title)}`;
  const canApply = isOwn || (label !== 'France Travail' && random.chance(0.6));
  return {
    identifier: { id, partner_job_id: isOwn ? id : `${slugOf(label)}-${random.digits(8)}`, partner_label: label },
    workplace: centre === null ? workplace : delegatedWorkplace(workplace, centre),
    apply: {
      phone: random.chance(0.5) ? (centre?.phone ?? drawPhone(random)) : null,
      url: isOwn || random.chance(0.2) ? page : `https://${slugOf(label)}.example.org/offres/${random.digits(7)}`,
      recipient_id: canApply ? `partners_${id}` : null,
    },
    contract: createContract(random),
    offer: createOfferTexts(profession, random),
    is_delegated: centre !== null,
  };
}

/** Labels of work-study 8.3; an organization that publishes itself adds its own. */
const partners = [
  [32, 'offres_emploi_lba'],
  [26, 'France Travail'],
  [18, 'Hellowork'],
  [10, 'RH Alternance'],
  [6, 'La Poste'],
  [5, 'APEC'],
  [3, 'Alternance en Région'],
] as const;

function createContract(random: Random): Json {
  return {
    start: random.chance(0.2) ? null : dayFromToday(random, [-20, 150]),
    duration: random.chance(0.25) ? null : random.pick([6, 12, 12, 18, 24, 24, 36]),
    type: random.weighted([
      [55, ['Apprentissage', 'Professionnalisation']],
      [35, ['Apprentissage']],
      [9.7, ['Professionnalisation']],
      // `Reconversion` here and `mobile` below are in no document: they stand for future values.
      [0.3, ['Apprentissage', 'Reconversion']],
    ]),
    remote: random.weighted([
      [40, null],
      [45, 'onsite'],
      [11, 'hybrid'],
      [3.7, 'remote'],
      [0.3, 'mobile'],
    ]),
  };
}

function createOfferTexts(profession: Profession, random: Random): Json {
  const created = -1 - random.int(120);
  return {
    title: random.chance(0.5) ? profession.title : `${profession.title} en alternance`,
    desired_skills: random.sample(desiredSkills, random.int(4)),
    to_be_acquired_skills: random.sample(acquiredSkills, random.int(3)),
    access_conditions: random.chance(0.3) ? ['Ce métier est accessible avec ou sans expérience professionnelle.'] : [],
    opening_count: random.chance(0.85) ? 1 : 2 + random.int(4),
    publication: {
      creation: daysFromToday(created + random.next()),
      expiration: random.chance(0.04) ? dayFromToday(random, [-60, -1]) : '2099-12-31T00:00:00.000Z',
    },
    rome_codes: [profession.rome],
    description: random.weighted(descriptions).replaceAll('{label}', () => profession.label),
    target_diploma: random.chance(0.35) ? null : diplomaOf(profession, random),
    status: random.weighted(statuses),
  };
}

const statuses = [
  [90, 'Active'],
  [4, 'Filled'],
  [3.8, 'Cancelled'],
  [2, 'Pending'],
  [0.2, 'Suspended'],
] as const;

/** Labels of work-study 8.3; older rows have others. */
const diplomaLabels = {
  '3': 'CAP, BEP (Infrabac)',
  '4': 'Bac, Bac Pro, BP (Bac)',
  '5': 'BTS, DEUST (Bac+2)',
  '6': 'Licence, BUT, Licence Pro (Bac+3)',
  '7': 'Master, titre ingénieur, grande école (Bac+5)',
} as const;

function diplomaOf({ level }: Profession, random: Random): Json {
  return { european: level, label: random.chance(0.05) ? 'Autres formations' : diplomaLabels[level] };
}

const desiredSkills = [
  "Faire preuve d'autonomie",
  'Faire preuve de rigueur et de précision',
  "Être à l'écoute",
  'Travailler en équipe',
  'Organiser son travail selon les priorités',
  'Gérer son « stress »',
];

const acquiredSkills = [
  'Hygiène : appliquer les règles de sécurité',
  "Gestion des stocks : contrôler l'état des stocks",
  'Relation client : accueillir et orienter',
  'Outils numériques : tenir un tableau de bord',
];

const descriptions = [
  [
    60,
    "Au sein d'une petite équipe, vous découvrirez le métier de A à Z ({label}). Une expérience n'est pas nécessaire : " +
      'la motivation, oui ! Poste à pourvoir dès la rentrée.',
  ],
  [
    30,
    'Vous préparez un diplôme en alternance ?\nNous cherchons « la » personne qui saura prendre des initiatives.\n' +
      '• horaires réguliers\n• tickets-repas\n• prime "assiduité"\nMétier : {label}.',
  ],
  // Text that looks like the field must not mislead a reader of the export's raw bytes.
  [1, 'Indiquez dans votre dossier {"siret": "12345678900000", "poste": "{label}"} et une lettre « à l\'ancienne ».'],
] as const;

function createRecruiter(employer: Employer, random: Random): Json {
  const id = random.hex(24);
  const { workplace } = createWorkplace(employer, { isAnonymous: false, random });
  const slug = slugOf(employer.legalName);
  return {
    identifier: { id },
    // Never has a description; the link contains the SIRET (work-study 8.4, row JobRecruiter).
    workplace: { ...workplace, description: null },
    apply: {
      phone: random.chance(0.4) ? drawPhone(random) : null,
      url: `https://emploi.example.org/emploi/recruteurs_lba/${employer.siret}/${slug}`,
      recipient_id: random.chance(0.5) ? `partners_${id}` : null,
    },
  };
}
