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
export const causes: readonly Cause[] = rows.map(([domain, activity, titles]) => ({
  domain,
  activity,
  titles: titles.split('|'),
}));

/** Audiences of missions. */
export const audiences = [
  'Tous publics',
  'Adultes',
  '18-24 ans',
  'Seniors',
  'Enfants',
  'Personnes en situation de handicap',
];

/** Soft skills, in the spelling of the service. */
export const softSkills = [
  'Travail en équipe',
  'ecoute active',
  'empathie',
  'Rigueur',
  "Sens de l'organisation",
  'Patience',
];

/** Tags of missions. */
export const tags = ['week-end', 'soirée', 'ponctuel', 'famille', 'débutants', "sans condition d'âge"];

/** Requirements of missions. */
export const requirements = ['Être majeur', 'Permis B apprécié', 'Casier judiciaire vierge'];

/** Schedules of missions. */
export const schedules = [
  '2 heures par semaine',
  '1 demi-journée par semaine',
  'Un samedi par mois',
  'Selon vos disponibilités',
];

/** Reasons of automatic refusals (volunteering 7.4). */
export const refusals = ['Titre manquant', 'Description manquante', 'Le titre est trop court (1 seul mot)'];

/** The text of a mission: plain with bullets, and as the partner's HTML, not sanitized (volunteering 4.1). */
export function describeMission(title: string, organization: string, city: string): { text: string; html: string } {
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
