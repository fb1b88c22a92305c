/* What missions are counted by, in the words of the service and in French. */

/** French labels of domains (volunteering 7.1); a domain that is not listed is its own label. */
export const DOMAIN_LABELS: Readonly<Record<string, string>> = {
  animaux: 'Animaux',
  autre: 'Interventions d’urgence en cas de crise',
  'batiment-industrie-logistique': 'Bâtiment, Industrie, Logistique',
  'benevolat-competences': 'Bénévolat de compétences',
  communication: 'Communication',
  'culture-loisirs': 'Culture et loisirs',
  education: 'Éducation pour tous',
  emploi: 'Emploi',
  environnement: 'Environnement',
  'gestion-finance-droit': 'Gestion, commerce, finance, droit et services',
  humanitaire: 'Développement international et aide humanitaire',
  'memoire-et-citoyennete': 'Mémoire et citoyenneté',
  numerique: 'Numérique',
  'prevention-protection': 'Prévention et protection',
  recherche: 'Recherche',
  sante: 'Santé',
  'service-public-defense-securite': 'Service public, défense et sécurité',
  sport: 'Sport',
  'solidarite-insertion': 'Solidarité',
  'vivre-ensemble': 'Vivre ensemble',
};

/** French labels of kinds of mission (volunteering 7.5), whose older words have hyphens. */
export const TYPE_LABELS: Readonly<Record<string, string>> = {
  benevolat: 'Bénévolat',
  volontariat_service_civique: 'Service civique',
  'volontariat-service-civique': 'Service civique',
  volontariat_sapeurs_pompiers: 'Sapeurs-pompiers volontaires',
  volontariat_reserve_operationnelle: 'Réserve opérationnelle',
};

/** French labels of where a mission is done, by the graph's own words (volunteering 7.3). */
export const REMOTE_LABELS: Readonly<Record<string, string>> = {
  NO: 'Sur place',
  POSSIBLE: 'Sur place ou à distance',
  FULL: 'À distance',
  LOCAL: 'Près de chez soi',
  OTHER: 'Autre',
};
