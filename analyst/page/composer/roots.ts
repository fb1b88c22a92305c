import { SERVICES, type ServiceName } from '../../../kernel/services.js';

/** What a query may begin with, by service, in the order in which it is offered. */
const OF_SERVICES: Readonly<
  Record<ServiceName, Readonly<Record<string, { readonly fr: string; readonly en: string }>>>
> = {
  volunteering: {
    missionSearch: { fr: 'Recherche de missions', en: 'Search of missions' },
    missions: { fr: 'Missions', en: 'Missions' },
    mission: { fr: 'Une mission', en: 'One mission' },
    missionCounts: { fr: 'Nombre de missions', en: 'Counts of missions' },
    organizations: { fr: 'Associations', en: 'Organizations' },
    organization: { fr: 'Une association', en: 'One organization' },
  },
  'work-study': {
    commune: { fr: 'Commune', en: 'Commune' },
    communesByName: { fr: 'Communes par nom', en: 'Communes by name' },
    communes: { fr: 'Communes d’un code', en: 'Communes of a code' },
    departements: { fr: 'Départements', en: 'Départements' },
    missionsLocales: { fr: 'Missions locales', en: 'Missions locales' },
    exportedOffers: { fr: 'Offres d’emploi', en: 'Job offers' },
    exportedRecruiters: { fr: 'Recruteurs probables', en: 'Likely recruiters' },
    exportedCounts: { fr: 'Nombre d’offres ou de recruteurs', en: 'Counts of offers or recruiters' },
    jobSearch: { fr: 'Offres en direct', en: 'Offers as of now' },
    jobOffer: { fr: 'Une offre', en: 'One offer' },
    jobOfferPublishing: { fr: 'Publication d’une offre', en: 'Publishing of an offer' },
    jobOfferExport: { fr: 'Fichier des offres', en: 'File of offers' },
    certifications: { fr: 'Diplômes et titres', en: 'Certifications' },
    formations: { fr: 'Formations', en: 'Courses' },
    formation: { fr: 'Une formation', en: 'One course' },
    organismes: { fr: 'Organismes de formation', en: 'Training organizations' },
    organisme: { fr: 'Un organisme de formation', en: 'One training organization' },
    sources: { fr: 'Sources de données', en: 'Sources of the data' },
  },
  'waste-identity': {
    viewer: { fr: 'Vous, et vos entreprises', en: 'You, and your companies' },
  },
};

/** Their descriptions in French; the schema has the English ones. */
const ABOUT: Readonly<Record<string, string>> = {
  missionSearch: 'Missions par mots, lieu et critères, avec leur nombre par département, activité et domaine.',
  missions: 'La simple liste des missions que publient les partenaires, de toute longueur.',
  mission: 'Une mission par son identifiant.',
  missionCounts: 'Compte toutes les missions d’une recherche par un critère, ou par deux.',
  organizations: 'Associations du répertoire national (RNA) et bénéficiaires de subventions publiques.',
  organization: 'Une association par son SIRET ou son numéro RNA.',
  commune: 'Une commune par son code INSEE, avec ce qu’il y a autour : missions, offres, formations.',
  communesByName: 'Les communes d’un nom ou d’un code postal, la plus ressemblante d’abord.',
  communes: 'Les communes que désigne un code postal ou INSEE.',
  departements: 'Tous les départements, collectivités d’outre-mer comprises.',
  missionsLocales: 'Les missions locales pour l’emploi des jeunes, toutes ou autour d’un point.',
  exportedOffers: 'Toutes les offres de l’export du jour, par lieu, métier, diplôme, contrat et dates.',
  exportedRecruiters: 'Tous les recruteurs probables de l’export du jour.',
  exportedCounts: 'Compte les offres ou les recruteurs de l’export du jour par un critère, ou par deux.',
  jobSearch: 'Offres et recruteurs demandés au service même, 150 par partenaire au plus.',
  jobOffer: 'Une offre, ou un recruteur, par son identifiant.',
  jobOfferPublishing: 'Où en est la publication d’une offre.',
  jobOfferExport: 'Un lien vers le fichier de toutes les offres.',
  certifications: 'Les certifications par code, niveau et métier, avec leurs dates.',
  formations: 'Les formations en apprentissage, par métier, diplôme et lieu.',
  formation: 'Une formation par sa clé.',
  organismes: 'Toute la liste des organismes de formation.',
  organisme: 'L’organisme de formation d’un SIRET ou d’un code UAI.',
  sources: 'Les services derrière ce graphe, et leur état.',
  viewer: 'Qui est connecté à Trackdéchets, et ses entreprises.',
};

/** What a query may begin with. */
interface Root {
  readonly service: ServiceName;
  readonly fr: string;
  readonly en: string;
  /** Its description in French. */
  readonly aboutFr: string;
}

/** What queries may begin with, by name. */
export const ROOTS: Readonly<Record<string, Root>> = Object.fromEntries(
  SERVICES.flatMap((service) =>
    Object.entries(OF_SERVICES[service]).map(([name, named]) => [
      name,
      { service, ...named, aboutFr: ABOUT[name] ?? '' },
    ]),
  ),
);
